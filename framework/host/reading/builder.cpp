#include "framework/host/reading/builder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::host::inline reading {

void Builder::OnDocumentStart(const YAML::Mark& mark) {
  if (started_) {
    give_up(to_place(mark), "found more text after the end of the model, expected one document in a file",
            "Put each model in a file of its own; if this is one model, check the indentation and brackets before this "
            "line.");
  }
  started_ = true;
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  place_in_parent(make(Node::Kind::nothing, mark, anchor));
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
  Node& node = make(Node::Kind::scalar, mark, anchor);
  node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
  node.text = value;
  if (node.quoted) check_quotes(mark);
  place_in_parent(node);
}

// The parser takes a quoted text that is never closed to end where the indentation does, and says nothing.
void Builder::check_quotes(const YAML::Mark& mark) {
  const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\n'; };
  std::size_t i = static_cast<std::size_t>(std::max(mark.pos, 0));
  while (at(i) == '&' || at(i) == '!') {  // an anchor or a tag
    while (at(i) != ' ' && at(i) != '\n') ++i;
    while (at(i) == ' ') ++i;
  }
  const char quote = at(i);
  if (quote != '"' && quote != '\'') return;
  for (++i; at(i) != quote; ++i) {
    if (at(i) == '\n') {
      give_up(to_place(mark), "not valid YAML: this text in quotes does not end on its line",
              "Close the quotes; a text of several lines is written after '|'.");
    }
    if (quote == '"' && at(i) == '\\') ++i;
  }
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Node* node = anchor < anchors_.size() ? anchors_[anchor] : nullptr;
  const bool inside = std::any_of(stack_.begin(), stack_.end(), [&](const Frame& f) { return f.node == node; });
  if (node == nullptr || inside) {
    give_up(to_place(mark), "this alias (*) refers to a value that contains it",
            "An alias repeats a value that is complete before it; it cannot stand inside that value.");
  }
  place_in_parent(*node);
}

void Builder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                              YAML::EmitterStyle::value) {
  open(Node::Kind::list, mark, anchor);
}

void Builder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  open(Node::Kind::map, mark, anchor);
}

Node& Builder::make(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (nodes_.size() >= DocumentLimits::nodes) {
    give_up(to_place(mark), fmt::format("the file holds more than {} values", DocumentLimits::nodes),
            "Use chains for systems of many like bodies.");
  }
  Node& node = nodes_.emplace_back();
  node.kind = kind;
  node.place = to_place(mark);
  if (anchor != YAML::NullAnchor) {
    if (anchors_.size() <= anchor) anchors_.resize(anchor + 1, nullptr);
    anchors_[anchor] = &node;
  }
  return node;
}

void Builder::open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (stack_.size() >= DocumentLimits::depth) {
    give_up(to_place(mark), fmt::format("values are nested more than {} levels deep", DocumentLimits::depth),
            "No model needs that; look for brackets that are never closed.");
  }
  stack_.push_back(Frame{&make(kind, mark, anchor), {}, {}, false, false, {}});
}

void Builder::close() {
  Node& node = *stack_.back().node;
  stack_.pop_back();
  if (node.weight > DocumentLimits::nodes || node.depth > DocumentLimits::depth) {
    give_up(node.place,
            fmt::format("with its aliases (*) written out, this value is more than {} values or {} levels",
                        DocumentLimits::nodes, DocumentLimits::depth),
            "Use fewer aliases of aliases; use chains for systems of many like bodies.");
  }
  place_in_parent(node);
}

void Builder::place_in_parent(const Node& node) {
  if (stack_.empty()) {
    root_ = &node;
    return;
  }
  Frame& frame = stack_.back();
  if (frame.node->kind == Node::Kind::map && !frame.has_key) {
    take_key(frame, node);
    return;
  }
  frame.node->weight = std::min(frame.node->weight + node.weight, DocumentLimits::nodes + 1);
  frame.node->depth = std::max(frame.node->depth, node.depth + 1);
  if (frame.node->kind == Node::Kind::list) {
    frame.node->items.push_back(&node);
    return;
  }
  if (!frame.drop_value) frame.node->entries.push_back({std::move(frame.key), frame.key_place, &node});
  frame.has_key = frame.drop_value = false;
}

void Builder::take_key(Frame& frame, const Node& node) {
  frame.has_key = true;
  frame.key_place = node.place;
  if (node.kind != Node::Kind::scalar) {
    frame.drop_value = true;
    error(node.place, {}, "found a key that is no text, expected 'key: value'",
          "Check the brackets and colons of this line; a text with ': ' in it needs quotes.");
    return;
  }
  frame.key = node.text;
  check_repeated(frame);
}

void Builder::check_repeated(Frame& frame) {
  constexpr std::size_t large = 32;
  const std::vector<Node::Entry>& entries = frame.node->entries;
  Place first;
  if (entries.size() < large) {
    for (const Node::Entry& entry : entries)
      if (entry.key == frame.key) first = entry.place;
  } else {
    if (frame.known.empty())
      for (const Node::Entry& entry : entries) frame.known.emplace(entry.key, entry.place);
    const auto [known, inserted] = frame.known.emplace(frame.key, frame.key_place);
    if (!inserted) first = known->second;
  }
  if (first.line == 0) return;
  frame.drop_value = true;
  error(frame.key_place, frame.key, fmt::format("key {} is given twice, first in line {}", show(frame.key), first.line),
        "Remove one of them; if they belong to two items, the second needs a '- ' of its own.");
}

void Builder::error(Place place, std::string_view last_key, std::string_view message, std::string_view remedy) {
  std::vector<Path> steps(stack_.size() + 1);
  const Path* parent = nullptr;
  for (std::size_t i = 0; i < stack_.size(); ++i) {
    const Frame& frame = stack_[i];
    const bool last = i + 1 == stack_.size();
    steps[i].parent = parent;
    if (frame.node->kind == Node::Kind::list) {
      steps[i].index = frame.node->items.size();
    } else {
      steps[i].key = last ? last_key : std::string_view(frame.key);
    }
    parent = &steps[i];
  }
  report_.error(place, parent ? *parent : Path{}, message, remedy);
}

void Builder::give_up(Place place, std::string_view message, std::string_view remedy) {
  report_.error(place, {}, message, remedy);
  throw GiveUp{};
}

}  // namespace polyform::host::reading

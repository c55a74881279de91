#include "framework/workbench/studies/varied_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "framework/host/reading/number_units.hpp"
#include "framework/host/reading/source.hpp"
#include "framework/host/reading/value.hpp"
#include "framework/workbench/studies/factor.hpp"

namespace polyform::host::inline studies {

namespace {

/// Vectors that a model may leave out, and what they are then.
struct DefaultVector {
  std::string_view key;
  std::array<std::string_view, 3> components;
};
constexpr std::array default_vectors{
    DefaultVector{"gravity", {"0", "0", "-9.81"}}, DefaultVector{"position", {"0", "0", "0"}},
    DefaultVector{"center_of_mass", {"0", "0", "0"}}, DefaultVector{"velocity", {"0", "0", "0"}},
    DefaultVector{"angular_velocity", {"0", "0", "0"}}};

/// Whether a path goes on with this name: it follows, and then a dot, a bracket or the end.
bool goes_on_with(std::string_view rest, std::string_view name) {
  return rest.starts_with(name) && (rest.size() == name.size() || rest[name.size()] == '.' || rest[name.size()] == '[');
}

/// The first word of a path.
std::string_view first_word(std::string_view rest) { return rest.substr(0, rest.find_first_of(".[")); }

/// The name of a list's item; nothing if it has none.
std::optional<std::string_view> name_of(const Node& item) {
  for (const Node::Entry& entry : item.entries)
    if (entry.key == "name" && entry.value->kind == Node::Kind::scalar) return entry.value->text;
  return std::nullopt;
}

/// A list item that the rest of a path may begin with "[3]": its index, and how long that is.
struct Index {
  std::size_t value = 0, length = 0;
};
std::optional<Index> index_at(std::string_view rest) {
  if (!rest.starts_with('[')) return std::nullopt;
  const std::size_t close = rest.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  Index index{0, close + 1};
  const auto [end, problem] = std::from_chars(rest.data() + 1, rest.data() + close, index.value);
  if (problem != std::errc() || end != rest.data() + close) return std::nullopt;
  return index;
}

/// The child that the longest key or name at the beginning of a path leads to, and how long that is.
std::pair<const Node*, std::size_t> child_at(const Node& from, std::string_view rest) {
  std::pair<const Node*, std::size_t> best{nullptr, 0};
  const auto see = [&](std::string_view name, const Node* child) {
    if (goes_on_with(rest, name) && (best.first == nullptr || name.size() > best.second)) best = {child, name.size()};
  };
  for (const Node::Entry& entry : from.entries) see(entry.key, entry.value);
  if (const std::optional<Index> index = index_at(rest)) {
    if (index->value < from.items.size()) best = {from.items[index->value], index->length};
  } else {
    for (const Node* const item : from.items)
      if (const auto name = name_of(*item)) see(*name, item);
  }
  return best;
}

/// How much of a path leads to something in the tree from a node.
std::size_t reach(const Node& from, std::string_view path) {
  std::size_t at = 0;
  for (const Node* node = &from; at < path.size();) {
    const std::size_t dot = path[at] == '.' ? 1 : 0;
    const auto [child, length] = child_at(*node, path.substr(at + dot));
    if (child == nullptr) return at;
    at += dot + length;
    node = child;
  }
  return at;
}

Node scalar(std::string_view text) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = text;
  return node;
}

}  // namespace

VariedModel::VariedModel(const std::string& file, const Catalog& catalog, Diagnostics& diagnostics,
                         const ImportOptions& options)
    : file_(file) {
  bool missing_plugin = false;
  std::optional<ModelText> source = read_model_source(file, catalog, diagnostics, missing_plugin, options);
  if (!source) return;
  text_ = std::move(source->text);
  Report report(diagnostics, source->name);
  root_ = document_.parse(text_, report);
  report.finish();
  if (root_ != nullptr) include(*root_, file_, 0);
}

/// Parses the files that a document includes, and what these include. What is wrong with them is reported when the
/// model is read.
void VariedModel::include(const Node& root, const std::string& file, std::size_t depth) {
  constexpr std::size_t deepest = 100;
  const auto found = std::ranges::find(root.entries, "include", &Node::Entry::key);
  if (found == root.entries.end() || depth > deepest) return;
  const auto one = [&](const Node& name) {
    if (name.kind != Node::Kind::scalar || name.text.empty()) return;
    Diagnostics unheard;
    const std::string path = named_path(name.text, Report(unheard, file), file_);
    std::error_code ignored;
    const std::string same = std::filesystem::weakly_canonical(path, ignored).string();
    if (std::ranges::find(included_, same, &Included::path) != included_.end()) return;
    Report report(unheard, path);
    const std::optional<std::string> text = read_source(path, report);
    if (!text) return;
    Included& other = included_.emplace_back();
    other.path = same;
    const Node* const its = other.document.parse(*text, report);
    report.finish();
    if (its == nullptr || unheard.failed()) {
      included_.pop_back();  // reading the model reads the file itself, and tells
      return;
    }
    other.root = its;
    include(*its, path, depth + 1);
  };
  for (const Node* const item : found->value->items) one(*item);
  one(*found->value);
}

/// The document that the path leads farthest in: the model where several are alike.
const Node*& VariedModel::root_of(std::string_view path) {
  const Node** best = &root_;
  std::size_t farthest = reach(*root_, path);
  for (Included& other : included_)
    if (const std::size_t far = reach(*other.root, path); far > farthest) {
      best = &other.root;
      farthest = far;
    }
  return *best;
}

void VariedModel::refuse(const Place& place, const std::string& why, const std::string& remedy) const {
  throw Failure(Exit::bad_input, fmt::format("there is no value {} in {}: {}", show(place.whole), file_, why), remedy);
}

Node& VariedModel::keep(Node node) {
  Node& kept = copies_.emplace_back(std::move(node));
  ours_.emplace(&kept, &kept);
  return kept;
}

Node& VariedModel::own(const Node*& link) {
  const auto known = ours_.find(link);
  Node& node = known != ours_.end() ? *known->second : keep(*link);
  link = &node;
  return node;
}

Node& VariedModel::enter_map(Node& map, Place& place) {
  Node::Entry* found = nullptr;
  for (Node::Entry& entry : map.entries)
    if (goes_on_with(place.rest, entry.key) && (found == nullptr || entry.key.size() > found->key.size()))
      found = &entry;
  if (found != nullptr) {
    place.rest.remove_prefix(found->key.size());
    return own(found->value);
  }
  check_parameter(map, place);
  const std::string_view key = first_word(place.rest);
  if (key.empty())
    refuse(place, "a key is missing", "A path is made of keys, names and indices, such as bodies.rod.mass.");
  place.rest.remove_prefix(key.size());
  return add_default(map, key, place);
}

/// What a model or a part does not define as a parameter has no meaning in it. A part that is placed has parameters
/// that the placement does not name.
void VariedModel::check_parameter(const Node& map, const Place& place) const {
  const std::string_view before = place.whole.substr(0, place.whole.size() - place.rest.size());
  const bool of_model = before == "parameters.",
             of_part = before.starts_with("parts") && before.ends_with(".parameters.") &&
                       before.find(".place.") == before.npos && before.find(".place[") == before.npos;
  if (!of_model && !of_part) return;
  const std::string_view key = first_word(place.rest);
  std::vector<std::string_view> keys;
  for (const Node::Entry& entry : map.entries) keys.push_back(entry.key);
  for (const Included& other : included_)
    for (const Node::Entry& entry : other.root->entries)
      if (of_model && entry.key == "parameters")
        for (const Node::Entry& its : entry.value->entries)
          if (std::ranges::find(keys, its.key) == keys.end()) keys.push_back(its.key);
  refuse(place, fmt::format("the {} has no parameter {}", of_model ? "model" : "part", show(key)),
         did_you_mean(key, keys) +
             (keys.empty() ? "It defines none." : fmt::format("Its parameters: {}.", listing(keys))));
}

Node& VariedModel::add_default(Node& map, std::string_view key, const Place& place) {
  Node& added = keep({});
  if (place.rest.starts_with('[')) {
    const auto known = std::ranges::find(default_vectors, key, &DefaultVector::key);
    if (known == default_vectors.end()) {
      std::vector<std::string_view> keys;
      for (const Node::Entry& entry : map.entries) keys.push_back(entry.key);
      refuse(place, fmt::format("found no list {}", show(key)),
             did_you_mean(key, keys) + fmt::format("Keys there: {}.", listing(keys)));
    }
    added.kind = Node::Kind::list;
    for (const std::string_view component : known->components) added.items.push_back(&keep(scalar(component)));
  } else {
    added.kind = place.rest.empty() ? Node::Kind::scalar : Node::Kind::map;
  }
  map.entries.push_back({std::string(key), {}, &added});
  return added;
}

Node& VariedModel::enter_list(Node& list, Place& place) {
  if (const std::optional<Index> index = index_at(place.rest)) {
    if (index->value >= list.items.size())
      refuse(place, fmt::format("the list has {} items, counted from 0", list.items.size()), "Give a smaller index.");
    place.rest.remove_prefix(index->length);
    return own(list.items[index->value]);
  }
  std::size_t best = list.items.size(), length = 0;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::optional<std::string_view> name = name_of(*list.items[i]);
    if (!name) continue;
    names.push_back(*name);
    if (name->size() >= std::max<std::size_t>(length, 1) && goes_on_with(place.rest, *name)) {
      best = i;
      length = name->size();
    }
  }
  if (best == list.items.size()) {
    const std::string_view wrong = first_word(place.rest);
    refuse(place, fmt::format("found no item {}", show(wrong)),
           did_you_mean(wrong, names) + (names.empty() ? std::string("Give an index such as [0].")
                                                       : fmt::format("Names there: {}.", listing(names))));
  }
  place.rest.remove_prefix(length);
  return own(list.items[best]);
}

Node& VariedModel::enter(Node& from, Place& place) {
  if (place.rest.starts_with('.')) place.rest.remove_prefix(1);
  switch (from.kind) {
    case Node::Kind::map: return enter_map(from, place);
    case Node::Kind::list: return enter_list(from, place);
    case Node::Kind::nothing:  // such as `simulation:` with nothing in it
      from.kind = Node::Kind::map;
      return enter_map(from, place);
    case Node::Kind::scalar: {
      // `integrator: NAME` is short for {name: NAME}.
      const std::string_view before = place.whole.substr(0, place.whole.size() - place.rest.size());
      if (before != "simulation.integrator." || from.text.empty()) break;
      from.entries.push_back({"name", from.place, &keep(from)});
      from.text.clear();
      from.kind = Node::Kind::map;
      return enter_map(from, place);
    }
  }
  refuse(place, fmt::format("{} has no parts", describe(from)), fmt::format("Leave out {}.", show(place.rest)));
}

std::size_t VariedModel::add(std::string_view path) {
  Place place{path, path};
  Node* node = &own(root_of(path));
  while (!place.rest.empty()) node = &enter(*node, place);
  // The model reads `integrator: NAME` too, but of a solver always a map.
  if (path == "solver" && node->kind == Node::Kind::scalar) node->kind = Node::Kind::map;
  if (node->kind == Node::Kind::map && (path == "solver" || path == "simulation.integrator")) {
    place.rest = "name";
    node = &enter(*node, place);
  }
  if (node->kind == Node::Kind::list || node->kind == Node::Kind::map)
    refuse(place, fmt::format("this is {}", describe(*node)),
           node->kind == Node::Kind::list ? "Name one of its items, such as [0]." : "Name one of its keys.");
  node->kind = Node::Kind::scalar;
  const auto known = std::ranges::find(values_, node);
  if (known != values_.end())
    throw Failure(Exit::bad_input, fmt::format("two factors vary the same value {}", show(path)),
                  "Leave one of them out.");
  values_.push_back(node);
  return values_.size() - 1;
}

void VariedModel::set(std::size_t value, std::string_view text) {
  values_[value]->text = text;
  values_[value]->quoted = false;
}

Description VariedModel::read(const Catalog& catalog, Diagnostics& diagnostics, bool& missing_plugin,
                              const ReadingOptions& options) const {
  ReadingOptions with_files = options;
  for (const Included& other : included_) with_files.parsed.emplace(other.path, other.root);
  return read_model_tree(*root_, file_, catalog, diagnostics, missing_plugin, with_files);
}

NumberRenewal VariedModel::renewal(std::span<const std::size_t> values, const Description& model,
                                   const Catalog& catalog) const {
  std::vector<const Node*> varied;
  for (const std::size_t value : values) varied.push_back(values_[value]);
  return {*root_, varied, model, catalog};
}

std::vector<std::string> VariedModel::units(const Catalog& catalog, const ReadingOptions& options) const {
  const NumberUnits found;
  Diagnostics unheard;
  bool missing_plugin = false;
  read(catalog, unheard, missing_plugin, options);
  std::vector<std::string> units;
  for (const Node* const value : values_) units.push_back(found.of(*value));
  return units;
}

namespace {

/// A value in a message; lists and maps by their sizes.
std::string shown(const Node* node) { return node == nullptr ? "not there" : describe(*node); }

std::string difference(const Node& before, const Node& now, const std::string& path) {
  const auto join = [&](std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  };
  if (before.kind == Node::Kind::map && now.kind == Node::Kind::map) {
    const auto find = [](const Node& map, const std::string& key) -> const Node* {
      for (const Node::Entry& entry : map.entries)
        if (entry.key == key) return entry.value;
      return nullptr;
    };
    for (const Node::Entry& entry : before.entries) {
      const Node* other = find(now, entry.key);
      if (other == nullptr) return fmt::format("{} is gone", join(entry.key));
      if (std::string found = difference(*entry.value, *other, join(entry.key)); !found.empty()) return found;
    }
    for (const Node::Entry& entry : now.entries)
      if (find(before, entry.key) == nullptr) return fmt::format("{} is new", join(entry.key));
    return {};
  }
  if (before.kind == Node::Kind::list && now.kind == Node::Kind::list && before.items.size() == now.items.size()) {
    for (std::size_t i = 0; i < before.items.size(); ++i)
      if (std::string found = difference(*before.items[i], *now.items[i], fmt::format("{}[{}]", path, i));
          !found.empty())
        return found;
    return {};
  }
  if (before.kind == now.kind && before.text == now.text && before.items.size() == now.items.size()) return {};
  return fmt::format("{} was {} and is {}", path, shown(&before), shown(&now));
}

}  // namespace

std::string first_difference(std::string_view before, std::string_view now) {
  Diagnostics unheard;
  Report report(unheard, {});
  Document documents[2];
  const Node* const a = documents[0].parse(before, report);
  const Node* const b = documents[1].parse(now, report);
  if (a == nullptr || b == nullptr) return {};
  return difference(*a, *b, {});
}

}  // namespace polyform::host::inline studies

#include "framework/host/reading/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::host::inline reading {

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::nothing: return "nothing";
    case Node::Kind::list: return node.items.empty() ? "an empty list" : fmt::format("a list of {}", node.items.size());
    case Node::Kind::map: return "a map";
    case Node::Kind::scalar: break;
  }
  if (node.text.empty()) return "an empty text";
  return fmt::format("{}{}", node.quoted ? "the text in quotes " : "", show(node.text));
}

void Value::unexpected(std::string_view expected, std::string_view remedy) const {
  const bool nothing = node_->kind == Node::Kind::nothing && remedy.empty();
  error(fmt::format("found {}, expected {}", describe(*node_), expected),
        nothing ? "Give a value, or remove the key." : remedy);
}

MapReader::MapReader(const Value& value) : value_(value) {
  if (!is_map()) value.unexpected("a map of 'key: value' entries");
}

std::optional<Value> MapReader::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  for (const Node::Entry& e : value_.node().entries)
    if (e.key == key) return value_.entry(e);
  return std::nullopt;
}

std::optional<Value> MapReader::require(std::string_view key, std::string_view meaning) {
  std::optional<Value> found = find(key);
  if (!found) report_missing(key, meaning, fmt::format("Add '{}: …' here.", key));
  return found;
}

void MapReader::report_missing(std::string_view key, std::string_view meaning, std::string_view remedy) {
  if (!is_map()) return;
  const Path path{&value_.path(), key, Path::no_index};
  value_.report().error(value_.place(), path, fmt::format("'{}' is missing: {}", key, meaning), remedy);
}

void MapReader::forbid(std::string_view key, std::string_view reason) {
  const auto& entries = value_.node().entries;
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Node::Entry& e) { return e.key == key; });
  if (found == entries.end()) return;
  forbidden_.push_back(found->key);
  value_.report().error(found->place, value_.entry(*found).path(),
                        fmt::format("'{}' does not belong here: {}", key, reason), "Remove it.");
}

void MapReader::finish() {
  for (const Node::Entry& e : value_.node().entries) {
    const auto is_in = [&](const auto& keys) { return std::find(keys.begin(), keys.end(), e.key) != keys.end(); };
    if (is_in(known_) || is_in(forbidden_)) continue;
    Report& report = value_.report();
    std::string remedy;
    if (!report.full()) remedy = fmt::format("{}Known keys here: {}.", did_you_mean(e.key, known_), listing(known_));
    report.error(e.place, value_.entry(e).path(), fmt::format("unknown key {}", show(e.key)), remedy);
  }
}

}  // namespace polyform::host::reading

// The first pass over a file: names of bodies and joints.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

namespace {

/// Bodies and joints are numbered in 32 bits; no computer holds a model of so many.
constexpr std::size_t most_items = 20'000'000;

/// A body takes at least so much memory between reading and the first step.
constexpr std::size_t body_bytes = 4096;

/// Names of a list of bodies or joints. The number of an item is its place in the list.
template <class Item>
void collect(std::span<const Value> list, NameIndex& index, std::vector<Item>& items, std::string_view what) {
  items.resize(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value& value = list[i];
    items[i].path = value.path().text();
    items[i].place = value.model_place();
    if (value.node().kind != Node::Kind::map) continue;  // reported when the entries are read
    MapReader map(value);
    const std::optional<Value> name_value = map.require("name", fmt::format("every {} has one", what));
    if (!name_value) continue;
    std::optional<std::string> name = read_name(*name_value);
    if (!name) {
      // The name counts as known nevertheless, so that its uses are not reported too.
      index.add(name_value->node().text, static_cast<std::int32_t>(i), name_value->place());
      continue;
    }
    if (!index.add(*name, static_cast<std::int32_t>(i), name_value->place())) {
      name_value->error(
          fmt::format("the name {} is taken by another {}{}", show(*name), what, in_line(index.place_of(*name))),
          "Give each its own name.");
    }
    items[i].name = std::move(*name);
  }
}

/// The count of a chain; nothing after a report. `left`: how many bodies may still come.
std::optional<std::size_t> read_count(const Value& value, std::size_t left) {
  const std::optional<std::int64_t> count = read_integer(value);
  if (!count) return std::nullopt;
  if (*count < 1) {
    value.error(fmt::format("found {}, expected at least 1", *count),
                "A chain has one body or more; remove the chain if it has none.");
    return std::nullopt;
  }
  if (static_cast<std::size_t>(*count) <= left) return static_cast<std::size_t>(*count);
  const std::size_t memory = items_in_memory(body_bytes);
  value.error(
      memory < most_items
          ? fmt::format("{} bodies are more than this computer can hold (about {} by its memory)", *count, memory)
          : fmt::format("{} bodies are too many: a model has at most {}", *count, most_items),
      "Lower the count.");
  return std::nullopt;
}

/// The head of a chain, with count 0 if it cannot be read.
ChainHead read_head(const Value& value, std::size_t left) {
  ChainHead head;
  if (value.node().kind != Node::Kind::map) return head;  // reported when the chain is read
  MapReader map(value);
  const std::optional<Value> name = map.require("name", "every chain has one");
  const std::optional<Value> count = map.require("count", "the number of bodies of the chain");
  if (name) head.name = read_name(*name).value_or("");
  if (count) head.count = read_count(*count, left).value_or(0);
  return head;
}

/// Gives the chain its numbers, or makes it empty when it has no name of its own.
void add_chain(Reading& r, const Value& value, std::unordered_map<std::string, int>& lines, ChainHead& head) {
  if (head.name.empty()) head.count = 0;
  const auto [known, inserted] = lines.emplace(head.name, value.place().line);
  if (!inserted && !head.name.empty()) {
    value.error(fmt::format("the name {} is taken by another chain{}", show(head.name), in_line({known->second, 1})),
                "Give each its own name.");
    head.count = 0;
  } else if (head.count == 0) {
    r.names.bodies.add_broken_chain(head.name);
    r.names.joints.add_broken_chain(head.name);
  } else {
    const auto count = static_cast<std::int64_t>(head.count);
    r.names.bodies.add_chain(head.name, static_cast<std::int32_t>(head.first_body), count);
    r.names.joints.add_chain(head.name, static_cast<std::int32_t>(head.first_joint), count);
  }
}

std::vector<ChainHead> collect_chains(Reading& r, const Value& list) {
  std::vector<ChainHead> heads;
  std::unordered_map<std::string, int> lines;
  std::size_t bodies = r.model.bodies.size(), joints = r.model.joints.size();
  const std::size_t most = std::min(most_items, items_in_memory(body_bytes));
  for (std::size_t i = 0; i < list.node().items.size(); ++i) {
    const Value value = list.item(i);
    ChainHead head = read_head(value, most - std::min(most, std::max(bodies, joints)));
    head.first_body = bodies;
    head.first_joint = joints;
    add_chain(r, value, lines, head);
    bodies += head.count;
    joints += head.count;
    heads.push_back(std::move(head));
  }
  r.model.bodies.resize(bodies);
  r.model.joints.resize(joints);
  return heads;
}

}  // namespace

std::size_t items_in_memory(std::size_t bytes_each) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return most_items;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) / bytes_each;
}

std::vector<ChainHead> collect_names(Reading& r, std::span<const Value> bodies, std::span<const Value> joints,
                                     const Value* chains) {
  collect(bodies, r.names.bodies, r.model.bodies, "body");
  collect(joints, r.names.joints, r.model.joints, "joint");
  return chains ? collect_chains(r, *chains) : std::vector<ChainHead>{};
}

}  // namespace polyform::host::reading

// Writes values of the file as text for others.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

namespace {

using nlohmann::ordered_json;

/// A plain scalar becomes what it is in YAML: a boolean, an integer, a number, or a text.
ordered_json scalar(const Node& node) {
  if (node.quoted) return node.text;
  if (node.text == "true") return true;
  if (node.text == "false") return false;
  const char* const begin = node.text.data();
  const char* const end = begin + node.text.size();
  std::int64_t integer = 0;
  if (const auto parsed = std::from_chars(begin, end, integer); parsed.ptr == end && parsed.ec == std::errc{})
    return integer;
  double number = 0;
  if (const auto parsed = std::from_chars(begin, end, number);
      parsed.ptr == end && parsed.ec == std::errc{} && std::isfinite(number))
    return number;
  return node.text;
}

// The depth of a document is bounded, so recursion is safe.
ordered_json to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::nothing: return nullptr;
    case Node::Kind::scalar: return scalar(node);
    case Node::Kind::list: {
      ordered_json out = ordered_json::array();
      for (const Node* item : node.items) out.push_back(to_json(*item));
      return out;
    }
    case Node::Kind::map: break;
  }
  ordered_json out = ordered_json::object();
  for (const Node::Entry& e : node.entries) out.push_back({e.key, to_json(*e.value)});
  return out;
}

}  // namespace

std::string flow_text(const Node& node) {
  return node.kind == Node::Kind::scalar && !node.quoted
             ? node.text
             : to_json(node).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace polyform::host::reading

// Values of the file that are handed on as text.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "framework/reading/model_reader.hpp"

namespace polyform::host {

namespace {

using nlohmann::ordered_json;

/// A plain scalar is what YAML takes it for: a boolean, an integer, a number, or a text.
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

std::string dump(const Node& node) {
  return to_json(node).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// NaN and infinity would not survive as JSON.
void check_finite(const Value& value) {
  const Node& node = value.node();
  if (node.kind == Node::Kind::scalar && !node.quoted && is_nonfinite(node.text)) read_number(value);
  for (std::size_t i = 0; i < node.items.size(); ++i) check_finite(value.item(i));
  for (const Node::Entry& e : node.entries) check_finite(value.entry(e));
}

}  // namespace

std::string flow_text(const Node& node) {
  return node.kind == Node::Kind::scalar && !node.quoted ? node.text : dump(node);
}

std::string read_geometry(const Value& value) {
  constexpr std::string_view expected = "a list of shapes, [{type: cylinder, …}, …]";
  const Node& node = value.node();
  if (node.kind != Node::Kind::list) {
    value.unexpected(expected);
    return {};
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Value item = value.item(i);
    MapReader map(item);
    if (const auto type = map.require("type", "the kind of shape, e.g. cylinder"))
      read_text(*type, "the kind of shape");
    check_finite(item);
  }
  return dump(node);
}

}  // namespace polyform::host

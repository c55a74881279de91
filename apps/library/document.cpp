#include "apps/library/document.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/source.hpp"

namespace polyform::library {

namespace {

using host::Node;
using OrderedJson = nlohmann::ordered_json;

std::string number_text(double x) {
  return std::isnan(x) ? ".nan" : std::isinf(x) ? (x > 0 ? ".inf" : "-.inf") : fmt::format("{}", x);
}

/// What YAML takes a plain scalar for.
Value scalar_value(const Node& node) {
  if (node.quoted) return Value(node.text);
  if (node.text == "true" || node.text == "false") return Value(node.text == "true");
  const char* const begin = node.text.data();
  const char* const end = begin + node.text.size();
  std::int64_t integer = 0;
  if (const auto parsed = std::from_chars(begin, end, integer); parsed.ptr == end && parsed.ec == std::errc{})
    return Value(integer);
  double number = 0;
  if (const auto parsed = std::from_chars(begin, end, number);
      parsed.ptr == end && parsed.ec == std::errc{} && std::isfinite(number))
    return Value(number);
  return Value(node.text);
}

// The depth of a document is bounded, so recursion is safe.
Value value_of_node(const Node& node) {
  if (node.kind == Node::Kind::nothing) return {};
  if (node.kind == Node::Kind::scalar) return scalar_value(node);
  if (node.kind == Node::Kind::list) {
    Value::List list;
    for (const Node* item : node.items) list.push_back(value_of_node(*item));
    return Value(std::move(list));
  }
  Value::Map map;
  for (const Node::Entry& entry : node.entries) map.push_back({entry.key, value_of_node(*entry.value)});
  return Value(std::move(map));
}

OrderedJson json_of(const Value& value) {
  return std::visit(
      []<class T>(const T& content) -> OrderedJson {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else if constexpr (std::is_same_v<T, Value::List>) {
          OrderedJson list = OrderedJson::array();
          for (const Value& item : content) list.push_back(json_of(item));
          return list;
        } else if constexpr (std::is_same_v<T, Value::Map>) {
          OrderedJson map = OrderedJson::object();
          // Keys are distinct; looking for each would take quadratic time.
          for (const Value::Entry& entry : content)
            map.get_ref<OrderedJson::object_t&>().Container::emplace_back(entry.key, json_of(entry.value));
          return map;
        } else {
          return content;
        }
      },
      value.content());
}

}  // namespace

Nodes::Nodes(const Value& value) { fill(nodes_.emplace_back(), value, 1); }

void Nodes::fill(Node& node, const Value& value, std::size_t depth) {
  if (depth > host::DocumentLimits::depth)
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("the data is nested more than {} levels deep", host::DocumentLimits::depth));
  const Value::Content& content = value.content();
  if (const auto* list = std::get_if<Value::List>(&content)) {
    node.kind = Node::Kind::list;
    for (const Value& item : *list) {
      Node& next = nodes_.emplace_back();
      node.items.push_back(&next);
      fill(next, item, depth + 1);
    }
  } else if (const auto* map = std::get_if<Value::Map>(&content)) {
    node.kind = Node::Kind::map;
    for (const Value::Entry& entry : *map) {
      Node& next = nodes_.emplace_back();
      node.entries.push_back({entry.key, {}, &next});
      fill(next, entry.value, depth + 1);
    }
  } else if (!value.is_nothing()) {
    node.kind = Node::Kind::scalar;
    if (const auto* text = std::get_if<std::string>(&content)) {
      node.text = *text;
      node.quoted = true;
    } else if (const auto* number = std::get_if<double>(&content)) {
      node.text = number_text(*number);
    } else if (const auto* integer = std::get_if<std::int64_t>(&content)) {
      node.text = fmt::format("{}", *integer);
    } else {
      node.text = value.boolean() ? "true" : "false";
    }
  }
}

std::string text_of(const Value& value) {
  return json_of(value).dump(1, ' ', false, OrderedJson::error_handler_t::replace);
}

Value read_document(const std::string& file, const host::Catalog& catalog, const host::ImportOptions& options,
                    host::Diagnostics& diagnostics) {
  Value value;
  bool missing_plugin = false;
  const auto source = host::read_model_source(file, catalog, diagnostics, missing_plugin, options);
  if (!source) return value;
  host::Report report(diagnostics, source->name);
  host::Document document;
  if (const Node* const root = document.parse(source->text, report)) value = value_of_node(*root);
  report.finish();
  return value;
}

}  // namespace polyform::library

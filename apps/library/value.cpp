#include "polyform/library/value.hpp"

#include <fmt/format.h>

#include <limits>

#include "apps/library/internal.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::library {

namespace {

constexpr const char* kinds[] = {"nothing", "a boolean", "an integer", "a number", "a text", "a list", "a map"};

[[noreturn]] void wrong_kind(const Value::Content& found, const char* wanted) {
  throw Error(Error::Kind::bad_input, {{.text = fmt::format("the value is {}, not {}", kinds[found.index()], wanted)}});
}

}  // namespace

std::size_t Value::size() const noexcept {
  if (const List* all = std::get_if<List>(&content_)) return all->size();
  const Map* all = std::get_if<Map>(&content_);
  return all != nullptr ? all->size() : 0;
}

const Value* Value::find(std::string_view key) const noexcept {
  const Map* const all = std::get_if<Map>(&content_);
  if (all == nullptr) return nullptr;
  for (const Entry& entry : *all)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

const Value& Value::operator[](std::string_view key) const {
  if (const Value* found = find(key)) return *found;
  std::vector<std::string_view> names;
  for (const Entry& entry : map()) names.push_back(entry.key);
  throw Error(Error::Kind::bad_input,
              {{.text = fmt::format("there is no {}", host::show(key)),
                .remedy = host::did_you_mean(key, names) + "There are: " + host::listing(names) + "."}});
}

const Value& Value::item(std::int64_t index) const {
  if (index >= 0 && static_cast<std::size_t>(index) < list().size()) return list()[static_cast<std::size_t>(index)];
  throw Error(Error::Kind::bad_input, {{.text = fmt::format("there is no item {} among {}", index, list().size())}});
}

double Value::number() const {
  if (const double* d = std::get_if<double>(&content_)) return *d;
  if (const std::int64_t* i = std::get_if<std::int64_t>(&content_)) return static_cast<double>(*i);
  if (is_nothing()) return std::numeric_limits<double>::quiet_NaN();  // what is no finite number
  wrong_kind(content_, "a number");
}

bool Value::boolean() const {
  if (const bool* b = std::get_if<bool>(&content_)) return *b;
  wrong_kind(content_, "a boolean");
}

const std::string& Value::text() const {
  if (const std::string* s = std::get_if<std::string>(&content_)) return *s;
  wrong_kind(content_, "a text");
}

const Value::List& Value::list() const {
  if (const List* l = std::get_if<List>(&content_)) return *l;
  wrong_kind(content_, "a list");
}

const Value::Map& Value::map() const {
  if (const Map* m = std::get_if<Map>(&content_)) return *m;
  wrong_kind(content_, "a map");
}

std::vector<double> Value::numbers() const {
  std::vector<double> all;
  for (const Value& item : list()) all.push_back(item.number());
  return all;
}

// The depth of what is converted is bounded, so recursion is safe.
Value value_of(const apps::Json& json) {
  switch (json.type()) {
    case apps::Json::value_t::boolean: return Value(json.get<bool>());
    case apps::Json::value_t::number_integer:
    case apps::Json::value_t::number_unsigned: return Value(json.get<std::int64_t>());
    case apps::Json::value_t::number_float: return Value(json.get<double>());
    case apps::Json::value_t::string: return Value(json.get<std::string>());
    case apps::Json::value_t::array: {
      Value::List list;
      for (const apps::Json& item : json) list.push_back(value_of(item));
      return Value(std::move(list));
    }
    case apps::Json::value_t::object: {
      Value::Map map;
      for (const auto& [key, item] : json.items()) map.push_back({key, value_of(item)});
      return Value(std::move(map));
    }
    default: return {};
  }
}

}  // namespace polyform::library

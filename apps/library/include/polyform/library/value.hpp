// A tree of values: what the command prints with --json, as data.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "polyform/library/error.hpp"

namespace polyform::library {

/// An entry of a map.
template <class V>
struct EntryOf {
  std::string key;
  V value;
};

/// Nothing, a boolean, an integer, a number, a text, a list, or a map in the order in which it was made.
class POLYFORM_SHOWN Value {
 public:
  using Entry = EntryOf<Value>;
  using List = std::vector<Value>;
  using Map = std::vector<Entry>;
  using Content = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Map>;

  Value() = default;
  Value(Content content) : content_(std::move(content)) {}

  const Content& content() const noexcept { return content_; }
  bool is_nothing() const noexcept { return content_.index() == 0; }
  /// The number of entries of a list or map; 0 for anything else.
  std::size_t size() const noexcept;
  bool has(std::string_view key) const noexcept { return find(key) != nullptr; }

  /// An entry of a map, or an item of a list. Error (bad_input) if there is none; one for a key tells those there.
  const Value& operator[](std::string_view key) const;
  const Value& operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  template <std::integral Index>  // of any type: 0 is a pointer, too
  requires(!std::same_as<Index, bool> && !std::same_as<Index, char>) const Value& operator[](Index index) const {
    return item(static_cast<std::int64_t>(index));
  }
  /// Error (bad_input) if it is something else.
  double number() const;
  bool boolean() const;
  const std::string& text() const;
  const List& list() const;
  const Map& map() const;
  /// A list of numbers.
  std::vector<double> numbers() const;

 private:
  const Value* find(std::string_view key) const noexcept;
  const Value& item(std::int64_t index) const;

  Content content_;
};

}  // namespace polyform::library

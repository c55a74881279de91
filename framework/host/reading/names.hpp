// Names of bodies and joints, and what they refer to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

/// The numbers of items by name. The items of a chain have the names `<chain>[k]` + suffix, which are not stored.
class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(std::string_view suffix) : suffix_(suffix) {}

  /// False when the name is taken; the first one stays.
  bool add(std::string_view name, std::int32_t number, Place place = {});
  void add_chain(std::string_view chain, std::int32_t first, std::int64_t count);
  /// A chain whose count could not be read: its names are neither found nor wrong.
  void add_broken_chain(std::string_view chain) { add_chain(chain, 0, unknown); }
  std::optional<std::int32_t> find(std::string_view name) const;
  /// Whether the name is that of a broken chain's item, so that not finding it proves nothing.
  bool unsure(std::string_view name) const;
  Place place_of(std::string_view name) const;
  /// A sentence with the name that may have been meant; "" if none is near.
  std::string suggestion(std::string_view wrong) const;

 private:
  static constexpr std::int64_t unknown = -1;
  struct Single {
    std::int32_t number;
    Place place;
  };
  struct Chain {
    std::int32_t first;
    std::int64_t count;
  };
  std::string_view suffix_;
  std::unordered_map<std::string, Single> singles_;
  std::unordered_map<std::string, Chain> chains_;
};

/// All names that values of the file may refer to.
struct Names {
  NameIndex bodies, joints{".joint"};
};

/// The body or joint a value names; nothing after a report. 'ground' is a body.
std::optional<BodyIndex> read_body(const Value&, const Names&);
std::optional<JointIndex> read_joint(const Value&, const Names&);

/// False after a report if the text has characters that no name may have, such as those that steer a terminal.
bool is_printable(const Value&, std::string_view text);
/// The name of an item, which must be fit for the names of output columns, with those of the placed parts that it
/// stands in before it; nothing after a report.
std::optional<std::string> read_name(const Value&);

}  // namespace polyform::host::reading

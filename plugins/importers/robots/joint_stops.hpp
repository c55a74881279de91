// The ends of a joint's way and its dry friction.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "mechanism.hpp"
#include "mimics.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

/// From this size on, a number that ends something stands for no end: formats write such numbers.
inline constexpr double endless = 1e15;

struct JointRange {
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;  ///< from the drawn position, m or rad

  bool ends_below() const { return lower > -endless; }
  bool ends_above() const { return upper < endless; }
  bool ends() const { return ends_below() || ends_above(); }
};

inline constexpr std::string_view limits_dropped =
    "a joint moves beyond its limits; with the option limits=keep it does not";
inline constexpr std::string_view friction_dropped = "left out; with the option friction=keep it acts";
inline constexpr std::string_view no_drives = "drives are not modelled";

/// The ends of the way of a joint as a file gives them. Of a ball the range is that of the angle of its whole rotation.
struct JointLimit {
  std::string joint;  ///< its name in the model
  JointRange range;
  std::size_t coordinate = 0, coordinates = 1;  ///< which one it is of how many
  bool is_ball = false;
  Place place{};
  Element element{};                ///< that gives the ends
  std::vector<const char*> ends{};  ///< its attributes; empty: they are elements within it
};

/// Adds limits without give. A joint that is drawn beyond its limits begins at their end, and those that follow it
/// begin where it puts them. Limits that cannot be kept are marked as not honoured.
void add_limits(Mechanism&, NameGiver&, const std::vector<JointLimit>&, const Mimics&, Ledger&);
/// Adds friction that sticks and slides with this effort, in one of the joint's coordinates.
void add_dry_friction(Mechanism&, NameGiver&, const Joint&, double effort, std::size_t coordinate = 0,
                      std::size_t coordinates = 1);

}  // namespace polyform::importers

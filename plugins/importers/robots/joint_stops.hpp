// The ends of a joint's way and its dry friction.
#pragma once

#include <limits>
#include <string>

#include "mechanism.hpp"

namespace polyform::importers {

struct JointRange {
  double lower = -std::numeric_limits<double>::infinity(), upper = -lower;  ///< from the drawn position, m or rad
};

inline constexpr std::string_view limits_dropped =
    "a joint moves beyond its limits; with the option limits=keep it does not";
inline constexpr std::string_view friction_dropped = "left out; with the option friction=keep it acts";
inline constexpr std::string_view no_drives = "drives are not modelled";

/// Adds a limit without give to the joint. A joint that is drawn beyond the limit begins at its end, which the ledger
/// learns. False if there is no way between the ends.
bool add_limit(Mechanism&, NameGiver&, Joint&, JointRange, Ledger&, Place);
/// Adds friction that sticks and slides with this effort.
void add_dry_friction(Mechanism&, NameGiver&, const Joint&, double effort);

}  // namespace polyform::importers

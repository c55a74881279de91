// What keeps joints and modes from their given values, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

/// What may keep a joint from its given value, as the subject of a sentence with a negation: a constraint element on
/// its coordinates, otherwise everything that constrains the system.
std::string restraint_of(const SystemView&, std::size_t joint);
/// Everything that constrains the motion of the tree, as the subject of a sentence.
std::string restraint(const SystemView&);
/// Says which flexible bodies could not keep what was given of their modes. size: what moves the nodes by it is a
/// change of the size of the system, m or m/s. The tree of the start holds the deformation.
void warn_of_moved_modes(Start&, const std::vector<double>& given, const std::vector<double>& now, double size,
                         std::string_view what);

}  // namespace polyform::host::inline assembly

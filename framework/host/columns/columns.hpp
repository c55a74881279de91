// The columns a result may hold: whole groups, and those whose names match a pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polyform::host::inline columns {

/// modules: variables and states of modules. elements: states of forces, outputs and discrete states of all elements.
/// accelerations: of joints, bodies and modes. body_axes: velocities in body axes and Euler angles. violations: of each
/// joint and constraint element.
struct Columns {
  bool joints = true, bodies = true, energy = true, constraints = true, modules = true, elements = true;
  bool reactions = false, accelerations = false, body_axes = false, violations = false;
  std::string euler_angles = "zyx";        ///< of the body axes: see body_angles()
  std::vector<std::string> patterns = {};  ///< such as tip.* or *.q: see matches()
  /// Of patterns that are whole names: groups behind the last of these are not looked at, so that no column of theirs
  /// is known to have the same name. For systems of which this is known.
  bool names_differ = false;

  /// No group, or every one.
  static Columns none() { return {false, false, false, false, false, false, false, false, false, false}; }
  static Columns all() { return {true, true, true, true, true, true, true, true, true, true}; }
};

/// Whether a whole name fits a pattern, in which * stands for any characters and ? for one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace polyform::host::columns

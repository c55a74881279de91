// The columns a result may hold: whole groups, and those whose names match a pattern.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace polyform::host::inline simulation {

/// modules: variables and states of modules. elements: states of forces, outputs and discrete states of all elements.
/// accelerations: of joints, bodies and modes. violations: of each joint and constraint element.
struct Columns {
  bool joints = true, bodies = true, energy = true, constraints = true, modules = true, elements = true;
  bool reactions = false, accelerations = false, violations = false;
  std::vector<std::string> patterns = {};  ///< such as tip.* or *.q: see matches()
};

/// Whether a whole name fits a pattern, in which * stands for any characters and ? for one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace polyform::host::simulation

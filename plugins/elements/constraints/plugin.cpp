#include "polyform/contract/plugin.hpp"

#include "constraint_types.hpp"

POLYFORM_PLUGIN("elements", "standard-constraints", "1.0") {
  using namespace polyform::constraints;
  registrar.add(rolling_disc());
  registrar.add(knife_edge());
  registrar.add(prescribed_motion());
  registrar.add(joint_coupling());
  registrar.add(formula_constraint());
  registrar.add(sliding_friction());
}

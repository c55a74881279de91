#include "framework/conformance/batteries.hpp"

namespace polyform::host {

void check_constraint(const ConstraintType&, const Bench&, Checklist&) {}

}  // namespace polyform::host

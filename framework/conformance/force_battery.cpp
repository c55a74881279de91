#include "framework/conformance/batteries.hpp"

namespace polyform::host {

void check_force(const ForceType&, const Bench&, Checklist&) {}

}  // namespace polyform::host

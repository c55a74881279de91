#include "framework/conformance/batteries.hpp"

namespace polyform::host {

void check_formulation(const Formulation&, const Bench&, Checklist&) {}

}  // namespace polyform::host

#include "framework/conformance/batteries.hpp"

namespace polyform::host {

void check_flexible_body(const FlexibleBodyType&, const Bench&, Checklist&) {}

}  // namespace polyform::host

#include "framework/conformance/batteries.hpp"

namespace polyform::host {

void check_module(const ModuleType&, const Bench&, Checklist& list) {
  list.unsupported("its equations", "no formulation of this build carries modules yet");
}

}  // namespace polyform::host

// Groups of columns a result may hold.
#pragma once

namespace polyform::host {

struct Columns {
  bool joints = true, bodies = true, energy = true, constraints = true, modules = true, reactions = false;
};

}  // namespace polyform::host

#include "polyform/contract/plugin.hpp"

#include "robot_formats.hpp"

POLYFORM_PLUGIN("importer", "robot-formats", "1.0") {
  using namespace polyform::importers;
  registrar.add(urdf());
  registrar.add(sdf());
  registrar.add(mjcf());
}

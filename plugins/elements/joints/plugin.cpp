#include "polyform/contract/plugin.hpp"

#include "joint_types.hpp"

POLYFORM_PLUGIN("elements", "standard-joints", "1.0") {
  using namespace polyform::joints;
  registrar.add(fixed());
  registrar.add(revolute());
  registrar.add(prismatic());
  registrar.add(cylindrical());
  registrar.add(planar());
  registrar.add(universal());
  registrar.add(spherical());
  registrar.add(free());
  registrar.add(perpendicular());
  registrar.add(parallel());
  registrar.add(point_on_line());
  registrar.add(point_on_plane());
  registrar.add(cam());
  registrar.add(moving_hinge());
}

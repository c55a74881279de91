// What one link of a URDF file has.
#pragma once

#include "mechanism.hpp"
#include "mesh_files.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

/// The frame of <origin> in that of the element that has it; the same frame if there is none.
Frame read_urdf_origin(const Element& parent);
/// Mass properties in the frame of the link; none if it has no <inertial>.
MassProperties read_urdf_inertial(const Element& link, Reporter&);
/// The shape of a <visual> goes to the body, drawn alone, or that of a <collision>, which touches.
void read_urdf_visual(const Element&, MeshFiles&, Body&);
void read_urdf_collision(const Element&, MeshFiles&, Body&);

}  // namespace polyform::importers

// What one link of an SDF file has.
#pragma once

#include <string>

#include "mechanism.hpp"
#include "mesh_files.hpp"
#include "sdf_model.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

/// The number in the child of this name, or another if there is none.
double number_in(const Element& parent, const char* tag, double otherwise);
/// The number of an element that limits something; programs write inf and -inf where there is no limit.
double sdf_end(const Element& parent, const char* tag, double none);
/// Marks what an element of a world, model, link or joint has that has no place in a model.
void mark_foreign(const Element&);
/// Mass properties in the frame of the link: 1 kg and 1 kg m² where the file gives none, those of the collisions where
/// it asks for them (`auto`). name: of the link in the model. touches: whether collisions touch in the model too.
MassProperties read_sdf_inertial(const SdfModel&, const Element& link, const std::string& name, Reporter&, bool touches,
                                 Ledger&);
/// The shape of a <visual> goes to the body, drawn alone. link: its name in the model.
void read_sdf_visual(const SdfModel&, const Element& visual, const std::string& link, MeshFiles&, Body&);
/// The shape of a <collision> goes to the body, where it touches. touch: what is known of all shapes of the link.
void read_sdf_collision(const SdfModel&, const Element& collision, const std::string& link, Touch touch, MeshFiles&,
                        Body&);

}  // namespace polyform::importers

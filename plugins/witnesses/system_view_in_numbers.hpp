// Parts of the system view in the plain numbers of carried_body.hpp.
#pragma once

#include "carried_body.hpp"
#include "engine.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::witnesses {

/// What carries the outboard body of a joint. from_moving: the body is the joint's base, its carrier the moving body.
Carrying carrying(const JointData& joint, bool from_moving);
/// share: the part of mass and inertia that is told.
Inertia inertia_of(const BodyData& body, double share = 1);
/// Writes the wrenches of the loaded bodies to their places in numbers, six per body.
void put_wrenches(const Engine::Loads& loads, std::vector<double>& numbers);

}  // namespace polyform::witnesses

#pragma once

#include <memory>

#include "../carried_body.hpp"

namespace polyform::bullet {

/// A tree in Bullet. gravity: m/s², ground axes.
std::unique_ptr<witnesses::EngineTree> make_tree(const double gravity[3]);

}  // namespace polyform::bullet

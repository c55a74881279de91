#pragma once

#include <memory>

#include "../carried_body.hpp"

namespace polyform::dart_witness {

/// A tree in DART. gravity: m/s², ground axes.
std::unique_ptr<witnesses::EngineTree> make_tree(const double gravity[3]);

}  // namespace polyform::dart_witness

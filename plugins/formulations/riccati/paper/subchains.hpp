// A system, taken apart as in Algorithms A and B of Rui et al. 2020 (steps A1 and B1): chains of bodies between hinges,
// from their far ends to ground or to the one body with several inputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain.hpp"
#include "links.hpp"

namespace polyform::riccati::paper {

enum class Procedure { chain, branch };  ///< Algorithm A or B

/// A body, as the transfer passes it.
struct Passage {
  std::size_t body;
  Place input, output;
};

/// A chain from its far end (the tip) in the transfer direction.
struct Subchain {
  std::vector<Passage> bodies;
  Boundary tip = Boundary::free;
  Place at_hub;  ///< Algorithm B: where the chain hangs on the body with several inputs
};

/// Bodies that joints connect.
struct Connected {
  std::vector<Subchain> chains;    ///< one in Algorithm A
  std::optional<std::size_t> hub;  ///< the body with several inputs
  Boundary root = Boundary::free;  ///< of the chain's end, or of the output end of the hub
  Place output;                    ///< of the hub
};

struct Topology {
  Layout layout = space;
  Vec3 normal{0, 0, 1};  ///< of the plane
  std::vector<Connected> parts;
};

/// Takes a system of rigid bodies apart. links: placed as drawn. Nothing if the paper's procedure does not carry the
/// system; then `why` names the cause.
std::optional<Topology> take_apart(const SystemView&, const Links& links, Procedure, std::string& why);

/// The joint between two neighbours of a chain: the index of the outboard body, whose hinge it is.
std::size_t hinge_between(const Links&, std::size_t a, std::size_t b);

}  // namespace polyform::riccati::paper

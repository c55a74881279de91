// The cost of closed loops in a recursion over the spanning tree, told from the tree and its cut joints before anything
// is made.
//
// The columns of a cut joint pass every hinge on its two paths to the common ancestor (loop_closure.hpp). A hinge that
// r rows pass adds r²/2 products per direction to the compliance of the loops, and a loop is eliminated against all
// rows that it shares a hinge with. A constraint element is one more such loop, with a path for each of its frames, to
// ground if it has markers. So the cost is linear as long as loops are local, and grows with the cube of their number
// if all of them pass one hinge.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/evaluation_cost.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// A spanning tree: per body its parent (`ground` if it hangs on ground), parents before children, and the number of
/// directions of its hinge; and the cut joints.
struct LoopedTree {
  static constexpr std::size_t ground = static_cast<std::size_t>(-1);
  struct Cut {
    std::size_t base, moving, rows;
  };
  /// Rows of a constraint element.
  struct Constraint {
    std::vector<std::size_t> bodies;  ///< on which they act; ground if they ask for a motion against it
    std::size_t rows = 0;
  };
  std::span<const std::size_t> parents, directions;
  std::span<const Cut> cuts;
  std::span<const Constraint> constraints{};
};

/// The cost of an evaluation. Throws std::bad_alloc.
EvaluationCost recursion_cost(const LoopedTree&);
EvaluationCost recursion_cost(const SystemView&);
/// How many times a row passes a hinge, over all rows that close the tree. Throws std::bad_alloc.
double rows_at_hinges(const SystemView&);

}  // namespace polyform

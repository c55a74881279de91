#include "polyform/solvers/recursion_cost.hpp"

#include <algorithm>
#include <new>
#include <vector>

#include "polyform/contract/cost_model.hpp"

namespace polyform {
namespace {

// Multiplications, counted in the kernels of the recursion and of the loops.
constexpr double of_body = 600;           // both passes and the elimination of a hinge
constexpr double of_row_at_hinge = 60;    // a column through one hinge and its shift to the next
constexpr double of_pair_at_hinge = 0.3;  // per direction and pair of rows; several are made at once
constexpr double of_pair_of_row =
    0.24;  // elimination of a row from all pairs of rows that it meets, where they are many

/// Calls visit(body) for every body whose hinge is on the way between the two bodies of a cut joint.
template <class Visit>
void on_paths(const LoopedTree& tree, const LoopedTree::Cut& cut, const Visit& visit) {
  std::size_t a = cut.base, b = cut.moving;
  while (a != b) {
    // Parents stand before their children: of two bodies the later one is no ancestor of the other.
    std::size_t& later = b == LoopedTree::ground || (a != LoopedTree::ground && a > b) ? a : b;
    visit(later);
    later = tree.parents[later];
  }
}

}  // namespace

EvaluationCost recursion_cost(const LoopedTree& tree) {
  EvaluationCost cost;
  cost.operations = of_body * static_cast<double>(tree.parents.size());
  if (tree.cuts.empty()) return cost;
  std::vector<std::size_t> rows(tree.parents.size()), loops(tree.parents.size());
  for (const LoopedTree::Cut& cut : tree.cuts)
    on_paths(tree, cut, [&](std::size_t body) {
      rows[body] += cut.rows;
      ++loops[body];
    });
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const double r = static_cast<double>(rows[b]), l = static_cast<double>(loops[b]);
    cost.operations += of_row_at_hinge * r + of_pair_at_hinge * static_cast<double>(tree.directions[b]) * r * r / 2;
    // Columns, and the places of the pairs of loops: once, and while they are collected.
    cost.bytes += 100 * r + 24 * l * l / 2;
    if (rows[b] > cost.rows) {
      cost.rows = rows[b];
      cost.widest = b;
    }
  }
  for (const LoopedTree::Cut& cut : tree.cuts) {
    std::size_t widest = cut.rows;
    on_paths(tree, cut, [&](std::size_t body) { widest = std::max(widest, rows[body]); });
    const double met = static_cast<double>(widest), own = static_cast<double>(cut.rows);
    cost.operations += of_pair_of_row * own * met * met;
    cost.bytes += 8 * own * met;
  }
  return cost;
}

EvaluationCost recursion_cost(const SystemView& view) {
  std::vector<std::size_t> parents, directions;
  std::vector<LoopedTree::Cut> cuts;
  const auto place = [](BodyIndex b) { return is_ground(b) ? LoopedTree::ground : at(b); };
  for (const JointData& joint : view.tree_joints()) {
    parents.push_back(place(joint.inboard()));
    directions.push_back(joint.nv);
  }
  for (const JointData& joint : view.cut_joints())
    cuts.push_back({place(joint.base), place(joint.moving), 6 - joint.nv});
  return recursion_cost(LoopedTree{parents, directions, cuts});
}

void RecursionCostModel::estimate(const SystemView& view, EvaluationCost& out) const noexcept {
  try {
    const EvaluationCost cost = recursion_cost(view);
    out.operations = cost.operations;
    out.bytes = cost.bytes;
    out.widest = cost.widest;
    out.rows = cost.rows;
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace polyform

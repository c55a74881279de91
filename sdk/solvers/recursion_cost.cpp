#include "polyform/solvers/recursion_cost.hpp"

#include <algorithm>
#include <new>
#include <numeric>
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

/// Calls visit(body) for every body whose hinge lies between bodies on which rows act.
template <class Visit>
void on_paths(const LoopedTree& tree, std::vector<std::size_t> bodies, const Visit& visit) {
  // Parents stand before their children: so the last of several bodies is no ancestor of the others. Ground is before
  // all.
  const auto before = [](std::size_t a, std::size_t b) { return a + 1 < b + 1; };
  static_assert(LoopedTree::ground + 1 == 0);
  std::ranges::sort(bodies, before);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  while (bodies.size() > 1) {
    const std::size_t last = bodies.back();
    bodies.pop_back();
    visit(last);
    const auto place = std::ranges::lower_bound(bodies, tree.parents[last], before);
    if (place == bodies.end() || *place != tree.parents[last]) bodies.insert(place, tree.parents[last]);
  }
}

/// Calls visit(bodies, rows) for all constraints that close the tree.
template <class Visit>
void each_loop(const LoopedTree& tree, const Visit& visit) {
  for (const LoopedTree::Cut& cut : tree.cuts) visit(std::vector{cut.base, cut.moving}, cut.rows);
  for (const LoopedTree::Constraint& constraint : tree.constraints) visit(constraint.bodies, constraint.rows);
}

/// Per body the rows, and the loops, that pass its hinge.
struct Passing {
  explicit Passing(const LoopedTree& tree) : rows(tree.parents.size()), loops(tree.parents.size()) {
    each_loop(tree, [&](const std::vector<std::size_t>& bodies, std::size_t own) {
      on_paths(tree, bodies, [&](std::size_t body) {
        rows[body] += own;
        ++loops[body];
      });
    });
  }
  std::vector<std::size_t> rows, loops;
};

/// Calls use(tree) with the spanning tree of a system, and returns what that gives.
template <class Use>
auto with_tree(const SystemView& view, const Use& use) {
  std::vector<std::size_t> parents, directions;
  std::vector<LoopedTree::Cut> cuts;
  std::vector<LoopedTree::Constraint> constraints;
  const auto place = [](BodyIndex b) { return is_ground(b) ? LoopedTree::ground : at(b); };
  for (const JointData& joint : view.tree_joints()) {
    parents.push_back(place(joint.inboard()));
    directions.push_back(joint.nv);
  }
  for (const JointData& joint : view.cut_joints())
    cuts.push_back({place(joint.base), place(joint.moving), 6 - joint.nv});
  const auto add_constraints = [&](const auto& group, const auto& rows_of) {
    std::size_t joint = 0;
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      LoopedTree::Constraint& constraint = constraints.emplace_back();
      constraint.rows = rows_of(i);
      for (const Marker& marker : group.instances[i].markers) {
        constraint.bodies.push_back(place(marker.body));
        constraint.bodies.push_back(LoopedTree::ground);
      }
      for (std::size_t k = 0; k < group.instances[i].joints.size(); ++k, ++joint) {
        const JointData& joined = view.joints[at(group.joints[joint])];
        constraint.bodies.push_back(place(joined.base));
        constraint.bodies.push_back(place(joined.moving));
      }
    }
  };
  for (const ConstraintInstances& group : view.constraints)
    add_constraints(group, [&](std::size_t i) { return group.rows[i]; });
  for (const ModuleInstances& group : view.modules)
    add_constraints(group, [&](std::size_t) { return group.type->rows().size(); });
  return use(LoopedTree{parents, directions, cuts, constraints});
}

}  // namespace

EvaluationCost recursion_cost(const LoopedTree& tree) {
  EvaluationCost cost;
  cost.operations = of_body * static_cast<double>(tree.parents.size());
  if (tree.cuts.empty() && tree.constraints.empty()) return cost;
  const Passing passing(tree);
  const std::vector<std::size_t>&rows = passing.rows, &loops = passing.loops;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const double r = static_cast<double>(rows[b]), l = static_cast<double>(loops[b]);
    cost.operations += of_row_at_hinge * r + of_pair_at_hinge * static_cast<double>(tree.directions[b]) * r * r / 2;
    // Columns, and the places of the pairs of loops; these are in memory twice while they are collected.
    cost.bytes += 100 * r + 24 * l * l / 2;
    if (rows[b] > cost.rows) {
      cost.rows = rows[b];
      cost.widest = b;
    }
  }
  each_loop(tree, [&](const std::vector<std::size_t>& bodies, std::size_t rows_of_loop) {
    std::size_t widest = rows_of_loop;
    on_paths(tree, bodies, [&](std::size_t body) { widest = std::max(widest, rows[body]); });
    const double met = static_cast<double>(widest), own = static_cast<double>(rows_of_loop);
    cost.operations += of_pair_of_row * own * met * met;
    cost.bytes += 8 * own * met;
  });
  return cost;
}

EvaluationCost recursion_cost(const SystemView& view) {
  return with_tree(view, [](const LoopedTree& tree) { return recursion_cost(tree); });
}

double rows_at_hinges(const SystemView& view) {
  return with_tree(view, [](const LoopedTree& tree) {
    const Passing passing(tree);
    return std::accumulate(passing.rows.begin(), passing.rows.end(), 0.0,
                           [](double sum, std::size_t rows) { return sum + static_cast<double>(rows); });
  });
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

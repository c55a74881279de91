// The cost of an evaluation by this formulation, for the host's choice of a solver.
#pragma once

#include <algorithm>
#include <new>

#include "polyform/contract/cost_model.hpp"
#include "polyform/solvers/recursion_cost.hpp"

namespace polyform::thompson {

/// The cost is linear in the bodies of trees. Rows that close a tree leave a dense matrix of the freedoms f; each of
/// its columns is a sweep over the bodies. The rows are eliminated from what they have at each hinge.
class ThompsonCostModel final : public CostModel {
 public:
  void estimate(const SystemView& view, EvaluationCost& out) const noexcept override {
    const double bodies = static_cast<double>(view.bodies.size());
    double rows = 0, variables = 0;
    for (const JointData& cut : view.cut_joints()) rows += static_cast<double>(6 - cut.nv);
    for (const ConstraintInstances& group : view.constraints)
      for (std::size_t i = 0; i < group.instances.size(); ++i) rows += static_cast<double>(group.rows[i]);
    for (const ModuleInstances& group : view.modules) {
      const double count = static_cast<double>(group.instances.size());
      rows += count * static_cast<double>(group.type->rows().size());
      variables += count * static_cast<double>(group.type->variables().size());
    }
    out.operations = of_body * bodies;
    out.bytes = bytes_of_body * bodies;
    if (rows == 0) return;
    const double freedoms = std::max(static_cast<double>(view.nv_tree + view.modes) + variables - rows, 1.0);
    try {
      out.operations = of_closed_body * bodies + of_pair_at_body * freedoms * freedoms * bodies +
                       of_row_at_hinge * rows_at_hinges(view);
      out.bytes += 8 * (freedoms * freedoms + rows * rows);
    } catch (const std::bad_alloc&) {
      out.operations = 0;
    }
  }

 private:
  // Multiplications, measured relative to those of the recursion. The rows of a ladder of 100, 200 and 300 cells with
  // all loops through one hinge cost 90 for each hinge that they pass; the elimination of local loops costs next to
  // nothing.
  static constexpr double of_body = 3000, of_closed_body = 6000, of_pair_at_body = 2, of_row_at_hinge = 90,
                          bytes_of_body = 5000;
};

}  // namespace polyform::thompson

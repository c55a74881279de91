#include "framework/host/evaluation/absent_constraints.hpp"

#include <algorithm>

#include "polyform/contract/equations.hpp"

namespace polyform::host::inline evaluation {

std::vector<bool> absent_constraints(const SystemView& view, Solver& solver) {
  const auto* equations = ask<Equations>(solver);
  if (equations == nullptr) return {};
  std::vector<std::size_t> rows;
  for (const JointData& joint : view.joints) rows.push_back(6 - joint.nv);
  for (const ConstraintInstances& group : view.constraints)
    rows.insert(rows.end(), group.rows.begin(), group.rows.end());
  if (equations->constraints() < rows.size()) return {};
  std::vector<bool> absent(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) absent[i] = rows[i] > 0 && equations->constraint(i).rows == 0;
  return std::find(absent.begin(), absent.end(), true) == absent.end() ? std::vector<bool>() : absent;
}

}  // namespace polyform::host::evaluation

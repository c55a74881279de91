// Degrees of freedom and redundant constraints, from the rank of their Jacobian in tree coordinates and modes.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>

#include "framework/assembly/constraint_jacobian.hpp"
#include "framework/assembly/parts.hpp"

namespace polyform::host {

ConstraintCount System::count_constraints() const {
  const SystemView& view = parts_->view;
  ConstraintCount count;
  count.degrees_of_freedom = view.nv_tree + view.modes;
  if (view.cut_joints().empty() && view.constraints.empty() && view.modules.empty()) return count;
  std::vector<double> q = parts_->q, v = parts_->v, eta = parts_->eta, etadot = parts_->etadot, x = parts_->x;
  ConstraintJacobian jacobian(view);
  const StateView state{q, v, eta, etadot, x};
  jacobian.evaluate(0, state);
  if (!view.modules.empty()) jacobian.add_module_rows(0, state);
  const std::size_t rows = jacobian.rows().size();
  if (rows == 0) return count;
  // Rows without any entry are redundant by themselves, and would only slow the factorization down.
  std::vector<int> place(rows, -1);
  for (const auto& entry : jacobian.entries()) place[entry.row] = 0;
  int filled = 0;
  for (int& at : place)
    if (at == 0) at = filled++;
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& e : jacobian.entries()) entries.emplace_back(place[e.row], static_cast<int>(e.column), e.value);
  Eigen::SparseMatrix<double> J(filled, static_cast<Eigen::Index>(std::max<std::size_t>(view.nv_tree + view.modes, 1)));
  J.setFromTriplets(entries.begin(), entries.end());
  J.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(1e-9);
  if (filled > 0) qr.compute(J);
  const Eigen::Index rank = filled > 0 ? qr.rank() : 0;
  count.degrees_of_freedom -= static_cast<std::size_t>(rank);
  count.redundant = rows - static_cast<std::size_t>(rank);
  if (count.redundant == 0) return count;

  // A joint takes part in the redundancy when some mu with Jᵀ mu = 0 loads it; a mu of random composition loads all.
  std::uint64_t seed = 1;
  const auto random = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return 0.5 + static_cast<double>(seed >> 11) * 0x1p-53;
  };
  Eigen::VectorXd z = Eigen::VectorXd::Zero(filled);
  for (Eigen::Index i = rank; i < filled; ++i) z[i] = random();
  if (filled > 0) z = qr.matrixQ() * z;
  std::vector<double> mu(rows);
  for (std::size_t r = 0; r < rows; ++r) mu[r] = place[r] < 0 ? random() : z[place[r]];
  const std::vector<char> named = jacobian.loaded_joints(mu);
  for (const JointIndex j : parts_->joint_of)
    if (named[at(j)] != 0) count.redundant_joints.emplace_back(view.joints[at(j)].name);
  return count;
}

}  // namespace polyform::host

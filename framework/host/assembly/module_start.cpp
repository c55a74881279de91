#include "framework/host/assembly/module_start.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "framework/host/assembly/nearest_rates.hpp"

namespace polyform::host::inline assembly {

bool has_holonomic_modules(const SystemView& view) {
  return std::ranges::any_of(view.modules, [](const ModuleInstances& group) {
    return std::ranges::any_of(group.type->rows(), &Variable::holonomic);
  });
}

bool ModuleStart::fit_positions() {
  ModuleSet modules(start_.view(), start_.centred.origin());
  if (modules.empty()) return true;
  const std::vector<double> still(start_.view().nv), still_modes(start_.view().modes);
  start_.tree.evaluate(start_.parts.q.data(), still.data(), start_.parts.eta.data(), still_modes.data());
  std::vector<double> before(modules.modules().size(), -1.0);
  bool moved = true;
  for (int round = 0; moved && round < 20; ++round) {
    moved = false;
    modules.evaluate(start_.time(), start_.tree.frames(), start_.parts.q, still, start_.parts.x);
    for (std::size_t i = 0; i < modules.modules().size(); ++i)
      moved = fit_integrals(modules.modules()[i], before[i]) || moved;
  }
  modules.evaluate(start_.time(), start_.tree.frames(), start_.parts.q, still, start_.parts.x);
  for (const ModuleSet::Module& m : modules.modules())
    for (std::size_t r = 0; r < m.rows.rows; ++r) {
      if (!m.rows.is_holonomic(r) || std::abs(m.rows.residual[r]) <= unsaid * size_of_row(m, r)) continue;
      start_.diagnostics.error(
          fmt::format("the rows of module `{}` cannot be met at the initial positions: off by {:.3g}", m.rows.name,
                      std::abs(m.rows.residual[r])),
          "change the initial positions of its joints or bodies");
      return false;
    }
  return true;
}

/// The change of a row by a turn by 1 rad, a shift by the length of the system, or the variables' own integrals.
double ModuleStart::size_of_row(const ModuleSet::Module& m, std::size_t row) const {
  double size = 0;
  for (const Spatial& a : m.rows.A.subspan(row * m.rows.markers.size(), m.rows.markers.size()))
    size = std::max({size, norm(a.angular), start_.length * norm(a.linear)});
  const double* B = m.rows.B.data() + row * m.rows.velocities;
  for (const JointIndex j : m.rows.joints)
    for (std::size_t k = 0; k < start_.view().joints[at(j)].nv; ++k, ++B) {
      const bool is_tree = at(j) < start_.view().bodies.size();  // of a cut joint the motion is not known here
      const Spatial h = is_tree ? start_.tree.joints()[at(j)].H[k] : Spatial{{1, 0, 0}, {}};
      const double turn = std::max(norm(h.angular), norm(h.linear) / start_.length);
      size = std::max(size, turn > 0 ? std::abs(*B) / turn : 0);
    }
  for (const ModuleSet::Module::Integral& i : m.integrals)
    size = std::max(size, std::abs(m.A[row * m.variables + i.variable] * start_.parts.x[i.state]));
  return size;
}

/// One step of Newton's method; false if nothing is left to gain.
bool ModuleStart::fit_integrals(const ModuleSet::Module& m, double& before) {
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < m.rows.rows; ++r)
    if (m.rows.is_holonomic(r)) rows.push_back(r);
  if (rows.empty() || m.integrals.empty()) return false;
  const auto count = static_cast<Eigen::Index>(rows.size()), size = static_cast<Eigen::Index>(m.integrals.size());
  Eigen::MatrixXd A(count, size);
  Eigen::VectorXd residual(count), unit(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const std::size_t variable = m.integrals[static_cast<std::size_t>(k)].variable;
    const double own = m.M[variable * (m.variables + 1)];
    unit[k] = own > 0 ? 1 / std::sqrt(own) : 1;
    for (Eigen::Index r = 0; r < count; ++r)
      A(r, k) = m.A[rows[static_cast<std::size_t>(r)] * m.variables + variable] * unit[k];
  }
  for (Eigen::Index r = 0; r < count; ++r) residual[r] = m.rows.residual[rows[static_cast<std::size_t>(r)]];
  const double open = residual.norm();
  if (open == 0 || (before >= 0 && !(open < 0.25 * before))) return false;
  before = open;
  const Eigen::VectorXd step = unit.cwiseProduct(A.completeOrthogonalDecomposition().solve(residual));
  for (Eigen::Index k = 0; k < size; ++k) start_.parts.x[m.integrals[static_cast<std::size_t>(k)].state] -= step[k];
  return true;
}

/// The largest rate that the model gives, rad/s or m/s: what others cancel of it leaves its rounding.
double ModuleStart::fastest_given() const {
  double fastest = 0;
  for (const JointItem& joint : start_.parts.description.joints)
    for (const double v : joint.initial_velocity) fastest = std::max(fastest, std::abs(v));
  for (const BodyItem& body : start_.parts.description.bodies)
    for (const auto& v : {body.velocity, body.angular_velocity})
      if (v) fastest = std::max(fastest, norm(*v));
  return fastest;
}

void ModuleStart::fit_variables() {
  ModuleSet modules(start_.view(), start_.centred.origin());
  start_.tree.evaluate(start_.parts.q.data(), start_.parts.v.data(), start_.parts.eta.data(),
                       start_.parts.etadot.data());
  modules.evaluate(start_.time(), start_.tree.frames(), start_.parts.q, start_.parts.v, start_.parts.x);
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * fastest_given();
  for (const ModuleSet::Module& m : modules.modules()) {
    const auto rows = static_cast<Eigen::Index>(m.rows.rows), size = static_cast<Eigen::Index>(m.variables);
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Eigen::VectorXd> u(start_.parts.x.data() + m.u, size);
    Matrix A = Eigen::Map<const Matrix>(m.A.data(), rows, size);
    Eigen::VectorXd left = Eigen::Map<const Eigen::VectorXd>(m.rows.velocity_right.data(), rows) - A * u;
    Eigen::VectorXd terms = left.cwiseAbs() + A.cwiseAbs() * u.cwiseAbs();  // of which what is left is rounding
    for (Eigen::Index r = 0; r < rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      left[r] -= velocity_of_row(start_.view(), m.rows, row, start_.parts.v);
      for (std::size_t k = 0; k < m.rows.markers.size(); ++k) {
        const Spatial& a = m.rows.A[row * m.rows.markers.size() + k];
        terms[r] += norm(a.angular) * norm(m.rows.motions[k].angular_velocity);
        terms[r] += norm(a.linear) * norm(m.rows.motions[k].velocity);
      }
      const double* b = m.rows.B.data() + row * m.rows.velocities;
      for (const JointIndex j : m.rows.joints)
        for (std::size_t k = 0; k < start_.view().joints[at(j)].nv; ++k, ++b)
          terms[r] +=
              std::abs(*b) * (std::abs(start_.parts.v[start_.view().joints[at(j)].v_offset + k]) + rounding / met);
    }
    if (left.size() == 0 || left.isZero(0)) continue;
    Eigen::VectorXd unit(size);
    for (Eigen::Index k = 0; k < size; ++k) {
      const double own = m.M[static_cast<std::size_t>(k * (size + 1))];
      unit[k] = own > 0 ? 1 / std::sqrt(own) : 1;
    }
    if (size > 0) {
      const Eigen::VectorXd step =
          unit.cwiseProduct((A * unit.asDiagonal()).completeOrthogonalDecomposition().solve(left));
      u += step;
      left -= A * step;
      terms += A.cwiseAbs() * step.cwiseAbs();
    }
    if ((left.cwiseAbs().array() > met * terms.array()).any())
      start_.diagnostics.error(
          fmt::format("module `{}` cannot follow the initial motion of what it is attached to: its rows "
                      "are off by {:.3g}",
                      m.rows.name, left.lpNorm<Eigen::Infinity>()),
          "change the initial velocities of its joints or bodies");
  }
}

}  // namespace polyform::host::inline assembly

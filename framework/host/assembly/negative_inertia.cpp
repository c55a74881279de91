#include "framework/host/assembly/negative_inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/inertia_metric.hpp"
#include "framework/host/assembly/parts.hpp"

namespace polyform::host::inline assembly {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Dense matrices of this size have their eigenvalues in a second.
constexpr std::size_t most_together = 500;
/// Part of the inertia of each joint: less is rounding of it.
constexpr double rounding_of_inertia = 1e-9;

bool has_negative_moment(const BodyData& body) {
  const Sym3& J = body.inertia;
  Eigen::Matrix3d tensor;
  tensor << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
  const double size = tensor.cwiseAbs().maxCoeff();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor, Eigen::EigenvaluesOnly);
  return principal.eigenvalues()[0] < -rounding_of_inertia * size;
}

/// Twists of all bodies at unit rates, and the inertia of these rates.
class RateInertia {
 public:
  explicit RateInertia(const System::Parts& parts)
      : parts_(parts), n_(static_cast<Index>(parts.view.nv_tree)), metric_(parts.view) {
    const SystemView& view = parts.view;
    TreeKinematics tree(view);
    std::vector<double> v(view.nv), etadot(view.modes);
    tree.evaluate(parts.q.data(), v.data(), parts.eta.data(), etadot.data());
    metric_.evaluate(tree.frames(), parts.eta);
    const MatrixXd still = twists(tree.bodies());
    for (Index k = 0; k < n_; ++k) {
      v[static_cast<std::size_t>(k)] = 1;
      tree.evaluate(parts.q.data(), v.data(), parts.eta.data(), etadot.data());
      v[static_cast<std::size_t>(k)] = 0;
      unit_.push_back(twists(tree.bodies()) - still);
    }
    sizes_ = VectorXd::Zero(n_);
    for (Index k = 0; k < n_; ++k)
      for (std::size_t b = 0; b < view.bodies.size(); ++b) sizes_[k] += std::abs(product(b, k, k));
  }

  /// The rates of the most negative kinetic energy beside their size, at allowed rates; nothing where there are none.
  std::optional<VectorXd> most_negative() const {
    if (static_cast<std::size_t>(n_) > most_together) return most_negative_alone();
    MatrixXd M(n_, n_);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t b = 0; b < parts_.view.bodies.size(); ++b) sum += product(b, i, j);
        M(i, j) = M(j, i) = sum * scale(i) * scale(j);
      }
    const MatrixXd free = allowed();
    if (free.cols() == 0) return std::nullopt;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(free.transpose() * M * free);
    if (!(eigen.eigenvalues()[0] < -rounding_of_inertia)) return std::nullopt;
    VectorXd rates = free * eigen.eigenvectors().col(0);
    for (Index k = 0; k < n_; ++k) rates[k] *= scale(k);
    return rates;
  }

  /// Twice the kinetic energy of a body.
  double energy(std::size_t body, const VectorXd& rates) const {
    Eigen::Matrix<double, 6, 1> twist = Eigen::Matrix<double, 6, 1>::Zero();
    for (Index k = 0; k < n_; ++k) twist += rates[k] * unit_[static_cast<std::size_t>(k)].col(static_cast<Index>(body));
    return twist.dot(metric_[body].topLeftCorner<6, 6>() * twist);
  }
  /// The tree joint that carries the largest part of it.
  std::string_view joint_of(const VectorXd& rates) const {
    Index k = 0;
    for (Index i = 1; i < n_; ++i)
      if (std::abs(rates[i]) / scale(i) > std::abs(rates[k]) / scale(k)) k = i;
    for (const JointData& joint : parts_.view.tree_joints())
      if (static_cast<std::size_t>(k) >= joint.v_offset && static_cast<std::size_t>(k) < joint.v_offset + joint.nv)
        return joint.name;
    return {};
  }

 private:
  MatrixXd twists(std::span<const BodyMotion> bodies) const {
    MatrixXd all(6, static_cast<Index>(bodies.size()));
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const Spatial& V = bodies[b].V;
      all.col(static_cast<Index>(b)) << V.angular.x, V.angular.y, V.angular.z, V.linear.x, V.linear.y, V.linear.z;
    }
    return all;
  }
  double product(std::size_t body, Index i, Index j) const {
    const auto b = static_cast<Index>(body);
    return unit_[static_cast<std::size_t>(i)].col(b).dot(metric_[body].topLeftCorner<6, 6>() *
                                                         unit_[static_cast<std::size_t>(j)].col(b));
  }
  double scale(Index k) const { return sizes_[k] > 0 ? 1 / std::sqrt(sizes_[k]) : 1; }

  std::optional<VectorXd> most_negative_alone() const {
    for (Index k = 0; k < n_; ++k) {
      double sum = 0;
      for (std::size_t b = 0; b < parts_.view.bodies.size(); ++b) sum += product(b, k, k);
      if (sum < -rounding_of_inertia * sizes_[k]) return VectorXd::Unit(n_, k);
    }
    return std::nullopt;
  }

  /// Orthonormal scaled rates that the constraints allow.
  MatrixXd allowed() const {
    const SystemView& view = parts_.view;
    if (view.cut_joints().empty() && view.constraints.empty()) return MatrixXd::Identity(n_, n_);
    ConstraintJacobian jacobian(view);
    if (!jacobian.good()) return MatrixXd::Identity(n_, n_);
    auto q = parts_.q, v = parts_.v, eta = parts_.eta, etadot = parts_.etadot, x = parts_.x;
    auto discrete = parts_.discrete;
    const double t = parts_.description.start_time;
    jacobian.evaluate(t, {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete});
    MatrixXd rows = MatrixXd::Zero(n_, static_cast<Index>(jacobian.rows().size()));
    for (const ConstraintJacobian::Entry& e : jacobian.entries())
      if (e.column < view.nv_tree)
        rows(static_cast<Index>(e.column), static_cast<Index>(e.row)) = e.value * scale(static_cast<Index>(e.column));
    for (Index r = 0; r < rows.cols(); ++r)
      if (const double size = rows.col(r).norm(); size > 0) rows.col(r) /= size;
    Eigen::ColPivHouseholderQR<MatrixXd> qr(rows);
    qr.setThreshold(rounding_of_inertia);
    const MatrixXd Q = qr.householderQ() * MatrixXd::Identity(n_, n_);
    return Q.rightCols(n_ - qr.rank());
  }

  const System::Parts& parts_;
  const Index n_;
  InertiaMetric metric_;
  std::vector<MatrixXd> unit_;  ///< per rate, the twists of all bodies
  VectorXd sizes_;              ///< of the inertia of each rate
};

}  // namespace

void warn_of_negative_inertia(const System::Parts& parts, Diagnostics& diagnostics) {
  const SystemView& view = parts.view;
  if (std::ranges::none_of(view.bodies, has_negative_moment)) return;
  const RateInertia inertia(parts);
  const std::optional<VectorXd> rates = inertia.most_negative();
  if (!rates) return;
  std::size_t worst = 0;
  for (std::size_t b = 1; b < view.bodies.size(); ++b)
    if (inertia.energy(b, *rates) < inertia.energy(worst, *rates)) worst = b;
  parts.report(
      diagnostics, Severity::warning, parts.description.bodies[parts.forest.order[worst]], {}, "inertia",
      fmt::format("this inertia makes the kinetic energy negative where joint `{}` moves: nothing that moves "
                  "with the body makes up for its negative principal moment, and what pushes the joint one way "
                  "accelerates it the other way",
                  inertia.joint_of(*rates)),
      "No mechanism moves so, and an integration may come to a standstill: correct the inertia.");
}

}  // namespace polyform::host::inline assembly

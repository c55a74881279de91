#include "framework/host/assembly/inertia_metric.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace polyform::host::inline assembly {
namespace {

/// The mass of a body without mass, relative to that of its neighbours.
constexpr double fill = 1e-9;

Eigen::Matrix3d dense(const Mat3& a) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(a.m); }

}  // namespace

InertiaMetric::InertiaMetric(const SystemView& view)
    : view_(view),
      flexible_(view),
      fill_mass_(view.bodies.size()),
      fill_inertia_(view.bodies.size()),
      matrices_(view.bodies.size()) {
  find_fill();
}

void InertiaMetric::find_fill() {
  const std::size_t n = view_.bodies.size();
  std::vector<double> around(n), size(n);  // the largest mass next to each body, and its own extent
  largest_mass_ = length_ = 0;
  const auto mass = [&](BodyIndex b) { return is_ground(b) ? 0 : view_.bodies[at(b)].mass; };
  for (std::size_t i = 0; i < n; ++i) {
    around[i] = view_.bodies[i].mass;
    largest_mass_ = std::max(largest_mass_, around[i]);
    size[i] = norm(view_.bodies[i].center_of_mass);
  }
  for (const JointData& joint : view_.joints)
    for (const bool base : {true, false}) {
      const BodyIndex body = base ? joint.base : joint.moving;
      if (is_ground(body)) continue;
      around[at(body)] = std::max(around[at(body)], mass(base ? joint.moving : joint.base));
      size[at(body)] = std::max(size[at(body)], norm(base ? joint.p_base : joint.p_moving));
    }
  for (const double l : size) length_ = std::max(length_, l);
  if (largest_mass_ == 0) largest_mass_ = 1;
  if (length_ == 0) length_ = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const BodyData& body = view_.bodies[i];
    const double least = fill * (around[i] > 0 ? around[i] : largest_mass_);
    const double extent = size[i] > 0 ? size[i] : length_;
    if (body.mass < least) fill_mass_[i] = least;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(dense(body.inertia.full()), Eigen::EigenvaluesOnly);
    if (principal.eigenvalues()[0] < least * extent * extent) fill_inertia_[i] = least * extent * extent;
  }
}

void InertiaMetric::evaluate(std::span<const BodyMotion> frames, std::span<const double> eta) {
  const std::vector<double> still(view_.modes);
  if (!flexible_.empty()) flexible_.evaluate(frames, eta.data(), still.data());
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const BodyData& body = view_.bodies[i];
    Eigen::MatrixXd& M = matrices_[i];
    const Mat3& R = frames[i].R;
    if (body.flexible != rigid) {
      const auto size = static_cast<Eigen::Index>(flexible_.size(body.flexible));
      M = Eigen::Map<const Eigen::MatrixXd>(flexible_.mass(body.flexible).data(), size, size);
      Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(size, size);
      turn.block<3, 3>(0, 0) = turn.block<3, 3>(3, 3) = dense(R);
      M = turn * M * turn.transpose();
      // A mode without inertia must not make the metric singular.
      for (Eigen::Index k = 6; k < size; ++k) M(k, k) += fill * std::max(M(k, k), largest_mass_);
    } else {
      M.setZero(6, 6);
      const Vec3 c = R * body.center_of_mass;
      const Sym3 J = rotate(R, body.inertia), steiner = unit_mass_inertia(c);
      const Eigen::Matrix3d arm = dense(skew(c));
      M.block<3, 3>(0, 0) = dense(J.full()) + body.mass * dense(steiner.full());
      M.block<3, 3>(0, 3) = body.mass * arm;
      M.block<3, 3>(3, 0) = -body.mass * arm;
      M.block<3, 3>(3, 3).diagonal().setConstant(body.mass);
    }
    for (Eigen::Index k = 0; k < 3; ++k) {
      M(k, k) += fill_inertia_[i];
      M(k + 3, k + 3) += fill_mass_[i];
    }
  }
}

void InertiaMetric::count_given(std::span<const Given> bodies) {
  double least = 0;  // the smallest matrix of a body that has something given
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (const double size = matrices_[i].cwiseAbs().maxCoeff(); bodies[i] != Given::nothing)
      least = least == 0 ? size : std::min(least, size);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies[i] == Given::whole) continue;
    Eigen::MatrixXd& M = matrices_[i];
    const Eigen::Matrix3d about_centre =
        M.topLeftCorner<3, 3>() - M.block<3, 3>(0, 3) * M.block<3, 3>(3, 3).inverse() * M.block<3, 3>(3, 0);
    M *= fill * std::min(1.0, least / M.cwiseAbs().maxCoeff());
    if (bodies[i] == Given::turn) M.topLeftCorner<3, 3>() += about_centre;
  }
}

}  // namespace polyform::host::assembly

// The inertia of all bodies as a metric for changes of their motion.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/flexible_set.hpp"

namespace polyform::host::inline assembly {

/// Per body the mass matrix of its twist (angular velocity, velocity of the frame origin; ground axes) and, of a
/// flexible body, of the rates of its modes. A body without mass or without inertia about an axis is given a billionth
/// of what its neighbours have, so that there is always one nearest motion: too little to change it, enough to decide
/// it.
class InertiaMetric {
 public:
  explicit InertiaMetric(const SystemView&);
  bool good() const { return flexible_.good(); }
  /// frames: of all bodies at least.
  void evaluate(std::span<const BodyMotion> frames, std::span<const double> eta);
  /// How much of a body's twist is given, that of its frame origin.
  enum class Given : char { nothing, turn, whole };
  /// After evaluate: lets what is not given decide only what the given leaves open. Of a turn, the inertia about the
  /// mass centre counts: the body's velocity is free.
  void count_given(std::span<const Given> bodies);
  /// 6 + modes, symmetric.
  const Eigen::MatrixXd& operator[](std::size_t body) const { return matrices_[body]; }
  double largest_mass() const { return largest_mass_; }
  /// A length of the system: from joints to mass centres and other joints, m.
  double length() const { return length_; }

 private:
  void find_fill();

  const SystemView& view_;
  FlexibleSet flexible_;
  std::vector<double> fill_mass_, fill_inertia_;  ///< added to each body
  std::vector<Eigen::MatrixXd> matrices_;
  double largest_mass_ = 1, length_ = 1;
};

}  // namespace polyform::host::assembly

// Whether a solver's results meet the equations of motion: the Newton–Euler balance of every body with the reactions
// that the solver gives, the modal equations of flexible bodies and the equations of modules. This needs an observation
// and nothing of the formulation. It does not check whether accelerations fit the joints, because clearance and
// stabilization are options of some formulations.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform {

/// The rest in the balance of a body or module, relative to the inertia forces at the accelerations that act there
/// (gravity's and the body's own) plus forces_count times the forces that act. 1e-16 is rounding, 0.01 is an
/// acceleration that is wrong by some per cent, from 0.1 on no digit is left.
struct Imbalance {
  enum class Of { body, module };
  double part = 0;
  Of of = Of::body;
  std::string_view name;  ///< of the system view; empty if nothing is out of balance
};

namespace balance {
class Loads;
class BodyBalance;
/// Forces and moments that are rounding, given what acts on the whole system.
struct Rounding {
  double force = 0;   ///< N
  double length = 0;  ///< the longest arm, m
};
}  // namespace balance

class Balance {
 public:
  /// A body between heavy ones transmits forces that are many times its own inertia force. Their rounding is no error
  /// of its acceleration: of sixteen digits the forces hide ten, so that this part leaves six.
  static constexpr double forces_count = 1e-5;

  /// Makes batches of all elements of the system, which outlives the object. good() tells whether all could be made.
  /// absent: per constraint (joints first) whether a solver leaves it out; or empty.
  explicit Balance(const SystemView&, const std::vector<bool>& absent = {});
  ~Balance();
  bool good() const noexcept;

  /// The largest imbalance of what a solver observed. Nothing allocates. If the solver gives no reactions (all are
  /// zero), only modules and bodies without joints are checked.
  const Imbalance& check(double t, const Observation&) noexcept;
  /// After check: the largest ratio of the forces through a body to its inertia force. The balance cannot see an error
  /// of its acceleration that is smaller than so many roundings.
  double overshadowed() const noexcept;
  std::size_t overshadowed_body() const noexcept;  ///< the body with this ratio
  /// After check: accelerations that are rounding, given what acts on the whole system, m/s² and rad/s².
  double linear_rounding() const { return linear_; }
  double angular_rounding() const { return angular_; }
  /// After check: whether bodies were looked at.
  bool looked() const { return looked_; }
  /// After check: what it was looked at with, of all frames, ground axes, and of all joints; see balance::Loads.
  std::span<const BodyMotion> frames() const noexcept;
  std::span<const Spatial> accelerations() const noexcept;
  const JointMotions& joints() const noexcept;
  const SystemScales& scales() const noexcept { return system_scales_; }
  /// After check: Imbalance::part of each body, in the order of the view.
  std::span<const double> bodies() const { return parts_; }

 private:
  bool has_reactions(const Observation&) const noexcept;
  void find_roundings() noexcept;
  double rounding_of_multiplier(const ModuleSet::Module&, std::size_t row) const noexcept;
  void balance_modules(const Observation&) noexcept;
  void note(double part, Imbalance::Of, std::string_view name) noexcept;

  const SystemView& view_;
  SystemScales system_scales_;
  std::unique_ptr<balance::Loads> loads_;
  std::unique_ptr<balance::BodyBalance> bodies_;
  std::vector<bool> loose_;  ///< per body: no joint holds it, so that every solver gives it zero reactions
  std::vector<double> parts_;
  balance::Rounding rounding_;
  double linear_ = 0, angular_ = 0;  ///< forces_count (sum of the terms) over sum of the inertia: m/s², rad/s²
  bool looked_ = false;
  Imbalance worst_;
};

}  // namespace polyform

#include "framework/host/evaluation/second_opinion.hpp"

#include <algorithm>
#include <vector>

#include "framework/host/evaluation/absent_constraints.hpp"
#include "framework/host/evaluation/balance_check.hpp"
#include "framework/host/evaluation/fine_equations.hpp"
#include "polyform/contract/equations.hpp"
#include "polyform/mechanics/observation.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/absolute/applied_loads.hpp"
#include "polyform/solvers/absolute_system.hpp"

namespace polyform::host::inline evaluation {

namespace {

/// Unknowns and rows that are factorized within seconds and some hundred megabytes.
constexpr std::size_t most_numbers = 50'000;
/// The effect of one disturbance of the equations on the accelerations is a sample of the effect of rounding; this
/// factor makes it a bound.
constexpr double times_sample = 10;
/// A state off the constraints has other accelerations, and solvers may bring it back by some.
constexpr double per_violation = 100;
/// Each solver has its own choice of the rows that it leaves out, which changes accelerations by about their part.
constexpr double per_part = 100;

bool has_soft_rows(Solver& solver) {
  const auto* equations = ask<Equations>(solver);
  for (std::size_t i = 0; equations != nullptr && i < equations->constraints(); ++i)
    if (equations->constraint(i).covariance > 0) return true;
  return false;
}

}  // namespace

class SecondOpinion::Own {
 public:
  Own(const SystemView& view, std::vector<bool> absent)
      : system_(view, whole(std::move(absent), view)),
        applied_(view, {}),
        motions_(view.bodies.size()),
        q_(view.nq),
        v_(view.nv) {}

  bool good() const {
    const std::size_t numbers = equations().offset(equations().blocks()) + equations().rows();
    return system_.good() && applied_.forces().good() && numbers <= most_numbers;
  }

  /// The equations at what was observed.
  void form(double t, const Observation& now) {
    observed_motions(now, motions_);
    std::copy(now.q.begin(), now.q.end(), q_.begin());
    system_.follow(now.discrete);
    applied_.follow(now.discrete);
    const AbsoluteEquations& here = system_.evaluate(t, motions_, q_, v_, now.eta, now.etadot, now.x);
    applied_.evaluate(t, here, q_, v_, now.x);
    system_.set_loads(applied_.wrenches(), applied_.efforts(), applied_.modal_forces());
  }

  const AbsoluteEquations& equations() const { return system_.equations(); }
  /// The part of rows that are taken as dependent and so left out of the accelerations below.
  double nearly_dependent() { return system_.nearly_dependent(); }
  /// The accelerations of the frame origins, with all rows or without those that nearly depend on others; or nothing.
  std::optional<std::vector<Spatial>> accelerations(bool without_dependent) {
    if (without_dependent) {
      const AbsoluteAccelerations* const found = system_.accelerations_with_twice_the_digits();
      if (found == nullptr) return std::nullopt;
      return of_origins(*found);
    }
    const auto x = solve_finely(equations());
    if (!x) return std::nullopt;
    return accelerations(*x);
  }
  /// The accelerations of the frame origins.
  std::vector<Spatial> accelerations(std::span<const double> x) { return of_origins(system_.set_solution(x, {})); }

 private:
  std::vector<Spatial> of_origins(const AbsoluteAccelerations& found) const {
    std::vector<Spatial> all(motions_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = found.of_origin(i);
    return all;
  }
  /// Modules are constraints too.
  static std::vector<bool> whole(std::vector<bool> absent, const SystemView& view) {
    if (!absent.empty()) absent.resize(absent.size() + view.modules.size());
    return absent;
  }

  AbsoluteSystem system_;
  absolute::AppliedLoads applied_;
  std::vector<BodyMotion> motions_;
  std::vector<double> q_, v_;
};

SecondOpinion::SecondOpinion(const SystemView& view, Solver& solver) : view_(view) {
  const std::vector<bool> absent = absent_constraints(view, solver);
  if (has_soft_rows(solver) || (!absent.empty() && !view.modules.empty())) return;
  own_ = std::make_unique<Own>(view, absent);
  if (!own_->good()) own_.reset();
}
SecondOpinion::~SecondOpinion() = default;

std::optional<SecondOpinion::Difference> SecondOpinion::on(double t, const Observation& now, double linear,
                                                           double angular) {
  if (!own_) return std::nullopt;
  own_->form(t, now);
  const double left_out = own_->nearly_dependent();
  const auto found = own_->accelerations(left_out > 0);
  if (!found) return std::nullopt;
  const std::vector<Spatial>& mine = *found;
  double largest_linear = norm(view_.gravity), largest_angular = 0;
  for (const Spatial& a : mine) {
    largest_linear = std::max(largest_linear, norm(a.linear));
    largest_angular = std::max(largest_angular, norm(a.angular));
  }
  linear += least_share * largest_linear;
  angular += least_share * largest_angular;
  const auto part = [&](std::size_t i, const Vec3& alpha, const Vec3& a) {
    const auto of = [](const Vec3& one, const Vec3& other, double floor) {
      const double size = norm(one) + floor;
      return size > 0 ? norm(other - one) / size : 0;
    };
    return std::max(of(mine[i].linear, a, linear), of(mine[i].angular, alpha, angular));
  };
  Difference worst;
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (const double here = part(i, now.bodies[i].angular_acceleration, now.bodies[i].acceleration);
        !(here <= worst.part))
      worst = {here, i};
  const double allowed = per_violation * (now.position_violation + now.velocity_violation) + per_part * left_out;
  worst.part -= std::min(worst.part, allowed);
  if (!(worst.part > warned_imbalance)) return worst;
  if (left_out > 0) return std::nullopt;
  const auto disturbed = solve_disturbed(own_->equations(), 1);
  if (!disturbed) return std::nullopt;
  const std::vector<Spatial> other = own_->accelerations(*disturbed);
  double rounding = 0;
  for (std::size_t i = 0; i < mine.size(); ++i)
    rounding = std::max(rounding, part(i, other[i].angular, other[i].linear));
  if (worst.part > times_sample * rounding) return worst;
  return std::nullopt;
}

}  // namespace polyform::host::evaluation

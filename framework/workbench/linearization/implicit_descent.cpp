#include "framework/workbench/linearization/implicit_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/workbench/linearization/equilibrium_equations.hpp"
#include "polyform/contract/newton_matrix.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline linearization {
namespace {

/// aᵀ M b of velocities a and b at a state, from the kinetic energy, which is quadratic.
class InertiaProduct {
 public:
  explicit InertiaProduct(const SystemView& view) : view_(view), tree_(view), flexible_(view) {}
  /// Of a and b, each times its factor.
  double product(const CanonicalState& at, std::span<const double> a, double of_a, std::span<const double> b,
                 double of_b) {
    scratch_ = at;
    const auto energy = [&](double with_a, double with_b) {
      for (std::size_t k = 0; k < a.size(); ++k) velocity(k) = with_a * of_a * a[k] + with_b * of_b * b[k];
      tree_.evaluate(scratch_.q.data(), scratch_.v.data(), scratch_.eta.data(), scratch_.etadot.data());
      flexible_.evaluate(tree_.frames(), scratch_.eta.data(), scratch_.etadot.data());
      return kinetic_energy(view_, tree_.frames(), flexible_, scratch_.etadot.data());
    };
    return energy(1, 1) - energy(1, 0) - energy(0, 1) + energy(0, 0);
  }

 private:
  double& velocity(std::size_t k) { return k < view_.nv_tree ? scratch_.v[k] : scratch_.etadot[k - view_.nv_tree]; }

  const SystemView& view_;
  TreeKinematics tree_;
  FlexibleSet flexible_;
  CanonicalState scratch_;
};

/// Accelerations and steps, as velocities in the solver's numbers and in those of the coordinates.
/// Its members are the arrays of one step of the search, at the state and at the next one, which are allocated once.
class Descent {
 public:
  Descent(const SystemView& view, double t, Solver& solver, NewtonMatrix& matrix, std::span<const StateKind> kinds,
          std::span<const Coordinate> coordinates)
      : view_(view),
        t_(t),
        solver_(solver),
        matrix_(matrix),
        kinds_(kinds),
        coordinates_(coordinates),
        inertia_(view),
        y_(solver.state_size()),
        rates_(y_),
        next_(y_),
        next_rates_(y_),
        step_(y_),
        scratch_(y_) {}

  bool start(const CanonicalState& from) {
    moved_ = from;
    if (encode_at(t_, solver_, from.constant(), y_) != Status::ok || !rest_at(y_, rates_, acceleration_)) return false;
    here_ = moved_;
    return true;
  }

  /// Until no step leads further down.
  void go() {
    const double size = size_of(acceleration_);
    if (size == 0) return;
    const double time = 1 / std::sqrt(size), longest = longest_time * time;
    double gamma = std::sqrt(longest_move) * time, before = std::numeric_limits<double>::infinity(), least = before;
    std::size_t idle = 0;
    for (steps_ = 0; steps_ < most_steps; ++steps_) {
      if (matrix_.linearize(t_, y_) != Status::ok) return;
      int tries = 0;
      while (!try_step(gamma))
        if (++tries == most_tries) return;
      y_.swap(next_);
      rates_.swap(next_rates_);
      acceleration_.swap(next_acceleration_);
      here_ = moved_;
      const double length = size_of(move_);
      if (has_settled(length, before)) return;
      before = length;
      // Along a motion that nothing restores rounding goes on for ever; what is left of the others is rounding, too.
      const double left = size_of(acceleration_);
      idle = left < still_falls * least ? 0 : idle + 1;
      least = std::min(least, left);
      if (idle == patience) return;
      gamma = std::min(growth * gamma, longest);
    }
  }

  Descended result() const { return {here_, steps_}; }

 private:
  using Vector = std::vector<double>;

  static constexpr std::size_t most_steps = 500;
  static constexpr int most_tries = 40;                   ///< of a step that is shortened
  static constexpr std::size_t patience = 12;             ///< steps in a row that leave no less than the best one
  static constexpr double still_falls = 0.9;              ///< the part of the best one that a step must leave less than
  static constexpr double growth = 4, shortening = 0.25;  ///< of γ
  /// The longest γ, in the time in which what acts at the start makes a large deviation. A motion whose stiffness is
  /// less than the inverse square of it is not restored, and rounding does not carry it away.
  static constexpr double longest_time = 1e4;
  /// The power along a step may turn around by this part of what it was: the lowest place lies well within the step.
  static constexpr double turned_around = 0.7;

  /// Removes the drift of y and its velocities; its rates, and the accelerations of the coordinates. False if the
  /// solver fails.
  bool rest_at(Vector& y, Vector& rates, Vector& accelerations) {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (kinds_[i] == StateKind::velocity) y[i] = 0;
    Correction correction;
    if (solver_.correct(t_, y, correction) != Status::ok || solver_.derivative(t_, y, rates) != Status::ok)
      return false;
    if (!std::ranges::all_of(rates, [](double r) { return std::isfinite(r); })) return false;
    return in_coordinates(y, rates, 1, accelerations) && solver_.decode(y, moved_.view()) == Status::ok;
  }

  /// Velocities `factor` times those in `from`, at y, as numbers of the coordinates.
  bool in_coordinates(const Vector& y, const Vector& from, double factor, Vector& out) {
    for (std::size_t i = 0; i < y.size(); ++i) scratch_[i] = kinds_[i] == StateKind::velocity ? factor * from[i] : y[i];
    if (solver_.decode(scratch_, moved_.view()) != Status::ok) return false;
    out.assign(moved_.v.begin(), moved_.v.begin() + static_cast<std::ptrdiff_t>(view_.nv_tree));
    out.insert(out.end(), moved_.etadot.begin(), moved_.etadot.end());
    return true;
  }

  double size_of(const Vector& velocities) const {
    double size = 0;
    for (std::size_t k = 0; k < velocities.size(); ++k)
      size = std::max(size, std::abs(velocities[k]) / coordinates_[k].scale);
    return size;
  }

  /// A step of this γ into next_; where it is none, γ becomes shorter.
  bool try_step(double& gamma) {
    const double tried = gamma;
    gamma *= shortening;
    if (matrix_.prepare(tried) != Status::ok) return false;
    for (std::size_t i = 0; i < y_.size(); ++i) step_[i] = tried * rates_[i];
    matrix_.solve(step_);
    if (!in_coordinates(y_, step_, tried, move_)) return false;
    const double size = size_of(move_);
    if (!std::isfinite(size)) return false;
    if (size > longest_move) {
      gamma = tried * std::clamp(0.9 * std::sqrt(longest_move / size), shortening, 0.9);
      return false;
    }
    const double power = power_of(here_, acceleration_);
    if (power < 0) return false;
    for (std::size_t i = 0; i < y_.size(); ++i) next_[i] = y_[i] + step_[i];
    if (!rest_at(next_, next_rates_, next_acceleration_)) return false;
    if (power_of(moved_, next_acceleration_) < -turned_around * power && size > move_at_rounding) return false;
    gamma = tried;
    return true;
  }

  /// Accelerations times M times the step, divided by the step's length: what its forces do along it.
  double power_of(const CanonicalState& at, const Vector& accelerations) {
    const double along = size_of(move_), acting = size_of(accelerations);
    if (!(along > 0) || !(acting > 0)) return 0;
    return acting * inertia_.product(at, accelerations, 1 / acting, move_, 1 / along);
  }

  const SystemView& view_;
  const double t_;
  Solver& solver_;
  NewtonMatrix& matrix_;
  const std::span<const StateKind> kinds_;
  const std::span<const Coordinate> coordinates_;
  InertiaProduct inertia_;
  Vector y_, rates_, next_, next_rates_, step_, scratch_;  ///< numbers of the solver
  Vector acceleration_, next_acceleration_, move_;         ///< of the coordinates
  CanonicalState here_, moved_;                            ///< the present state, and the one decoded last
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<Descended> descend_implicitly(const SystemView& view, double t, Solver& solver,
                                            const CanonicalState& start, std::span<const Coordinate> coordinates) {
  auto* const matrix = ask<NewtonMatrix>(solver);
  auto* const parts = ask<SecondOrderSystem>(solver);
  if (matrix == nullptr || parts == nullptr || !view.modules.empty()) return std::nullopt;
  Descent descent(view, t, solver, *matrix, parts->kinds(), coordinates);
  if (!descent.start(start)) return std::nullopt;
  descent.go();
  return descent.result();
}

}  // namespace polyform::host::linearization

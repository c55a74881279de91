#include "moreau_jean.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "contact_step.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/helpers/step_by_step.hpp"
#include "polyform/helpers/step_grid.hpp"

namespace polyform::time_stepping {

namespace {

/// Part of the sum of the sizes of a velocity's terms, and of the largest change by smooth forces: a smaller velocity
/// of what contacts hold is their rounding.
constexpr double cancelled = 1e-11, cancelled_of_all = 1e-13;
/// Rounds in which impulses and forces that depend on velocities come to agree; where they do not, the run tells it.
/// Each has as a part of the error of the one before what a body turns by in a step, in radians.
constexpr int most_rounds = 10;

/// One step from q, v to q⁺, v⁺, with the impulses λ of the contacts:
///
///   q_m = q + ½ h N(q) v
///   v⁺ = v + h ā + M⁻¹(q_m) Wᵀ(q_m) λ
///   q⁺ = q_m + ½ h N(q_m) v⁺
///
/// ā is a(q_m, ½ (v + v⁺)) where nothing touches, and else the mean of a(q_m, v) and a(q_m, v⁺).
/// The forces of the contacts in the step are λ/h, and the solver's own equations give v⁺ from them, so that joints and
/// loops hold. Other states and integrals take the rates of the middle, where the work of λ is exact:
/// λ · ½ (u + u⁺). Between impacts the error is of the second order.
class MoreauJean final : public StepByStep {
 public:
  MoreauJean(FirstOrderSystem& system, double step, const ContactStep::Options& options)
      : system_(system),
        parts_(ask<SecondOrderSystem>(system)),
        states_(system.size() - system.integrals()),
        kinds_(system.size(), StateKind::velocity),
        contacts_(ask<UnilateralSystem>(system)),
        grid_(step),
        previous_(system.size()),
        now_(previous_),
        next_(previous_),
        middle_(previous_),
        free_(previous_),
        rate_(previous_),
        place_rate_(previous_),
        start_rate_(previous_),
        bend_(previous_),
        free_rate_(previous_),
        before_rate_(previous_) {
    if (parts_ != nullptr) std::ranges::copy(parts_->kinds(), kinds_.begin());
    if (contacts_ != nullptr) touching_.emplace(*contacts_, options);
  }
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override {
    std::ranges::copy(y, now_.begin());
    begin_at(t);
    grid_.start(t);
    return Status::ok;
  }

  /// The grid of step ends stays.
  Status restart(double t, std::span<const double> y, double) noexcept override {
    if (y.data() != now_.data()) std::ranges::copy(y, now_.begin());
    begin_at(t);
    grid_.restart(t);
    return Status::ok;
  }

  Status step(double t_limit) noexcept override {
    previous_time_ = time_;
    const double end = grid_.end(t_limit);
    if (!(end > time_))
      return fail(Message("the step of {:.3g} s is lost in the rounding of t = {:.9g} s", grid_.step(), time_));
    if (go(time_, end - time_) != Status::ok || finish(end) != Status::ok) return Status::failed;
    previous_.swap(now_);
    now_.swap(next_);
    time_ = end;
    grid_.reach(end);
    return Status::ok;
  }

  /// Velocities and integrals go straight from one end of the step to the other, and positions bend as these velocities
  /// say; in a step with an impact, whose instant nobody knows, positions go straight too. Forces and other states are
  /// those of the step.
  Status state_at(double t, std::span<double> y) noexcept override {
    const bool at_start = t == previous_time_;
    const double share = at_start ? 0 : (t - previous_time_) / (time_ - previous_time_);
    for (std::size_t i = 0; i < y.size(); ++i)
      y[i] = !at_start && is(i, StateKind::other) && i < states()
                 ? now_[i]
                 : previous_[i] + share * (now_[i] - previous_[i]) - share * (1 - share) * bend_[i];
    return Status::ok;
  }

  std::span<const double> state() const noexcept override { return now_; }

 private:
  using State = std::vector<double>;
  std::size_t states() const { return states_; }
  bool is(std::size_t i, StateKind kind) const { return kinds_[i] == kind; }

  /// The positions of `from` moved along by half a step at the velocities of `at`.
  Status move(double t, double h, const State& from, const State& at, State& to) noexcept {
    if (parts_ == nullptr) return Status::ok;
    if (parts_->position_rates(t, at, place_rate_) != Status::ok) return fail(system_.failure());
    for (std::size_t i = 0; i < states(); ++i)
      if (is(i, StateKind::position)) to[i] = from[i] + 0.5 * h * place_rate_[i];
    return Status::ok;
  }

  /// rate_ at the middle with the forces of the contacts, and with the mean of the velocities and other states of the
  /// beginning and of next_ (share 1), those of the beginning alone (share 0) or of next_ alone (share 2); then those
  /// of next_.
  Status evaluate(double t, double h, double share, std::span<const double> forces) noexcept {
    for (std::size_t i = 0; i < middle_.size(); ++i)
      if (!is(i, StateKind::position)) middle_[i] = now_[i] + 0.5 * share * (next_[i] - now_[i]);
    if (contacts_ != nullptr) contacts_->put_forces(forces, middle_);
    if (system_.derivative(t, middle_, rate_) != Status::ok) return fail(system_.failure());
    advance(h);
    return Status::ok;
  }
  /// next_ by rate_, but for its positions.
  void advance(double h) noexcept {
    for (std::size_t i = 0; i < next_.size(); ++i)
      if (!is(i, StateKind::position)) next_[i] = now_[i] + h * rate_[i];
  }
  /// Where impulses act the velocities jump, and nothing has the mean of them: half of the step has those of the
  /// beginning, whose rate is in rate_, and half of it those of next_.
  Status evaluate_after(double t, double h) noexcept {
    std::ranges::copy(rate_, before_rate_.begin());
    if (evaluate(t, h, 2, forces()) != Status::ok) return Status::failed;
    for (std::size_t i = 0; i < rate_.size(); ++i) rate_[i] = 0.5 * (before_rate_[i] + rate_[i]);
    advance(h);
    return Status::ok;
  }

  /// free_ has the positions of the middle and the velocities of next_.
  void take_velocities() noexcept {
    for (std::size_t i = 0; i < next_.size(); ++i) free_[i] = is(i, StateKind::velocity) ? next_[i] : middle_[i];
  }

  /// next_ from now_, not corrected.
  Status go(double t, double h) noexcept {
    const double mean = t + 0.5 * h;
    middle_ = now_;
    next_ = now_;
    if (move(t, h, now_, now_, middle_) != Status::ok || evaluate(mean, h, 0, {}) != Status::ok) return Status::failed;
    if (touching_ && touch(mean, h) != Status::ok) return Status::failed;
    const bool touches = touching_ && !touching_->empty();
    if ((touches ? evaluate_after(mean, h) : evaluate(mean, h, 1, forces())) != Status::ok) return Status::failed;
    if (touches && touch_again(mean, h) != Status::ok) return Status::failed;
    take_velocities();
    std::ranges::copy(place_rate_, start_rate_.begin());
    if (move(mean, h, middle_, free_, next_) != Status::ok) return Status::failed;
    for (std::size_t i = 0; i < states(); ++i)
      if (is(i, StateKind::position)) bend_[i] = 0.5 * h * (place_rate_[i] - start_rate_[i]);
    return Status::ok;
  }
  std::span<const double> forces() noexcept { return touching_ ? touching_->forces() : std::span<const double>(); }

  /// The impulses from the velocities in next_, on which no contact acts; then velocities with them.
  Status touch(double t, double h) noexcept {
    take_velocities();
    std::ranges::copy(rate_, free_rate_.begin());
    if (touching_->begin(t, h, middle_, free_) != Status::ok) return fail(contacts_->failure());
    if (touching_->empty()) return Status::ok;
    touching_->solve();
    return evaluate(t, h, 0, forces());
  }

  /// Velocities that forces depend on have changed: the impulses follow, until both agree and the work of the impulses
  /// is that of the velocities at the end. Then rounding is taken off what rests.
  Status touch_again(double t, double h) noexcept {
    for (int round = 0;; ++round) {
      take_velocities();
      if (touching_->agrees(t, free_) || round == most_rounds) break;
      touching_->solve_again();
      if (evaluate(t, h, 0, forces()) != Status::ok || evaluate_after(t, h) != Status::ok) return Status::failed;
    }
    double largest = 0;
    for (std::size_t i = 0; i < states(); ++i)
      if (is(i, StateKind::velocity)) largest = std::max(largest, std::abs(free_rate_[i]));
    for (std::size_t i = 0; i < states(); ++i)
      if (is(i, StateKind::velocity) &&
          std::abs(next_[i]) <
              cancelled * (std::abs(now_[i]) + h * std::abs(free_rate_[i])) + cancelled_of_all * h * largest)
        next_[i] = 0;
    return Status::ok;
  }

  /// Corrects next_, takes overlaps away and tells what happened.
  Status finish(double end) noexcept {
    if (contacts_ != nullptr) {
      contacts_->put_forces(touching_->forces(), next_);
      touching_->end(end, next_);
      if (touching_->has_impact()) std::ranges::fill(bend_, 0.0);
    }
    if (system_.correct(end, next_) != Status::ok) return fail(system_.failure());
    if (contacts_ == nullptr) return Status::ok;
    bool moved = false;
    if (touching_->separate(end, next_, moved) != Status::ok) return fail(contacts_->failure());
    return !moved || system_.correct(end, next_) == Status::ok ? Status::ok : fail(system_.failure());
  }

  FirstOrderSystem& system_;
  SecondOrderSystem* parts_;  ///< nullptr if the system does not tell them: then all are velocities
  const std::size_t states_;  ///< without the integrals
  std::vector<StateKind> kinds_;
  UnilateralSystem* contacts_;  ///< nullptr if nothing can touch
  std::optional<ContactStep> touching_;
  StepGrid grid_;
  State previous_, now_, next_, middle_, free_, rate_, place_rate_, start_rate_, bend_, free_rate_, before_rate_;
};

class MoreauJeanType final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return "moreau-jean"; }
  std::string_view meaning() const noexcept override {
    return "time stepping with fixed steps for many rigid contacts: no event is looked for";
  }
  std::string_view source() const noexcept override {
    return "M. Jean, Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257; V. Acary, B. Brogliato: Numerical Methods "
           "for Nonsmooth Dynamical Systems (2008), 10.1";
  }
  Strided<const FieldSpec> fields() const noexcept override { return fields_; }
  int order() const noexcept override { return 2; }
  bool fixed_step() const noexcept override { return true; }
  int preference() const noexcept override { return 5; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue> options,
                     DiagnosticSink& sink) const noexcept override {
    try {
      return new MoreauJean(system, std::min(settings.step, settings.max_step),
                            {.tolerance = options[tolerance].number,
                             .iterations = static_cast<std::size_t>(options[iterations].integer),
                             .overlap = options[overlap].number});
    } catch (const std::bad_alloc&) {
      sink.report({.message = "moreau-jean could not be set up", .remedy = "perhaps memory ran out"});
    }
    return nullptr;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == UnilateralSystem::interface_name ? this : nullptr;
  }

 private:
  enum Option : std::size_t { tolerance, iterations, overlap };
  const FieldSpec fields_[3] = {{.name = "tolerance",
                                 .type = FieldType::number,
                                 .unit = "",
                                 .meaning = "how well the laws of contact hold in a step, of the fastest rate in it",
                                 .default_text = "1e-12",
                                 .minimum = 0,
                                 .maximum = 1,
                                 .exclusive_minimum = true},
                                {.name = "iterations",
                                 .type = FieldType::integer,
                                 .unit = "",
                                 .meaning = "sweeps over all contacts in a step at most",
                                 .default_text = "2000",
                                 .minimum = 1,
                                 .maximum = 1e9},
                                {.name = "overlap",
                                 .type = FieldType::number,
                                 .unit = "m",
                                 .meaning = "surfaces that overlap by more at the end of a step are moved apart",
                                 .default_text = "1e-10",
                                 .minimum = 0,
                                 .exclusive_minimum = true}};
};

}  // namespace

const IntegratorType& moreau_jean() noexcept {
  static const MoreauJeanType type;
  return type;
}

}  // namespace polyform::time_stepping

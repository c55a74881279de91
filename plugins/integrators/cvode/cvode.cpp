#include "cvode.hpp"

#include <fmt/format.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "polyform/contract/second_order.hpp"
#include "polyform/contract/stiffest_element.hpp"
#include "polyform/helpers/time_scale.hpp"

namespace polyform::cvode {

namespace {

// Newton's linear systems are solved by GMRES without a matrix, preconditioned by the system's own matrix if it has
// one. If it has none, systems of up to this many states use a dense matrix of differences, which costs an evaluation
// per state.
constexpr std::size_t largest_dense = 60;

// The number of trials of one step. CVODE may make its first step 10000 times longer, and in the end each trial shrinks
// it at least to a tenth. So CVODE's own seven trials do not lead back if a force that began softly has reached its
// full size.
constexpr int most_trials = 25;

SUNContext make_context() {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  return context;
}

/// CVODE's own name of an error, such as CV_LSETUP_FAIL.
std::string flag_name(int flag) {
  const std::unique_ptr<char, decltype(&std::free)> name(CVodeGetReturnFlagName(flag), std::free);
  return name ? name.get() : fmt::format("error {}", flag);
}

/// CVODE takes the root of the mean square of all errors. States of elements, most of which rest (a stop that nothing
/// touches, what it has lost), would thin out the errors of the motion. With tolerances finer by this factor the mean
/// is taken over positions and velocities, and errors of other states add to the sum.
double finer_for_motion(FirstOrderSystem& system, std::size_t states) {
  auto* const second = ask<SecondOrderSystem>(system);
  if (second == nullptr) return 1;
  const auto others = std::ranges::count(second->kinds().first(states), StateKind::other);
  const double motion = static_cast<double>(states) - static_cast<double>(others);
  return motion > 0 ? std::sqrt(motion / static_cast<double>(states)) : 1;
}

void ignore_message(int, const char*, const char*, char*, void*) {}

}  // namespace

void check(int flag) {
  if (flag < 0) throw std::runtime_error(flag_name(flag));
}

Cvode::Cvode(FirstOrderSystem& system, const StepSettings& settings, int method, int highest_order)
    : system_(system),
      settings_(settings),
      states_(system.size() - system.integrals()),
      state_(system.size()),
      memory_{.context = Owned<SUNContext>(made(make_context()))} {
  // CVODE's norms divide by the number of states: a system without any is given one that rests.
  const std::size_t n = std::max<std::size_t>(states_, 1);
  memory_.end.reset(made(N_VNew_Serial(static_cast<sunindextype>(n), memory_.context.get())));
  memory_.scratch.reset(made(N_VClone(memory_.end.get())));
  N_VConst(0, memory_.end.get());
  memory_.cvode.reset(made(CVodeCreate(method, memory_.context.get())));
  check(CVodeSetErrHandlerFn(memory_.cvode.get(), ignore_message, nullptr));
  check(CVodeInit(memory_.cvode.get(), derivative, 0, memory_.end.get()));
  check(CVodeSetUserData(memory_.cvode.get(), this));
  check(CVodeSetMaxErrTestFails(memory_.cvode.get(), most_trials));
  check(CVodeSetMaxConvFails(memory_.cvode.get(), most_trials));
  check(CVodeSetMaxOrd(memory_.cvode.get(), highest_order));
  const double finer = finer_for_motion(system, states_);
  check(CVodeSStolerances(memory_.cvode.get(), finer * settings_.relative_tolerance,
                          finer * settings_.absolute_tolerance));
  if (std::isfinite(settings.max_step)) check(CVodeSetMaxStep(memory_.cvode.get(), settings.max_step));
  if (system.integrals() > 0) {
    rate_.resize(state_.size());
    memory_.integrals.reset(made(N_VNew_Serial(static_cast<sunindextype>(system.integrals()), memory_.context.get())));
    N_VConst(0, memory_.integrals.get());
    check(CVodeQuadInit(memory_.cvode.get(), integrand, memory_.integrals.get()));
    check(CVodeSetQuadErrCon(memory_.cvode.get(), SUNTRUE));
    check(set_integral_tolerances());
  }
  if (method == CV_ADAMS) {
    memory_.nonlinear.reset(made(SUNNonlinSol_FixedPoint(memory_.end.get(), 0, memory_.context.get())));
    check(CVodeSetNonlinearSolver(memory_.cvode.get(), memory_.nonlinear.get()));
  } else if (newton_ = states_ == 0 ? nullptr : ask<NewtonMatrix>(system); newton_ == nullptr && n <= largest_dense) {
    attach_dense(n);
  } else {
    attach_krylov();
  }
}

int Cvode::derivative(double t, N_Vector y, N_Vector ydot, void* self) noexcept {
  Cvode& me = *static_cast<Cvode*>(self);
  if (me.states_ == 0) N_VConst(0, ydot);
  if (me.state_.empty()) return 0;
  if (me.rate_.empty()) {
    if (me.system_.derivative(t, me.numbers(y), me.numbers(ydot)) == Status::ok) return 0;
  } else if (me.system_.derivative(t, me.numbers(y), me.rate_) == Status::ok) {
    std::copy_n(me.rate_.begin(), me.states_, me.numbers(ydot).begin());
    return 0;
  }
  // The failure is only kept: CVODE may try other places before it gives up.
  me.derivative_failure_.say(me.system_.failure());
  constexpr int recoverable = 1;
  return recoverable;
}

/// CVODE asks for it at the end of each step, when its solution has converged. A rate that was exactly zero at the last
/// derivative, at the same time, is zero by the structure of the system; all others are evaluated at the solution
/// itself.
int Cvode::integrand(double t, N_Vector y, N_Vector rate, void* self) noexcept {
  Cvode& me = *static_cast<Cvode*>(self);
  const auto own = std::span(me.rate_).subspan(me.states_);
  const bool idle = std::ranges::all_of(own, [](double x) { return x == 0; });
  if (!idle && me.system_.derivative(t, me.numbers(y), me.rate_) != Status::ok) {
    me.derivative_failure_.say(me.system_.failure());
    return 1;
  }
  std::ranges::copy(own, NV_DATA_S(rate));
  return 0;
}

Status Cvode::start(double t, std::span<const double> y) noexcept {
  largest_integral_ = 0;
  if (restart(t, y, std::min(settings_.step, settings_.max_step)) != Status::ok) return Status::failed;
  rejected_before_ = 0;
  return rate_.empty() || set_integral_tolerances() == CV_SUCCESS ? Status::ok : fail_with(CV_ILL_INPUT);
}

Status Cvode::restart(double t, std::span<const double> y, double first_step) noexcept {
  if (y.data() != state_.data()) std::copy(y.begin(), y.end(), state_.begin());
  begin_at(t);
  corrected_ = false;
  return reinitialize(first_step);
}

int Cvode::set_integral_tolerances() {
  return CVodeQuadSStolerances(
      memory_.cvode.get(), integral_tolerance * settings_.relative_tolerance,
      integral_tolerance * (settings_.absolute_tolerance + settings_.relative_tolerance * largest_integral_));
}

int Cvode::reset_integrals() {
  if (rate_.empty()) return CV_SUCCESS;
  std::copy(state_.begin() + static_cast<std::ptrdiff_t>(states_), state_.end(), integrals().begin());
  return CVodeQuadReInit(memory_.cvode.get(), memory_.integrals.get());
}

/// Begins anew from state_, at order 1; first_step 0: with a step size of CVODE's choice.
Status Cvode::reinitialize(double first_step) noexcept {
  rejected_before_ = rejected();
  std::copy_n(state_.begin(), states_, numbers(memory_.end.get()).begin());
  int flag = CVodeReInit(memory_.cvode.get(), time_, memory_.end.get());
  if (flag == CV_SUCCESS) flag = reset_integrals();
  if (flag != CV_SUCCESS) return fail_with(flag);
  CVodeSetInitStep(memory_.cvode.get(), first_step);
  return Status::ok;
}

/// Gives CVODE the correction of the last step. The correction is added to the zeroth column of the Nordsieck array:
/// this moves the whole history along with the solution and keeps order and step size, as CVODE's own projection does
/// (which exists for BDF only). The rates of the history stay, and their change by the correction is an error of the
/// next prediction: CVODE sees it, and begins anew at order 1 if it is large. There is no other bound for this. A bound
/// in units of the tolerances would take a change that a large state passes to a small one for a jump, and a method
/// that begins anew in each step collects errors of order 1.
/// With Newton's matrix, the system's own or a dense one, the correction is solved first. A correction also moves what
/// is stiff, in proportion to its inertia, and a step from there would return in one step, at a velocity far outside
/// the tolerances. The solution takes what is stiff to where the implicit method would have left it. What it keeps of
/// the errors of constraints, the next corrections take off. Without a solution the correction is taken as it is.
Status Cvode::adopt_correction() noexcept {
  corrected_ = false;
  double t, gamma, rl1;
  N_Vector solution, y, f, slope;
  void* user;
  const int flag = CVodeGetNonlinearSystemData(memory_.cvode.get(), &t, &solution, &y, &f, &gamma, &rl1, &slope, &user);
  if (flag != CV_SUCCESS) return fail_with(flag);
  const std::span<double> now = numbers(solution);
  const std::span<double> change = numbers(memory_.scratch.get()), raw = numbers(memory_.end.get());
  for (std::size_t i = 0; i < states_; ++i) change[i] = state_[i] - raw[i];
  constexpr int passes = 2;  // one leaves 1/(γλ) of what is stiff, which a velocity still feels as 1/γ of it
  bool solved = memory_.matrix != nullptr || newton_ != nullptr;
  for (int pass = 0; solved && pass < passes; ++pass) solved = solve_in_place(memory_.scratch.get());
  for (std::size_t i = 0; i < states_; ++i) now[i] = solved ? raw[i] + change[i] : state_[i];
  return Status::ok;
}

Status Cvode::step(double t_limit) noexcept {
  previous_time_ = time_;
  derivative_failure_ = {};
  if (corrected_ && adopt_correction() != Status::ok) return Status::failed;
  if (replace_krylov() != Status::ok) return Status::failed;
  int flag = choose_age_of_derivatives();
  if (flag == CV_SUCCESS) flag = CVodeSetStopTime(memory_.cvode.get(), t_limit);
  double reached = time_;
  if (flag == CV_SUCCESS) flag = CVode(memory_.cvode.get(), t_limit, memory_.end.get(), &reached, CV_ONE_STEP);
  if (flag < 0) return fail_with(flag);
  if (!(reached > time_)) return fail_with(CV_TOO_CLOSE);
  const std::span<double> corrected = numbers(memory_.scratch.get());
  std::ranges::copy(numbers(memory_.end.get()), corrected.begin());
  if (system_.correct(reached, corrected) != Status::ok) {
    fail(system_.failure());
    reinitialize(0);
    return Status::failed;
  }
  corrected_ = !std::ranges::equal(corrected, numbers(memory_.end.get()));
  if (!rate_.empty()) {
    const int failed = CVodeGetQuad(memory_.cvode.get(), &reached, memory_.integrals.get());
    if (failed < 0) return fail_with(failed);
    std::ranges::copy(integrals(), state_.begin() + static_cast<std::ptrdiff_t>(states_));
    double largest = largest_integral_;
    for (const double x : integrals()) largest = std::max(largest, std::abs(x));
    if (largest > 2 * std::exchange(largest_integral_, largest))
      if (const int refused = set_integral_tolerances(); refused < 0) return fail_with(refused);
  }
  std::ranges::copy(corrected, state_.begin());
  time_ = reached;
  return Status::ok;
}

Status Cvode::state_at(double t, std::span<double> y) noexcept {
  const auto failed = [&](int why) {
    return fail(Message("CVODE could not interpolate at t = {:.9g} s ({})", t, flag_name(why)));
  };
  const int flag = CVodeGetDky(memory_.cvode.get(), t, 0, memory_.scratch.get());
  if (flag != CV_SUCCESS) return failed(flag);
  std::ranges::copy(numbers(memory_.scratch.get()), y.begin());
  if (rate_.empty()) return Status::ok;
  const int of_integrals = CVodeGetQuadDky(memory_.cvode.get(), t, 0, memory_.integrals.get());
  if (of_integrals != CV_SUCCESS) return failed(of_integrals);
  std::ranges::copy(integrals(), y.begin() + static_cast<std::ptrdiff_t>(states_));
  return Status::ok;
}

std::size_t Cvode::rejected() const noexcept {
  long error_failures = 0, solve_failures = 0;
  CVodeGetNumErrTestFails(memory_.cvode.get(), &error_failures);
  CVodeGetNumStepSolveFails(memory_.cvode.get(), &solve_failures);
  return rejected_before_ + static_cast<std::size_t>(error_failures + solve_failures);
}

/// Names the element of the fastest motion, for it is the one that the iteration does not follow.
Status Cvode::fail_to_solve(std::string_view what) noexcept {
  std::string_view where;
  try {
    auto* const element = ask<StiffestElement>(system_);
    TimeScale scale(state_.size(), state_.size() - states_);
    scale.start();
    double rate = 0;
    constexpr int rounds = 10;
    for (int k = 0; element != nullptr && k < rounds; ++k)
      rate = scale.measure(state_, [&](std::span<const double> y, std::span<double> ydot) {
        return system_.derivative(time_, y, ydot) == Status::ok;
      });
    if (rate > 0) where = element->stiffest(time_, state_, scale.direction(), rate);
  } catch (const std::bad_alloc&) {
    where = {};  // without a name the sentence is shorter
  }
  const UnsolvedPlace place = UnsolvedPlace::at(where);
  return fail(Message("{}: the implicit equations of a step could not be solved{}{}{}", what, place.before, place.name,
                      place.remedy),
              place.name.empty() ? StepFailure::stalled : StepFailure::stalled_at_named);
}

Status Cvode::fail_with(int flag) noexcept {
  const Message small("the step size became too small at t = {:.9g} s", time_);
  if (!derivative_failure_.text().empty())
    return fail(Message("{}: {}", std::string_view(small), derivative_failure_.text()), StepFailure::stalled_by_system);
  switch (flag) {
    case CV_TOO_CLOSE: return fail(small, StepFailure::stalled);
    case CV_ERR_FAILURE:
      return fail(Message("{}: the error stays above the tolerance", std::string_view(small)), StepFailure::stalled);
    case CV_CONV_FAILURE: return fail_to_solve(small);
    case CV_TOO_MUCH_ACC: return fail(Message("the tolerance is finer than rounding allows at t = {:.9g} s", time_));
    default: return fail(Message("CVODE failed at t = {:.9g} s ({})", time_, flag_name(flag)));
  }
}

}  // namespace polyform::cvode

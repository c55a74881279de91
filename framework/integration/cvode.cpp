// The multistep methods of SUNDIALS CVODES, which is CVODE with integrals along the solution.
#include <cvodes/cvodes.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/integration/evaluator.hpp"
#include "framework/integration/methods.hpp"

namespace polyform::host {

namespace {

static_assert(std::is_same_v<realtype, double>);

// Up to this many states Newton's linear systems are solved with a dense matrix of differences, beyond it without a
// matrix, by GMRES: a dense one costs an evaluation per state.
constexpr std::size_t largest_dense = 60;

// A correction up to this size (root mean square, in units of the tolerance) is drift of the order of the local error;
// a larger one is a jump, after which the history of the steps describes another solution.
constexpr double largest_drift = 10;

// Trials of one step. CVODE may grow its first step 10000 times and each trial shrinks at least to a tenth in the end,
// so its own seven do not lead back from where a force that began softly is at its full size.
constexpr int most_trials = 25;

struct Free {
  void operator()(SUNContext c) const { SUNContext_Free(&c); }
  void operator()(N_Vector v) const { N_VDestroy(v); }
  void operator()(SUNMatrix m) const { SUNMatDestroy(m); }
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
  void operator()(SUNNonlinearSolver s) const { SUNNonlinSolFree(s); }
  void operator()(void* cvode) const { CVodeFree(&cvode); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free>;

template <class Handle>
Handle made(Handle handle) {
  if (handle == nullptr) throw Failure(Exit::simulation_failed, "CVODE could not be set up", "Perhaps memory ran out.");
  return handle;
}

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

void ignore_message(int, const char*, const char*, char*, void*) {}

class Cvode final : public Integrator {
 public:
  Cvode(Ode& ode, const IntegratorSettings& settings, int method);

  void start(double t, std::span<const double> y) override;
  void restart(double t, std::span<const double> y, double first_step) override;
  bool step(double t_limit) override;
  bool state_at(double t, std::span<double> y) override;
  std::span<const double> state() const override { return state_; }
  Statistics statistics() const override;

 private:
  static int derivative(double t, N_Vector y, N_Vector ydot, void* self) noexcept;
  static int integrand(double t, N_Vector y, N_Vector rate, void* self) noexcept;
  void attach_dense(std::size_t n);
  void attach_krylov();
  bool reinitialize(double first_step);
  int reset_integrals();
  int set_integral_tolerances();
  bool adopt_correction();
  std::string explain(int flag) const;
  std::span<double> numbers(N_Vector v) const { return {NV_DATA_S(v), states_}; }
  std::span<double> integrals() const { return {NV_DATA_S(integrals_.get()), rate_.size() - states_}; }
  void check(int flag) const {
    if (flag < 0)
      throw Failure(Exit::simulation_failed, fmt::format("CVODE could not be set up ({})", flag_name(flag)));
  }

  Evaluator evaluator_;
  IntegratorSettings settings_;
  std::size_t states_;         // that CVODES steps on; integrals follow
  std::vector<double> state_;  // corrected, with the integrals
  std::vector<double> rate_;   // of it, where there are integrals
  double largest_integral_ = 0;
  // Destroyed from the last to the first: CVODE uses what stands above it.
  Owned<SUNContext> context_;
  Owned<N_Vector> end_, scratch_;  // the uncorrected end of the last step
  Owned<N_Vector> integrals_;
  Owned<SUNMatrix> matrix_;
  Owned<SUNLinearSolver> linear_;
  Owned<SUNNonlinearSolver> nonlinear_;
  std::unique_ptr<void, Free> cvode_;
  std::string derivative_failure_; // the last one within the current step
  bool corrected_ = false;         // state_ differs from end_, and CVODE does not know yet
  Statistics before_;              // steps and rejections before the last restart
};

Cvode::Cvode(Ode& ode, const IntegratorSettings& settings, int method)
    : evaluator_(ode),
      settings_(settings),
      states_(ode.size() - ode.integrals()),
      state_(ode.size()),
      context_(made(make_context())) {
  // CVODE's norms divide by the number of states: a system without any is given one that rests.
  const std::size_t n = std::max<std::size_t>(states_, 1);
  end_.reset(made(N_VNew_Serial(static_cast<sunindextype>(n), context_.get())));
  scratch_.reset(made(N_VClone(end_.get())));
  N_VConst(0, end_.get());
  cvode_.reset(made(CVodeCreate(method, context_.get())));
  check(CVodeSetErrHandlerFn(cvode_.get(), ignore_message, nullptr));
  check(CVodeInit(cvode_.get(), derivative, 0, end_.get()));
  check(CVodeSetUserData(cvode_.get(), this));
  check(CVodeSetMaxErrTestFails(cvode_.get(), most_trials));
  check(CVodeSetMaxConvFails(cvode_.get(), most_trials));
  check(CVodeSStolerances(cvode_.get(), settings.relative_tolerance, settings.absolute_tolerance));
  if (std::isfinite(settings.max_step)) check(CVodeSetMaxStep(cvode_.get(), settings.max_step));
  if (ode.integrals() > 0) {
    rate_.resize(state_.size());
    integrals_.reset(made(N_VNew_Serial(static_cast<sunindextype>(ode.integrals()), context_.get())));
    N_VConst(0, integrals_.get());
    check(CVodeQuadInit(cvode_.get(), integrand, integrals_.get()));
    check(CVodeSetQuadErrCon(cvode_.get(), SUNTRUE));
    check(set_integral_tolerances());
  }
  if (method == CV_ADAMS) {
    nonlinear_.reset(made(SUNNonlinSol_FixedPoint(end_.get(), 0, context_.get())));
    check(CVodeSetNonlinearSolver(cvode_.get(), nonlinear_.get()));
  } else if (n <= largest_dense) {
    attach_dense(n);
  } else {
    attach_krylov();
  }
}

void Cvode::attach_dense(std::size_t n) {
  matrix_.reset(made(SUNDenseMatrix(static_cast<sunindextype>(n), static_cast<sunindextype>(n), context_.get())));
  linear_.reset(made(SUNLinSol_Dense(end_.get(), matrix_.get(), context_.get())));
  check(CVodeSetLinearSolver(cvode_.get(), linear_.get(), matrix_.get()));
}

void Cvode::attach_krylov() {
  constexpr int largest_subspace = 30;
  linear_.reset(made(SUNLinSol_SPGMR(end_.get(), SUN_PREC_NONE, largest_subspace, context_.get())));
  check(CVodeSetLinearSolver(cvode_.get(), linear_.get(), nullptr));
}

int Cvode::derivative(double t, N_Vector y, N_Vector ydot, void* self) noexcept {
  Cvode& me = *static_cast<Cvode*>(self);
  if (me.states_ == 0) N_VConst(0, ydot);
  if (me.state_.empty()) return 0;
  if (me.rate_.empty()) {
    if (me.evaluator_.evaluate(t, me.numbers(y), me.numbers(ydot))) return 0;
  } else if (me.evaluator_.evaluate(t, me.numbers(y), me.rate_)) {
    std::copy_n(me.rate_.begin(), me.states_, me.numbers(ydot).begin());
    return 0;
  }
  // Kept: CVODE may try other places before it gives up.
  me.derivative_failure_ = me.evaluator_.failure();
  constexpr int recoverable = 1;
  return recoverable;
}

/// Asked for at the end of each step, once its solution has converged. What was exactly zero when the derivative was
/// last asked for, at the same time, is so for the structure of the system; all else is evaluated at the solution
/// itself.
int Cvode::integrand(double t, N_Vector y, N_Vector rate, void* self) noexcept {
  Cvode& me = *static_cast<Cvode*>(self);
  const auto own = std::span(me.rate_).subspan(me.states_);
  const bool idle = std::ranges::all_of(own, [](double x) { return x == 0; });
  if (!idle && !me.evaluator_.evaluate(t, me.numbers(y), me.rate_)) {
    me.derivative_failure_ = me.evaluator_.failure();
    return 1;
  }
  std::ranges::copy(own, NV_DATA_S(rate));
  return 0;
}

void Cvode::start(double t, std::span<const double> y) {
  std::copy(y.begin(), y.end(), state_.begin());
  time_ = previous_time_ = t;
  corrected_ = false;
  before_ = {};
  evaluator_.reset_count();
  std::copy_n(state_.begin(), states_, numbers(end_.get()).begin());
  check(CVodeReInit(cvode_.get(), t, end_.get()));
  check(reset_integrals());
  check(CVodeSetInitStep(cvode_.get(), std::min(settings_.step, settings_.max_step)));
}

void Cvode::restart(double t, std::span<const double> y, double first_step) {
  if (y.data() != state_.data()) std::copy(y.begin(), y.end(), state_.begin());
  time_ = previous_time_ = t;
  corrected_ = false;
  if (!reinitialize(first_step)) throw Failure(Exit::simulation_failed, std::string(failure()));
}


int Cvode::set_integral_tolerances() {
  return CVodeQuadSStolerances(
      cvode_.get(), integral_tolerance * settings_.relative_tolerance,
      integral_tolerance * (settings_.absolute_tolerance + settings_.relative_tolerance * largest_integral_));
}

int Cvode::reset_integrals() {
  if (rate_.empty()) return CV_SUCCESS;
  std::copy(state_.begin() + static_cast<std::ptrdiff_t>(states_), state_.end(), integrals().begin());
  return CVodeQuadReInit(cvode_.get(), integrals_.get());
}

/// Begins anew from state_, at order 1; first_step 0: with a step size of CVODE's choice.
bool Cvode::reinitialize(double first_step) {
  before_ = statistics();
  std::copy_n(state_.begin(), states_, numbers(end_.get()).begin());
  int flag = CVodeReInit(cvode_.get(), time_, end_.get());
  if (flag == CV_SUCCESS) flag = reset_integrals();
  if (flag != CV_SUCCESS) return fail(explain(flag));
  CVodeSetInitStep(cvode_.get(), first_step);
  return true;
}

/// Gives CVODE the correction of the last step. Drift is added to the zeroth column of the Nordsieck array, which moves
/// the whole history along with the solution and keeps order and step size, as CVODE's own projection does (which
/// exists for BDF only). A jump needs a restart.
bool Cvode::adopt_correction() {
  corrected_ = false;
  const std::span<const double> end = numbers(end_.get());
  double sum = 0;
  for (std::size_t i = 0; i < states_; ++i) {
    const double tolerance = settings_.absolute_tolerance + settings_.relative_tolerance * std::abs(end[i]);
    const double drift = (state_[i] - end[i]) / tolerance;
    sum += drift * drift;
  }
  if (!(std::sqrt(sum / static_cast<double>(states_)) <= largest_drift)) return reinitialize(0);
  double t, gamma, rl1;
  N_Vector solution, y, f, slope;
  void* user;
  const int flag = CVodeGetNonlinearSystemData(cvode_.get(), &t, &solution, &y, &f, &gamma, &rl1, &slope, &user);
  if (flag != CV_SUCCESS) return fail(explain(flag));
  std::copy_n(state_.begin(), states_, numbers(solution).begin());
  return true;
}

bool Cvode::step(double t_limit) {
  if (!check_limit(t_limit)) return false;
  previous_time_ = time_;
  derivative_failure_.clear();
  if (corrected_ && !adopt_correction()) return false;
  int flag = CVodeSetStopTime(cvode_.get(), t_limit);
  double reached = time_;
  if (flag == CV_SUCCESS) flag = CVode(cvode_.get(), t_limit, end_.get(), &reached, CV_ONE_STEP);
  if (flag < 0) return fail(explain(flag));
  if (!(reached > time_)) return fail(explain(CV_TOO_CLOSE));
  const std::span<double> corrected = numbers(scratch_.get());
  std::ranges::copy(numbers(end_.get()), corrected.begin());
  if (!evaluator_.correct(reached, corrected)) {
    const std::string why = evaluator_.correction_failure(reached);
    return reinitialize(0) ? fail(why) : false;
  }
  corrected_ = !std::ranges::equal(corrected, numbers(end_.get()));
  if (!rate_.empty()) {
    if (const int failed = CVodeGetQuad(cvode_.get(), &reached, integrals_.get()); failed < 0)
      return fail(explain(failed));
    std::ranges::copy(integrals(), state_.begin() + static_cast<std::ptrdiff_t>(states_));
    double largest = largest_integral_;
    for (const double x : integrals()) largest = std::max(largest, std::abs(x));
    if (largest > 2 * std::exchange(largest_integral_, largest)) check(set_integral_tolerances());
  }
  std::ranges::copy(corrected, state_.begin());
  time_ = reached;
  return true;
}

bool Cvode::state_at(double t, std::span<double> y) {
  if (is_now(t)) {
    std::copy(state_.begin(), state_.end(), y.begin());
    return true;
  }
  if (!check_within_step(t)) return false;
  const int flag = CVodeGetDky(cvode_.get(), t, 0, scratch_.get());
  if (flag != CV_SUCCESS)
    return fail(fmt::format("CVODE could not interpolate at t = {:.9g} s ({})", t, flag_name(flag)));
  std::ranges::copy(numbers(scratch_.get()), y.begin());
  if (rate_.empty()) return true;
  if (const int failed = CVodeGetQuadDky(cvode_.get(), t, 0, integrals_.get()); failed != CV_SUCCESS)
    return fail(fmt::format("CVODE could not interpolate at t = {:.9g} s ({})", t, flag_name(failed)));
  std::ranges::copy(integrals(), y.begin() + static_cast<std::ptrdiff_t>(states_));
  return true;
}

Statistics Cvode::statistics() const {
  long steps = 0, error_failures = 0, solve_failures = 0;
  CVodeGetNumSteps(cvode_.get(), &steps);
  CVodeGetNumErrTestFails(cvode_.get(), &error_failures);
  CVodeGetNumStepSolveFails(cvode_.get(), &solve_failures);
  return {before_.steps + static_cast<std::size_t>(steps),
          before_.rejected + static_cast<std::size_t>(error_failures + solve_failures), evaluator_.evaluations()};
}

std::string Cvode::explain(int flag) const {
  const std::string small = fmt::format("the step size became too small at t = {:.9g} s", time_);
  if (!derivative_failure_.empty()) return fmt::format("{}: {}", small, derivative_failure_);
  switch (flag) {
    case CV_TOO_CLOSE: return small;
    case CV_ERR_FAILURE: return small + ": the error stays above the tolerance";
    case CV_CONV_FAILURE: return small + ": the implicit equations of a step could not be solved";
    case CV_TOO_MUCH_ACC: return fmt::format("the tolerance is finer than rounding allows at t = {:.9g} s", time_);
    default: return fmt::format("CVODE failed at t = {:.9g} s ({})", time_, flag_name(flag));
  }
}

}  // namespace

std::unique_ptr<Integrator> make_cvode_adams(Ode& ode, const IntegratorSettings& settings) {
  return std::make_unique<Cvode>(ode, settings, CV_ADAMS);
}

std::unique_ptr<Integrator> make_cvode_bdf(Ode& ode, const IntegratorSettings& settings) {
  return std::make_unique<Cvode>(ode, settings, CV_BDF);
}

}  // namespace polyform::host

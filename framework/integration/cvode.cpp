// The multistep methods of SUNDIALS CVODE.
#include <cvode/cvode.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

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
  void attach_dense(std::size_t n);
  void attach_krylov();
  bool reinitialize(double first_step);
  bool adopt_correction();
  std::string explain(int flag) const;
  std::span<double> numbers(N_Vector v) const { return {NV_DATA_S(v), state_.size()}; }
  void check(int flag) const {
    if (flag < 0)
      throw Failure(Exit::simulation_failed, fmt::format("CVODE could not be set up ({})", flag_name(flag)));
  }

  Evaluator evaluator_;
  IntegratorSettings settings_;
  std::vector<double> state_;  // corrected
  // Destroyed from the last to the first: CVODE uses what stands above it.
  Owned<SUNContext> context_;
  Owned<N_Vector> end_, scratch_;  // the uncorrected end of the last step
  Owned<SUNMatrix> matrix_;
  Owned<SUNLinearSolver> linear_;
  Owned<SUNNonlinearSolver> nonlinear_;
  std::unique_ptr<void, Free> cvode_;
  std::string derivative_failure_; // the last one within the current step
  bool corrected_ = false;         // state_ differs from end_, and CVODE does not know yet
  Statistics before_;              // steps and rejections before the last restart
};

Cvode::Cvode(Ode& ode, const IntegratorSettings& settings, int method)
    : evaluator_(ode), settings_(settings), state_(ode.size()), context_(made(make_context())) {
  // CVODE's norms divide by the number of states: a system without any is given one that rests.
  const std::size_t n = std::max<std::size_t>(state_.size(), 1);
  end_.reset(made(N_VNew_Serial(static_cast<sunindextype>(n), context_.get())));
  scratch_.reset(made(N_VClone(end_.get())));
  N_VConst(0, end_.get());
  cvode_.reset(made(CVodeCreate(method, context_.get())));
  check(CVodeSetErrHandlerFn(cvode_.get(), ignore_message, nullptr));
  check(CVodeInit(cvode_.get(), derivative, 0, end_.get()));
  check(CVodeSetUserData(cvode_.get(), this));
  check(CVodeSStolerances(cvode_.get(), settings.relative_tolerance, settings.absolute_tolerance));
  if (std::isfinite(settings.max_step)) check(CVodeSetMaxStep(cvode_.get(), settings.max_step));
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
  if (me.state_.empty()) {
    N_VConst(0, ydot);
    return 0;
  }
  if (me.evaluator_.evaluate(t, me.numbers(y), me.numbers(ydot))) return 0;
  // Kept: CVODE may try other places before it gives up.
  me.derivative_failure_ = me.evaluator_.failure();
  constexpr int recoverable = 1;
  return recoverable;
}

void Cvode::start(double t, std::span<const double> y) {
  std::copy(y.begin(), y.end(), state_.begin());
  time_ = previous_time_ = t;
  corrected_ = false;
  before_ = {};
  evaluator_.reset_count();
  std::copy(state_.begin(), state_.end(), numbers(end_.get()).begin());
  check(CVodeReInit(cvode_.get(), t, end_.get()));
  check(CVodeSetInitStep(cvode_.get(), std::min(settings_.step, settings_.max_step)));
}

void Cvode::restart(double t, std::span<const double> y, double first_step) {
  if (y.data() != state_.data()) std::copy(y.begin(), y.end(), state_.begin());
  time_ = previous_time_ = t;
  corrected_ = false;
  if (!reinitialize(first_step)) throw Failure(Exit::simulation_failed, std::string(failure()));
}

/// Begins anew from state_, at order 1; first_step 0: with a step size of CVODE's choice.
bool Cvode::reinitialize(double first_step) {
  before_ = statistics();
  std::copy(state_.begin(), state_.end(), numbers(end_.get()).begin());
  const int flag = CVodeReInit(cvode_.get(), time_, end_.get());
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
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const double tolerance = settings_.absolute_tolerance + settings_.relative_tolerance * std::abs(end[i]);
    const double drift = (state_[i] - end[i]) / tolerance;
    sum += drift * drift;
  }
  if (!(std::sqrt(sum / static_cast<double>(state_.size())) <= largest_drift)) return reinitialize(0);
  double t, gamma, rl1;
  N_Vector solution, y, f, slope;
  void* user;
  const int flag = CVodeGetNonlinearSystemData(cvode_.get(), &t, &solution, &y, &f, &gamma, &rl1, &slope, &user);
  if (flag != CV_SUCCESS) return fail(explain(flag));
  std::copy(state_.begin(), state_.end(), numbers(solution).begin());
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

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
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cvode_types.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace polyform::cvode {

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
  if (handle == nullptr) throw std::bad_alloc();
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

/// Options of both types, in this order.
enum Option : std::size_t { max_order };

class Cvode final : public StepByStep {
 public:
  Cvode(FirstOrderSystem& system, const StepSettings& settings, int method, int highest_order);

  Status start(double t, std::span<const double> y) noexcept override;
  Status restart(double t, std::span<const double> y, double first_step) noexcept override;
  Status step(double t_limit) noexcept override;
  Status state_at(double t, std::span<double> y) noexcept override;
  std::span<const double> state() const noexcept override { return state_; }
  std::size_t rejected() const noexcept override;
  void destroy() noexcept override { delete this; }

 private:
  static int derivative(double t, N_Vector y, N_Vector ydot, void* self) noexcept;
  static int integrand(double t, N_Vector y, N_Vector rate, void* self) noexcept;
  static int jacobian(double t, N_Vector y, N_Vector ydot, SUNMatrix out, void* self, N_Vector, N_Vector,
                      N_Vector) noexcept;
  void attach_dense(std::size_t n);
  void attach_krylov();
  Status reinitialize(double first_step) noexcept;
  int set_tolerances();
  int reset_integrals();
  int set_integral_tolerances();
  Status adopt_correction() noexcept;
  Status fail_with(int flag) noexcept;
  std::span<double> numbers(N_Vector v) const { return {NV_DATA_S(v), states_}; }
  std::span<double> integrals() const { return {NV_DATA_S(integrals_.get()), rate_.size() - states_}; }
  static void check(int flag) {
    if (flag < 0) throw std::runtime_error(flag_name(flag));
  }

  FirstOrderSystem& system_;
  StepSettings settings_;
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
  Sentence derivative_failure_;    // the last one within the current step
  bool corrected_ = false;         // state_ differs from end_, and CVODE does not know yet
  std::size_t rejected_before_ = 0; // the last restart
};

Cvode::Cvode(FirstOrderSystem& system, const StepSettings& settings, int method, int highest_order)
    : system_(system),
      settings_(settings),
      states_(system.size() - system.integrals()),
      state_(system.size()),
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
  check(CVodeSetMaxOrd(cvode_.get(), highest_order));
  check(set_tolerances());
  if (std::isfinite(settings.max_step)) check(CVodeSetMaxStep(cvode_.get(), settings.max_step));
  if (system.integrals() > 0) {
    rate_.resize(state_.size());
    integrals_.reset(made(N_VNew_Serial(static_cast<sunindextype>(system.integrals()), context_.get())));
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
  check(CVodeSetJacFn(cvode_.get(), jacobian));
}

void Cvode::attach_krylov() {
  constexpr int largest_subspace = 30;
  linear_.reset(made(SUNLinSol_SPGMR(end_.get(), SUN_PREC_NONE, largest_subspace, context_.get())));
  check(CVodeSetLinearSolver(cvode_.get(), linear_.get(), nullptr));
}

/// A state whose error counts nothing is given a tolerance beyond all errors.
int Cvode::set_tolerances() {
  std::vector<double> weights(states_, 1.0);
  system_.error_weights(weights);
  if (std::ranges::all_of(weights, [](double w) { return w == 1; }))
    return CVodeSStolerances(cvode_.get(), settings_.relative_tolerance, settings_.absolute_tolerance);
  constexpr double beyond = 1e200;
  for (std::size_t i = 0; i < states_; ++i)
    numbers(scratch_.get())[i] = weights[i] > 0 ? settings_.absolute_tolerance / weights[i] : beyond;
  return CVodeSVtolerances(cvode_.get(), settings_.relative_tolerance, scratch_.get());
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
  // Kept: CVODE may try other places before it gives up.
  me.derivative_failure_.say(me.system_.failure());
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
  if (!idle && me.system_.derivative(t, me.numbers(y), me.rate_) != Status::ok) {
    me.derivative_failure_.say(me.system_.failure());
    return 1;
  }
  std::ranges::copy(own, NV_DATA_S(rate));
  return 0;
}

/// ∂ẏ/∂y by differences, a column for each state, with the increments of CVODE's own function: that one allocates.
int Cvode::jacobian(double t, N_Vector y, N_Vector ydot, SUNMatrix out, void* self, N_Vector weights, N_Vector moved_rate,
                    N_Vector) noexcept {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  Cvode& me = *static_cast<Cvode*>(self);
  double now, gamma, rl1;
  N_Vector solution, state, rate, slope;
  void* user;
  int flag = CVodeGetErrWeights(me.cvode_.get(), weights);
  if (flag == CV_SUCCESS)
    flag = CVodeGetNonlinearSystemData(me.cvode_.get(), &now, &solution, &state, &rate, &gamma, &rl1, &slope, &user);
  if (flag != CV_SUCCESS) return flag;
  const double size = N_VWrmsNorm(ydot, weights), h = std::abs(gamma / rl1);
  const auto n = static_cast<std::size_t>(N_VGetLength(y));
  const double least = size != 0 ? 1000 * h * rounding * static_cast<double>(n) * size : 1.0;
  double* const x = NV_DATA_S(y);
  const double *const before = NV_DATA_S(ydot), *const after = NV_DATA_S(moved_rate), *const w = NV_DATA_S(weights);
  for (std::size_t j = 0; j < n; ++j) {
    const double here = x[j], by = std::max(std::sqrt(rounding) * std::abs(here), least / w[j]);
    x[j] = here + by;
    flag = derivative(t, y, moved_rate, self);
    x[j] = here;
    if (flag != 0) return flag;
    double* const column = SUNDenseMatrix_Column(out, static_cast<sunindextype>(j));
    for (std::size_t i = 0; i < n; ++i) column[i] = (1 / by) * (after[i] - before[i]);
  }
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
      cvode_.get(), integral_tolerance * settings_.relative_tolerance,
      integral_tolerance * (settings_.absolute_tolerance + settings_.relative_tolerance * largest_integral_));
}

int Cvode::reset_integrals() {
  if (rate_.empty()) return CV_SUCCESS;
  std::copy(state_.begin() + static_cast<std::ptrdiff_t>(states_), state_.end(), integrals().begin());
  return CVodeQuadReInit(cvode_.get(), integrals_.get());
}

/// Begins anew from state_, at order 1; first_step 0: with a step size of CVODE's choice.
Status Cvode::reinitialize(double first_step) noexcept {
  rejected_before_ = rejected();
  std::copy_n(state_.begin(), states_, numbers(end_.get()).begin());
  int flag = CVodeReInit(cvode_.get(), time_, end_.get());
  if (flag == CV_SUCCESS) flag = reset_integrals();
  if (flag != CV_SUCCESS) return fail_with(flag);
  CVodeSetInitStep(cvode_.get(), first_step);
  return Status::ok;
}

/// Gives CVODE the correction of the last step. Drift is added to the zeroth column of the Nordsieck array, which moves
/// the whole history along with the solution and keeps order and step size, as CVODE's own projection does (which
/// exists for BDF only). A jump needs a restart.
Status Cvode::adopt_correction() noexcept {
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
  if (flag != CV_SUCCESS) return fail_with(flag);
  std::copy_n(state_.begin(), states_, numbers(solution).begin());
  return Status::ok;
}

Status Cvode::step(double t_limit) noexcept {
  previous_time_ = time_;
  derivative_failure_ = {};
  if (corrected_ && adopt_correction() != Status::ok) return Status::failed;
  int flag = CVodeSetStopTime(cvode_.get(), t_limit);
  double reached = time_;
  if (flag == CV_SUCCESS) flag = CVode(cvode_.get(), t_limit, end_.get(), &reached, CV_ONE_STEP);
  if (flag < 0) return fail_with(flag);
  if (!(reached > time_)) return fail_with(CV_TOO_CLOSE);
  const std::span<double> corrected = numbers(scratch_.get());
  std::ranges::copy(numbers(end_.get()), corrected.begin());
  if (system_.correct(reached, corrected) != Status::ok) {
    fail(system_.failure());
    reinitialize(0);
    return Status::failed;
  }
  corrected_ = !std::ranges::equal(corrected, numbers(end_.get()));
  if (!rate_.empty()) {
    if (const int failed = CVodeGetQuad(cvode_.get(), &reached, integrals_.get()); failed < 0) return fail_with(failed);
    std::ranges::copy(integrals(), state_.begin() + static_cast<std::ptrdiff_t>(states_));
    double largest = largest_integral_;
    for (const double x : integrals()) largest = std::max(largest, std::abs(x));
    if (largest > 2 * std::exchange(largest_integral_, largest))
      if (const int failed = set_integral_tolerances(); failed < 0) return fail_with(failed);
  }
  std::ranges::copy(corrected, state_.begin());
  time_ = reached;
  return Status::ok;
}

Status Cvode::state_at(double t, std::span<double> y) noexcept {
  const auto failed = [&](int flag) {
    return fail(Message("CVODE could not interpolate at t = {:.9g} s ({})", t, flag_name(flag)));
  };
  if (const int flag = CVodeGetDky(cvode_.get(), t, 0, scratch_.get()); flag != CV_SUCCESS) return failed(flag);
  std::ranges::copy(numbers(scratch_.get()), y.begin());
  if (rate_.empty()) return Status::ok;
  if (const int flag = CVodeGetQuadDky(cvode_.get(), t, 0, integrals_.get()); flag != CV_SUCCESS) return failed(flag);
  std::ranges::copy(integrals(), y.begin() + static_cast<std::ptrdiff_t>(states_));
  return Status::ok;
}

std::size_t Cvode::rejected() const noexcept {
  long error_failures = 0, solve_failures = 0;
  CVodeGetNumErrTestFails(cvode_.get(), &error_failures);
  CVodeGetNumStepSolveFails(cvode_.get(), &solve_failures);
  return rejected_before_ + static_cast<std::size_t>(error_failures + solve_failures);
}

Status Cvode::fail_with(int flag) noexcept {
  const Message small("the step size became too small at t = {:.9g} s", time_);
  if (!derivative_failure_.text().empty())
    return fail(Message("{}: {}", std::string_view(small), derivative_failure_.text()));
  switch (flag) {
    case CV_TOO_CLOSE: return fail(small);
    case CV_ERR_FAILURE: return fail(Message("{}: the error stays above the tolerance", std::string_view(small)));
    case CV_CONV_FAILURE:
      return fail(Message("{}: the implicit equations of a step could not be solved", std::string_view(small)));
    case CV_TOO_MUCH_ACC:
      return fail(Message("the tolerance is finer than rounding allows at t = {:.9g} s", time_));
    default: return fail(Message("CVODE failed at t = {:.9g} s ({})", time_, flag_name(flag)));
  }
}

constexpr std::string_view source =
    "A. C. Hindmarsh et al., SUNDIALS, ACM Trans. Math. Software 31 (2005) 363-396; CVODES of its version 6";

class CvodeType final : public IntegratorType {
 public:
  constexpr CvodeType(std::string_view name, std::string_view meaning, int method, int order, int preference,
                      std::string_view highest)
      : name_(name),
        meaning_(meaning),
        method_(method),
        order_(order),
        preference_(preference),
        fields_{{"max_order", FieldType::integer, "", "highest order of the method", false, highest, {}, 1,
                 static_cast<double>(order)}} {}
  std::string_view name() const noexcept override { return name_; }
  std::string_view meaning() const noexcept override { return meaning_; }
  std::string_view source() const noexcept override { return cvode::source; }
  Strided<const FieldSpec> fields() const noexcept override { return fields_; }
  int order() const noexcept override { return order_; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return preference_; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue> options,
                     DiagnosticSink& sink) const noexcept override {
    try {
      return new Cvode(system, settings, method_, static_cast<int>(options[max_order].integer));
    } catch (const std::exception& why) {
      sink.report({.message = Message("CVODE could not be set up ({})", why.what()),
                   .remedy = "perhaps memory ran out"});
      return nullptr;
    }
  }

 private:
  std::string_view name_, meaning_;
  int method_, order_, preference_;
  FieldSpec fields_[1];
};

}  // namespace

const IntegratorType& adams() noexcept {
  static const CvodeType type("cvode-adams",
                              "adaptive Adams-Moulton multistep method, for smooth motion of large systems", CV_ADAMS,
                              12, 30, "12");
  return type;
}

const IntegratorType& bdf() noexcept {
  static const CvodeType type("cvode-bdf", "adaptive backward differentiation formulas, for stiff systems", CV_BDF, 5,
                              40, "5");
  return type;
}

}  // namespace polyform::cvode

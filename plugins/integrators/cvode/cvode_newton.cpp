// The linear systems of Newton's iteration: dense, by GMRES, or by the system's own matrix.
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "cvode.hpp"

namespace polyform::cvode {

namespace {

// Larger systems begin with GMRES without a preconditioner. It ends before what is stiff is solved, and the error test
// refuses steps. Up to so many states a dense matrix takes its place when so many steps, and this part of all, were
// refused, and when the evaluations have cost what the matrix costs.
constexpr std::size_t largest_dense_of_stiff = 2000;
constexpr long refused_by_stiffness = 8;
constexpr double refused_part = 0.01;

}  // namespace

void Cvode::attach_dense(std::size_t n) {
  const auto rows = static_cast<sunindextype>(n);
  Owned<N_Vector> solution(made(N_VClone(memory_.end.get())));
  Owned<SUNMatrix> matrix(made(SUNDenseMatrix(rows, rows, memory_.context.get())));
  Owned<SUNLinearSolver> dense(made(SUNLinSol_Dense(memory_.end.get(), matrix.get(), memory_.context.get())));
  check(CVodeSetLinearSolver(memory_.cvode.get(), dense.get(), matrix.get()));
  memory_.solution = std::move(solution);
  memory_.matrix = std::move(matrix);
  memory_.linear = std::move(dense);
  check(CVodeSetJacFn(memory_.cvode.get(), jacobian));
}

/// Replaces GMRES where it does not get on; see largest_dense_of_stiff. The history begins anew with the present step.
Status Cvode::replace_krylov() noexcept {
  const bool alone = memory_.linear != nullptr && memory_.matrix == nullptr && newton_ == nullptr;
  if (!alone || states_ > largest_dense_of_stiff) return Status::ok;
  long refused = 0, steps = 0, derivatives = 0, of_products = 0;
  void* const cvode = memory_.cvode.get();
  CVodeGetNumErrTestFails(cvode, &refused);
  if (refused < refused_by_stiffness) return Status::ok;
  CVodeGetNumSteps(cvode, &steps);
  CVodeGetNumRhsEvals(cvode, &derivatives);
  CVodeGetNumLinRhsEvals(cvode, &of_products);
  // n evaluations, and 2/3 n³ operations, of which an evaluation does some 300 for each state.
  const auto n = static_cast<double>(states_), spent = static_cast<double>(derivatives + of_products);
  if (static_cast<double>(refused) < refused_part * static_cast<double>(steps) || spent < n + n * n / 450)
    return Status::ok;
  double h = 0;
  try {
    check(CVodeGetCurrentStep(cvode, &h));
    attach_dense(states_);
  } catch (const std::exception&) {
    return fail_with(CV_MEM_FAIL);
  }
  corrected_ = false;
  return reinitialize(h);
}

void Cvode::attach_krylov() {
  constexpr int largest_subspace = 30;
  memory_.linear.reset(made(SUNLinSol_SPGMR(memory_.end.get(), newton_ == nullptr ? SUN_PREC_NONE : SUN_PREC_RIGHT,
                                            largest_subspace, memory_.context.get())));
  check(CVodeSetLinearSolver(memory_.cvode.get(), memory_.linear.get(), nullptr));
  if (newton_ != nullptr) check(CVodeSetPreconditioner(memory_.cvode.get(), prepare, precondition));
}

int Cvode::prepare(double t, N_Vector y, N_Vector, int derivatives_hold, int* are_new, double gamma,
                   void* self) noexcept {
  constexpr int recoverable = 1;
  Cvode& me = *static_cast<Cvode*>(self);
  *are_new = derivatives_hold ? SUNFALSE : SUNTRUE;
  if (!derivatives_hold) {
    if (me.newton_->linearize(t, me.numbers(y)) != Status::ok) {
      me.derivative_failure_.say(me.system_.failure());
      return recoverable;
    }
    CVodeGetCurrentStep(me.memory_.cvode.get(), &me.linearized_for_);
  }
  return me.newton_->prepare(gamma) == Status::ok ? 0 : recoverable;
}

int Cvode::precondition(double, N_Vector, N_Vector, N_Vector right, N_Vector solution, double, double, int,
                        void* self) noexcept {
  Cvode& me = *static_cast<Cvode*>(self);
  std::ranges::copy(me.numbers(right), me.numbers(solution).begin());
  me.newton_->solve(me.numbers(solution));
  return 0;
}

/// ∂ẏ/∂y by differences, a column for each state, with the increments of CVODE's own function, which allocates.
int Cvode::jacobian(double t, N_Vector y, N_Vector ydot, SUNMatrix out, void* self, N_Vector weights,
                    N_Vector moved_rate, N_Vector) noexcept {
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  Cvode& me = *static_cast<Cvode*>(self);
  double now, gamma, rl1;
  N_Vector solution, state, rate, slope;
  void* user;
  int flag = CVodeGetErrWeights(me.memory_.cvode.get(), weights);
  if (flag == CV_SUCCESS)
    flag = CVodeGetNonlinearSystemData(me.memory_.cvode.get(), &now, &solution, &state, &rate, &gamma, &rl1, &slope,
                                       &user);
  if (flag != CV_SUCCESS) return flag;
  const double size = N_VWrmsNorm(ydot, weights), h = std::abs(gamma / rl1);
  me.linearized_for_ = h;
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

/// By the matrix of the last step. False if that is singular.
bool Cvode::solve_in_place(N_Vector x) noexcept {
  if (newton_ != nullptr) return newton_->solve(numbers(x)), true;
  if (SUNLinSolSolve(memory_.linear.get(), memory_.matrix.get(), memory_.solution.get(), x, 0) != 0) return false;
  N_VScale(1, memory_.solution.get(), x);
  return true;
}

/// Derivatives that were taken for much shorter steps tell of a small neighbourhood alone, such as that of a kink or
/// jump which is left behind. Newton's iteration would end with them far from the solution: they are taken anew.
int Cvode::choose_age_of_derivatives() {
  if (memory_.linear == nullptr) return CV_SUCCESS;
  constexpr double much_longer = 8;
  constexpr long usual = 51;  // steps, CVODE's own choice
  double h = 0;
  const int flag = CVodeGetCurrentStep(memory_.cvode.get(), &h);
  if (flag != CV_SUCCESS) return flag;
  return CVodeSetJacEvalFrequency(memory_.cvode.get(), h > much_longer * linearized_for_ ? 1 : usual);
}

}  // namespace polyform::cvode

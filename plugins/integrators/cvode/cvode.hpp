// The multistep methods of SUNDIALS CVODES, which is CVODE with integrals along the solution.
#pragma once

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "polyform/contract/newton_matrix.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace polyform::cvode {

static_assert(std::is_same_v<realtype, double>);

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

/// Throws std::runtime_error with CVODE's own name of an error.
void check(int flag);

template <class Handle>
Handle made(Handle handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

/// What CVODE works on. It is destroyed from the last to the first: CVODE uses what stands above it.
struct Memory {
  Owned<SUNContext> context;
  Owned<N_Vector> end{}, scratch{};  // end: the uncorrected end of the last step
  Owned<N_Vector> solution{};        // of the dense matrix
  Owned<N_Vector> integrals{};
  Owned<SUNMatrix> matrix{};
  Owned<SUNLinearSolver> linear{};
  Owned<SUNNonlinearSolver> nonlinear{};
  std::unique_ptr<void, Free> cvode{};
};

/// A multistep method of CVODES, of which the history of the steps is CVODES' own.
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
  static int prepare(double t, N_Vector y, N_Vector ydot, int derivatives_hold, int* are_new, double gamma,
                     void* self) noexcept;
  static int precondition(double t, N_Vector y, N_Vector ydot, N_Vector right, N_Vector solution, double gamma,
                          double tolerance, int side, void* self) noexcept;
  void attach_dense(std::size_t n);
  void attach_krylov();
  Status replace_krylov() noexcept;
  Status reinitialize(double first_step) noexcept;
  int reset_integrals();
  int set_integral_tolerances();
  int choose_age_of_derivatives();
  Status adopt_correction() noexcept;
  bool solve_in_place(N_Vector x) noexcept;
  Status fail_with(int flag) noexcept;
  Status fail_to_solve(std::string_view what) noexcept;
  std::span<double> numbers(N_Vector v) const { return {NV_DATA_S(v), states_}; }
  std::span<double> integrals() const { return {NV_DATA_S(memory_.integrals.get()), rate_.size() - states_}; }

  FirstOrderSystem& system_;
  StepSettings settings_;
  NewtonMatrix* newton_ = nullptr;  // of the system, for BDF, or none
  double linearized_for_ = 0;       // the step for which derivatives were taken last, s
  std::size_t states_;              // that CVODES steps on; integrals follow
  std::vector<double> state_;       // corrected, with the integrals
  std::vector<double> rate_;        // of it, where there are integrals
  double largest_integral_ = 0;
  Memory memory_;
  Sentence derivative_failure_;      // the last one within the current step
  bool corrected_ = false;           // state_ differs from memory_.end, and CVODE does not know yet
  std::size_t rejected_before_ = 0;  // the last restart
};

}  // namespace polyform::cvode

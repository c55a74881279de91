// The Radau IIA method of order 5: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed.,
// sections IV.5 and IV.8. Three stages, the last one the end of the step; the equations of the stages are solved by
// Newton's iteration with one real and one complex matrix, in variables that part them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "newton.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace polyform::implicit {

class Radau5 final : public StepByStep {
 public:
  Radau5(FirstOrderSystem&, const StepSettings&, std::unique_ptr<Newton>);
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override;
  Status restart(double t, std::span<const double> y, double first_step) noexcept override;
  Status step(double t_limit) noexcept override;
  Status state_at(double t, std::span<double> y) noexcept override;
  std::span<const double> state() const noexcept override { return now_; }

 private:
  using State = std::vector<double>;
  enum class Trial { good, error_too_large, not_converged, not_evaluated, singular, not_corrected };

  Trial try_step(double h, double end) noexcept;
  bool prepare(double h) noexcept;
  void predict(double h) noexcept;
  Trial iterate(double h) noexcept;
  bool evaluate_stages(double h) noexcept;
  double move_stages(double h) noexcept;
  bool estimate_error(double h) noexcept;
  void find_integrals(double h) noexcept;
  void set_scales() noexcept;
  double size_of(const State& x) const noexcept;
  void accept(double end, double h) noexcept;
  void keep_polynomial() noexcept;
  double smallest_step() const noexcept;
  std::string_view explain(Trial) const noexcept;

  FirstOrderSystem& system_;
  StepSettings settings_;
  std::size_t states_;               ///< without integrals
  std::unique_ptr<Newton> newton_;
  double newton_tolerance_;          ///< of the stages, in units of the tolerances
  State now_, rate_, scale_, largest_integrals_;
  std::array<State, 3> Z_, W_, f_;   ///< of the stages: less the start, the same in the parted variables, f there
  State stage_, error_;
  double h_ = 0, prepared_ = 0, last_size_ = 0, last_error_ = 0;
  double error_size_ = 0, convergence_ = 1, carried_ = 1;
  double last_change_ = 0;  ///< of the stages, by the last iteration
  bool rate_known_ = false, linearized_ = false, fresh_ = false, rejected_now_ = false, has_history_ = false;
  int iterations_ = 0;
  // The polynomial through the last step: y_end + s (c2 + (s − …) (c3 + …)).
  State end_;
  std::array<State, 3> polynomial_;
  double polynomial_size_ = 0;
};

}  // namespace polyform::implicit

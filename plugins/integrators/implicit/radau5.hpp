// The Radau IIA method of order 5: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed.,
// sections IV.5 and IV.8. Three stages, the last one the end of the step; the equations of the stages are solved by
// Newton's iteration with one real and one complex matrix, in variables that part them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "implicit_steps.hpp"

namespace polyform::implicit {

class Radau5 final : public ImplicitSteps {
 public:
  Radau5(FirstOrderSystem&, const StepSettings&, std::unique_ptr<Newton>);
  void destroy() noexcept override { delete this; }
  Status state_at(double t, std::span<double> y) noexcept override;

 private:
  Trial try_step(double h, double end) noexcept override;
  void accept(double end, double h) noexcept override;
  void forget() noexcept override { pace_.forget(); }
  std::span<const double> last_change() const noexcept override { return std::span(f_[0]).first(states_); }
  bool linearize_ahead(double h) noexcept;
  bool prepare(double h) noexcept;
  void predict(double h) noexcept;
  void part_stages() noexcept;
  Trial iterate(double h) noexcept;
  bool evaluate_stages(double h) noexcept;
  double move_stages(double h) noexcept;
  void estimate_error(double h) noexcept;
  double find_integrals(double h) noexcept;
  void keep_polynomial() noexcept;

  NewtonPace pace_;
  std::array<State, 3> Z_, W_, f_;  ///< of the stages: less the start, the same in the parted variables, f there
  State stage_, error_;
  // The polynomial through the last step: y_end + s (c2 + (s − …) (c3 + …)).
  State end_;
  std::array<State, 3> polynomial_;
  std::vector<std::size_t> positions_;  ///< which states are positions
  double polynomial_size_ = 0;
  double linearized_for_ = 0;  ///< the step for which the derivatives were taken
};

}  // namespace polyform::implicit

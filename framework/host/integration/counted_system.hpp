// A differential equation as integrators see it: evaluations are counted and checked for numbers that are not finite,
// and failures have a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/host/integration/ode.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace polyform::host::inline integration {

/// It gives itself for its interface_name, to code that evaluates the equation in another way and counts that.
class CountedSystem final : public FirstOrderSystem,
                            private SecondOrderSystem,
                            private NewtonMatrix,
                            private NewtonDerivative {
 public:
  static constexpr std::string_view interface_name = "polyform.host.counted_system";

  explicit CountedSystem(Ode& ode)
      : ode_(ode),
        second_(ode.second_order()),
        discrete_(ode.discrete()),
        kept_(discrete_ == nullptr ? 0 : discrete_->values().size()) {}

  std::size_t size() const noexcept override { return ode_.size(); }
  std::size_t integrals() const noexcept override { return ode_.integrals(); }
  Status derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  Status correct(double t, std::span<double> y) noexcept override;
  std::string_view failure() const noexcept override { return failure_.text(); }
  void* query(std::string_view asked) noexcept override;

  /// The number of evaluations of the derivative since the count began; a linearization counts as one.
  std::size_t evaluations() const noexcept { return evaluations_; }
  void begin_count() noexcept { evaluations_ = 0; }
  void count() noexcept { ++evaluations_; }
  /// Whether the method has asked for Newton's matrix, which means that it is implicit.
  bool was_asked_for_matrix() const noexcept { return was_asked_for_matrix_; }

 private:
  Status derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept override;
  /// Checks the result of an evaluation; a failure gets its sentence.
  Status looked_at(bool evaluated, double t, std::span<const double> y, std::span<double> ydot) noexcept;
  Status linearize(double t, std::span<const double> y) noexcept override;
  Status prepare(double gamma) noexcept override { return newton_->prepare(gamma); }
  Status prepare_complex(double real, double imaginary) noexcept override {
    return newton_->prepare_complex(real, imaginary);
  }
  void solve(std::span<double> x) noexcept override { newton_->solve(x.first(states())); }
  void solve_complex(std::span<double> real, std::span<double> imaginary) noexcept override {
    newton_->solve_complex(real.first(states()), imaginary.first(states()));
  }
  std::size_t states() const noexcept { return ode_.size() - ode_.integrals(); }

  std::span<const StateKind> kinds() const noexcept override { return second_->kinds(); }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

  Ode& ode_;
  SecondOrderSystem* second_;       ///< nullptr if there is none
  NewtonMatrix* newton_ = nullptr;  ///< found when it is first asked for; nullptr if there is none
  DiscreteState* discrete_;         ///< nullptr if there is none
  std::vector<std::int32_t> kept_;  ///< its values before a correction
  std::size_t evaluations_ = 0;
  bool was_asked_for_matrix_ = false;
  Sentence failure_;
};

}  // namespace polyform::host::integration

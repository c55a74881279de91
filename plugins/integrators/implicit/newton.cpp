#include "newton.hpp"

#include "dense_newton.hpp"

namespace polyform::implicit {

namespace {

// Beyond so many states a full matrix takes minutes to factorize and the memory of a small machine.
constexpr std::size_t largest_full = 2000;

/// The system's own.
class StructuredNewton final : public Newton {
 public:
  StructuredNewton(FirstOrderSystem& system, NewtonMatrix& matrix) : Newton(system), matrix_(matrix) {}
  bool linearize(double t, std::span<const double> y) noexcept override {
    ++linearizations_;
    return matrix_.linearize(t, y) == Status::ok;
  }
  bool prepare(double gamma) noexcept override { return matrix_.prepare(gamma) == Status::ok; }
  bool prepare(std::complex<double> gamma) noexcept override {
    return matrix_.prepare_complex(gamma.real(), gamma.imag()) == Status::ok;
  }
  void solve(std::span<double> x) noexcept override { matrix_.solve(x); }
  void solve(std::span<double> real, std::span<double> imaginary) noexcept override {
    matrix_.solve_complex(real, imaginary);
  }

 private:
  NewtonMatrix& matrix_;
};

}  // namespace

std::unique_ptr<Newton> newton_for(FirstOrderSystem& system, const StepSettings& settings) {
  if (auto* const matrix = ask<NewtonMatrix>(system)) return std::make_unique<StructuredNewton>(system, *matrix);
  if (system.size() - system.integrals() > largest_full) return nullptr;
  return std::make_unique<DenseNewton>(system, settings);
}

}  // namespace polyform::implicit

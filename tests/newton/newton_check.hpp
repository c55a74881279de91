// Newton's matrix of a solver against differences of its derivative.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "polyform/contract/newton_matrix.hpp"
#include "polyform/contract/second_order.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

/// A solver by riccati at the initial state of a model, with all ∂f/∂y by central differences.
class NewtonCheck {
 public:
  explicit NewtonCheck(const std::string& text, std::string_view formulation = "riccati")
      : system_(system_from_text(text)), solver_(make(formulation)), y_(initial_vector(*system_, *solver_)) {
    const std::size_t n = y_.size();
    J_.resize(n * n);
    std::vector<double> up(n), down(n);
    for (std::size_t j = 0; j < n; ++j) {
      const double here = y_[j], by = 1e-6 * (1 + std::abs(here));
      y_[j] = here + by;
      REQUIRE(solver_->derivative(0, y_, up) == Status::ok);
      y_[j] = here - by;
      REQUIRE(solver_->derivative(0, y_, down) == Status::ok);
      y_[j] = here;
      for (std::size_t i = 0; i < n; ++i) J_[i * n + j] = (up[i] - down[i]) / (2 * by);
    }
  }

  NewtonMatrix* matrix() { return ask<NewtonMatrix>(*solver_); }

  /// The part of a random error that one iteration leaves. size_of_states: of first-order states, against that of
  /// displacements.
  double residual(std::complex<double> gamma, double size_of_states = 1) {
    NewtonMatrix* const newton = matrix();
    REQUIRE(newton != nullptr);
    REQUIRE(newton->linearize(0, y_) == Status::ok);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const std::size_t n = y_.size();
    std::vector<double> real(n), imaginary(n);
    for (double& x : real) x = normal(random);
    if (gamma.imag() != 0)
      for (double& x : imaginary) x = normal(random);
    const auto unit = [&](std::size_t i) { return unit_of(i, gamma, size_of_states); };
    for (std::size_t i = 0; i < n; ++i) {
      real[i] *= unit(i);
      imaginary[i] *= unit(i);
    }
    const std::vector<std::complex<double>> x = together(real, imaginary), wanted = times(gamma, x);
    for (std::size_t i = 0; i < n; ++i) {
      real[i] = wanted[i].real();
      imaginary[i] = wanted[i].imag();
    }
    solve(*newton, gamma, real, imaginary);
    return error_of(together(real, imaginary), x, gamma, size_of_states);
  }

  /// The same of a random motion that loops allow: along it, and not beside it, the derivative is that of the system.
  /// All numbers of y are moved and closed again, up and down.
  double residual_in_loops(std::complex<double> gamma, double size_of_states = 1) {
    constexpr double step = 1e-7;
    NewtonMatrix* const newton = matrix();
    REQUIRE(newton != nullptr);
    Correction correction;
    REQUIRE(solver_->correct(0, y_, correction) == Status::ok);
    REQUIRE(newton->linearize(0, y_) == Status::ok);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    const std::size_t n = y_.size();
    std::vector<double> up = y_, down = y_, rates_up(n), rates_down(n), imaginary(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double by = step * unit_of(i, gamma, size_of_states) * normal(random);
      up[i] += by;
      down[i] -= by;
    }
    for (std::vector<double>* const there : {&up, &down}) {
      INFO(solver_->failure());
      REQUIRE(solver_->correct(0, *there, correction) == Status::ok);
    }
    REQUIRE(solver_->derivative(0, up, rates_up) == Status::ok);
    REQUIRE(solver_->derivative(0, down, rates_down) == Status::ok);
    std::vector<std::complex<double>> x(n);
    std::vector<double> real(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = (up[i] - down[i]) / (2 * step);
      const std::complex<double> wanted = x[i] - gamma * (rates_up[i] - rates_down[i]) / (2 * step);
      real[i] = wanted.real();
      imaginary[i] = wanted.imag();
    }
    solve(*newton, gamma, real, imaginary);
    return error_of(together(real, imaginary), x, gamma, size_of_states);
  }

 private:
  static void solve(NewtonMatrix& newton, std::complex<double> gamma, std::span<double> real,
                    std::span<double> imaginary) {
    if (gamma.imag() == 0) {
      REQUIRE(newton.prepare(gamma.real()) == Status::ok);
      newton.solve(real);
    } else {
      REQUIRE(newton.prepare_complex(gamma.real(), gamma.imag()) == Status::ok);
      newton.solve_complex(real, imaginary);
    }
  }
  /// A velocity counts by the displacement that it makes in the time γ.
  double unit_of(std::size_t i, std::complex<double> gamma, double size_of_states) {
    const StateKind kind = ask<SecondOrderSystem>(*solver_)->kinds()[i];
    return kind == StateKind::velocity ? 1 / std::abs(gamma) : kind == StateKind::other ? size_of_states : 1;
  }
  double error_of(const std::vector<std::complex<double>>& found, const std::vector<std::complex<double>>& x,
                  std::complex<double> gamma, double size_of_states) {
    double error = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double unit = unit_of(i, gamma, size_of_states);
      error = std::max(error, std::abs(found[i] - x[i]) / unit);
      size = std::max(size, std::abs(x[i]) / unit);
    }
    return error / size;
  }
  static std::vector<std::complex<double>> together(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<std::complex<double>> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = {a[i], b[i]};
    return out;
  }
  host::SolverPointer make(std::string_view name) {
    for (const Formulation* f : formulations_for(*system_))
      if (f->name() == name) return solver_for(*system_, *f);
    FAIL("no formulation " << std::string(name));
    return {};
  }
  std::vector<std::complex<double>> times(std::complex<double> gamma,
                                          const std::vector<std::complex<double>>& x) const {
    const std::size_t n = x.size();
    std::vector<std::complex<double>> out = x;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) out[i] -= gamma * J_[i * n + j] * x[j];
    return out;
  }

  std::unique_ptr<host::System> system_;
  host::SolverPointer solver_;
  std::vector<double> y_, J_;
};

}  // namespace polyform::test

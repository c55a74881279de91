// Modes of beams against tables, their differential equation, their boundary conditions and quadrature.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "plugins/elements/flexible/beam_mode.hpp"

namespace polyform::test {
namespace {

using flexible::BeamMode;
using flexible::Boundary;
constexpr Boundary boundaries[] = {Boundary::clamped_free, Boundary::pinned_pinned, Boundary::free_free};

/// ∫₀¹ f dξ by Gauss's rule with five points on each of many panels.
template <class Function>
double integral(Function f, int panels = 400) {
  constexpr double nodes[] = {0, 0.5384693101056831, 0.9061798459386640};
  constexpr double weights[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  double sum = 0;
  const double half = 0.5 / panels;
  for (int i = 0; i < panels; ++i) {
    const double middle = (2 * i + 1) * half;
    for (int j = 0; j < 3; ++j)
      sum += weights[j] * (j == 0 ? f(middle) : f(middle - half * nodes[j]) + f(middle + half * nodes[j]));
  }
  return half * sum;
}

/// dⁿf/dξⁿ as a number of order one.
double scaled(const BeamMode& f, double xi, int n) { return f.derivative(xi, n) / std::pow(f.eigenvalue(), n); }

}  // namespace

TEST_CASE("the first five eigenvalues of each boundary are those of the tables") {
  // Clamped-free and free-free: R. D. Blevins, Formulas for Natural Frequency and Mode Shape, 1979, Table 8-1; digits
  // beyond the table from cos λ cosh λ = ∓1 at 40 digits.
  const double clamped[] = {1.8751040687119611664, 4.6940911329741745764, 7.8547574382376125649, 10.995540734875466990,
                            14.137168391046470581};
  const double free[] = {4.7300407448627040260, 7.8532046240958375565, 10.995607838001670906, 14.137165491257464177,
                         17.278759657399481438};
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(BeamMode(Boundary::clamped_free, k).eigenvalue() == Approx(clamped[k]).epsilon(4e-16));
    CHECK(BeamMode(Boundary::free_free, k).eigenvalue() == Approx(free[k]).epsilon(4e-16));
    CHECK(BeamMode(Boundary::pinned_pinned, k).eigenvalue() ==
          Approx(std::numbers::pi * static_cast<double>(k + 1)).epsilon(4e-16));
  }
}

TEST_CASE("high eigenvalues approach odd multiples of pi / 2, from both sides in turn") {
  const std::size_t k = 5;
  const double a = std::numbers::pi * 5.5, sech = 1 / std::cosh(a);
  CHECK(BeamMode(Boundary::clamped_free, k).eigenvalue() - a == Approx(-sech).margin(4e-15));
  for (const std::size_t high : {59UL, 999UL, 100000UL}) {
    CHECK(BeamMode(Boundary::clamped_free, high).eigenvalue() ==
          Approx((static_cast<double>(high) + 0.5) * std::numbers::pi).epsilon(4e-16));
    CHECK(BeamMode(Boundary::free_free, high).eigenvalue() ==
          Approx((static_cast<double>(high) + 1.5) * std::numbers::pi).epsilon(4e-16));
  }
}

TEST_CASE("modes fulfil their boundary conditions, the sixtieth as the first") {
  for (std::size_t k = 0; k < 60; ++k) {
    INFO("mode " << k);
    const BeamMode clamped(Boundary::clamped_free, k), pinned(Boundary::pinned_pinned, k), free(Boundary::free_free, k);
    for (const int n : {0, 1}) CHECK(std::abs(scaled(clamped, 0, n)) < 1e-13);
    for (const int n : {2, 3}) CHECK(std::abs(scaled(clamped, 1, n)) < 1e-13);
    for (const int n : {0, 2})
      for (const double xi : {0.0, 1.0}) CHECK(std::abs(scaled(pinned, xi, n)) < 1e-13);
    for (const int n : {2, 3})
      for (const double xi : {0.0, 1.0}) CHECK(std::abs(scaled(free, xi, n)) < 1e-13);
  }
}

TEST_CASE("modes are +1 at their end, pinned-pinned ones at their first crest") {
  for (std::size_t k = 0; k < 60; ++k) {
    CHECK(BeamMode(Boundary::clamped_free, k).derivative(1, 0) == Approx(1).epsilon(1e-13));
    CHECK(BeamMode(Boundary::free_free, k).derivative(1, 0) == Approx(1).epsilon(1e-13));
    CHECK(BeamMode(Boundary::pinned_pinned, k).derivative(0.5 / static_cast<double>(k + 1), 0) == Approx(1));
  }
}

TEST_CASE("derivatives of a mode are the slopes of each other, and the fourth is lambda^4 times the mode") {
  constexpr double h = 1e-3;
  for (const Boundary boundary : boundaries)
    for (const std::size_t k : {0UL, 1UL, 4UL}) {
      const BeamMode f(boundary, k);
      for (double xi = 0.05; xi < 1; xi += 0.1) {
        CHECK(scaled(f, xi, 4) == Approx(scaled(f, xi, 0)).margin(1e-13));
        for (int n = 0; n < 4; ++n) {
          const auto at = [&](double d) { return scaled(f, xi + d, n); };
          const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
          CHECK(slope == Approx(f.eigenvalue() * scaled(f, xi, n + 1)).margin(1e-6));
        }
      }
    }
}

TEST_CASE("the closed-form integrals are those of quadrature, and modes are orthogonal") {
  for (const Boundary boundary : boundaries)
    for (const std::size_t k : {0UL, 1UL, 2UL, 7UL, 30UL, 59UL}) {
      INFO("boundary " << static_cast<int>(boundary) << ", mode " << k);
      const BeamMode f(boundary, k);
      CHECK(integral([&](double xi) { return f.derivative(xi, 0); }) == Approx(f.mean()).margin(1e-14));
      CHECK(integral([&](double xi) { return xi * f.derivative(xi, 0); }) == Approx(f.moment()).margin(1e-14));
      for (const std::size_t l : {0UL, 1UL, 2UL, 7UL, 30UL, 59UL}) {
        const BeamMode g(boundary, l);
        const double product = integral([&](double xi) { return f.derivative(xi, 0) * g.derivative(xi, 0); });
        CHECK(product == Approx(k == l ? f.square() : 0).margin(1e-13));
      }
      const double bending = integral([&](double xi) { return std::pow(scaled(f, xi, 2), 2); });
      CHECK(bending == Approx(f.square()).epsilon(1e-13));
    }
}

TEST_CASE("the sixtieth mode has fourteen digits, where hyperbolic functions of size 1e81 cancel") {
  // f and f' / λ at ξ = 0.01, 0.3, 0.77, 0.99 from the textbook form at 260 digits.
  constexpr double xi[] = {0.01, 0.3, 0.77, 0.99};
  constexpr double clamped[][2] = {{-0.702036501834824543905, -0.253756512963505582738},
                                   {0.672498511963957326960, -0.218508012224410535400},
                                   {0.692415089683201001103, -0.143392271685069257372},
                                   {-0.547796838195809540515, 0.407996176602520586128}};
  constexpr double free[][2] = {{0.560266685975298292433, 0.385818672852247026102},
                                {-0.218508012224410535400, 0.672498511963957326960},
                                {0.614215234211585495362, 0.350342184246212598402},
                                {-0.560266685975298292433, 0.385818672852247026102}};
  const BeamMode on_clamp(Boundary::clamped_free, 59), in_air(Boundary::free_free, 59);
  for (int i = 0; i < 4; ++i)
    for (const int n : {0, 1}) {
      CHECK(std::abs(scaled(on_clamp, xi[i], n) - clamped[i][n]) < 2e-14);
      CHECK(std::abs(scaled(in_air, xi[i], n) - free[i][n]) < 2e-14);
    }
  const BeamMode highest(Boundary::free_free, 5000);
  CHECK(highest.derivative(1, 0) == Approx(1).epsilon(1e-11));
  CHECK(std::isfinite(highest.derivative(0.5, 0)));
}

}  // namespace polyform::test

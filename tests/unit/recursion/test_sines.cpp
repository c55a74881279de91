// Sines and cosines in blocks against the standard library's in longer numbers.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "sines.hpp"

using namespace polyform;

namespace {

struct Turns {
  std::vector<double> angle, sine, cosine;

  explicit Turns(std::vector<double> angles) : angle(std::move(angles)), sine(angle.size()), cosine(angle.size()) {
    sines_and_cosines(angle.data(), angle.size(), sine.data(), cosine.data());
  }
};

/// |x − truth| in units of the last place of truth.
double ulps(double x, long double truth) {
  int exponent = 0;
  (void)std::frexp(static_cast<double>(truth), &exponent);
  return static_cast<double>(std::abs(static_cast<long double>(x) - truth) / std::ldexp(1.0L, exponent - 53));
}

/// The largest error of all sines and cosines.
double worst(const Turns& t) {
  double error = 0;
  for (std::size_t i = 0; i < t.angle.size(); ++i) {
    const auto exact = static_cast<long double>(t.angle[i]);
    error = std::max({error, ulps(t.sine[i], std::sin(exact)), ulps(t.cosine[i], std::cos(exact))});
  }
  return error;
}

}  // namespace

TEST_CASE("sines and cosines in blocks are within 1.1 units of the last place") {
  std::mt19937_64 random(7);
  std::vector<double> angles;
  for (const double size : {1e-300, 1e-8, 1e-3, 0.5, 4.0, 100.0, 1e4, 1e6}) {
    std::uniform_real_distribution<double> uniform(-size, size);
    for (int i = 0; i < 20000; ++i) angles.push_back(uniform(random));
  }
  CHECK(worst(Turns(angles)) < 1.1);
}

TEST_CASE("sines and cosines in blocks keep their digits next to their zeros") {
  std::vector<double> angles;
  for (int k = -600000; k <= 600000; k += 37) {
    const double zero = k * (std::numbers::pi / 2);
    for (const double a : {std::nextafter(zero, -1e7), zero, std::nextafter(zero, 1e7), zero / 2})
      if (a != 0) angles.push_back(a);
  }
  CHECK(worst(Turns(angles)) < 1.1);
}

TEST_CASE("sines and cosines in blocks: zero, whole blocks and what is left of one") {
  for (std::size_t count = 0; count < 20; ++count) {
    const Turns t(std::vector<double>(count, 0.0));
    CHECK(std::all_of(t.sine.begin(), t.sine.end(), [](double s) { return s == 0; }));
    CHECK(std::all_of(t.cosine.begin(), t.cosine.end(), [](double c) { return c == 1; }));
  }
}

TEST_CASE("sines and cosines of huge angles are the library's, of others none") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Turns t({1e7, -3e18, 1e300, 0.3, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()});
  for (const std::size_t i : {0u, 1u, 2u}) {
    CHECK(t.sine[i] == std::sin(t.angle[i]));
    CHECK(t.cosine[i] == std::cos(t.angle[i]));
  }
  CHECK(t.sine[3] == Approx(std::sin(0.3)).epsilon(1e-15));
  for (const std::size_t i : {4u, 5u, 6u}) {
    CHECK(std::isnan(t.sine[i]));
    CHECK(std::isnan(t.cosine[i]));
  }
}

// Which values the cases of a study take.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/workbench/studies/design.hpp"

using namespace polyform::host;
using Catch::Contains;

namespace {

Design design(const std::vector<std::string>& factors, const DesignRequest& request) {
  std::vector<Factor> all;
  for (const std::string& text : factors) all.push_back(read_factor(text));
  return {std::move(all), request};
}

std::vector<double> column(const Design& d, std::size_t factor) {
  std::vector<double> values;
  for (std::size_t k = 0; k < d.cases(); ++k) values.push_back(std::stod(d.values(k)[factor]));
  return values;
}

double mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double covariance(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - mean(x)) * (y[k] - mean(y));
  return sum / static_cast<double>(x.size());
}

std::string refusal(const std::string& factor) {
  try {
    read_factor(factor);
  } catch (const Failure& failure) {
    return failure.message() + " | " + failure.remedy();
  }
  return {};
}

}  // namespace

TEST_CASE("a grid has every value with every other, the last factor fastest") {
  const Design d = design({"a=1,2", "b=0:1:3", "c=x,y"}, {});
  CHECK(d.method() == Method::grid);
  REQUIRE(d.cases() == 12);
  CHECK(d.values(0) == std::vector<std::string>{"1", "0", "x"});
  CHECK(d.values(1) == std::vector<std::string>{"1", "0", "y"});
  CHECK(d.values(2) == std::vector<std::string>{"1", "0.5", "x"});
  CHECK(d.values(11) == std::vector<std::string>{"2", "1", "y"});
}

TEST_CASE("a range has both ends exactly") {
  const Factor factor = read_factor("a=0.1:0.3:3");
  REQUIRE(factor.levels() != nullptr);
  CHECK(factor.levels()->texts.front() == "0.1");
  CHECK(factor.levels()->texts.back() == "0.3");
  CHECK(read_factor("a=5:7:1").levels()->texts == std::vector<std::string>{"5"});
}

TEST_CASE("several paths of a factor take one value") {
  const Factor factor = read_factor("bodies.a.mass, bodies.b.mass = 1,2");
  CHECK(factor.name == "bodies.a.mass");
  CHECK(factor.paths == std::vector<std::string>{"bodies.a.mass", "bodies.b.mass"});
}

TEST_CASE("a Latin hypercube takes one value in each share of every factor") {
  DesignRequest request{Method::latin_hypercube, 50, 7, {}};
  const Design d = design({"a=uniform(0,50)", "b=uniform(0,50)"}, request);
  for (const std::size_t factor : {0u, 1u}) {
    std::set<int> shares;
    for (const double value : column(d, factor)) shares.insert(static_cast<int>(value));
    CHECK(shares.size() == 50);
  }
  // The order of the shares is that of chance.
  CHECK(std::abs(covariance(column(d, 0), column(d, 1))) < 0.5 * 50 * 50 / 12);
}

TEST_CASE("correlated factors of a Latin hypercube take one value in each share, too") {
  constexpr std::size_t samples = 2000;
  const DesignRequest request{Method::latin_hypercube, samples, 7, {1, 0.8, -0.3, 0.8, 1, 0, -0.3, 0, 1}};
  const Design d = design({"a=uniform(0,2000)", "b=uniform(0,2000)", "c=uniform(0,2000)"}, request);
  for (const std::size_t factor : {0u, 1u, 2u}) {
    std::set<int> shares;
    for (const double value : column(d, factor)) shares.insert(static_cast<int>(value));
    CHECK(shares.size() == samples);
  }
  // Of uniform factors whose normal scores have the correlation r it is 6/π asin(r/2).
  const double variance = samples * samples / 12.0, of_b = 6 / 3.141592653589793 * std::asin(0.4);
  CHECK(covariance(column(d, 0), column(d, 1)) == Approx(of_b * variance).epsilon(0.05));
  CHECK(std::abs(covariance(column(d, 1), column(d, 2))) < 0.06 * variance);
}

TEST_CASE("distributions have their means and deviations") {
  // The integrals of a Sobol sequence are right to about 1/N.
  const DesignRequest request{Method::sobol, 4096, 3, {}};
  const Design d = design({"u=uniform(2,4)", "l=loguniform(1,100)", "n=normal(5,0.5)", "t=triangular(0,1,4)"}, request);
  CHECK(mean(column(d, 0)) == Approx(3).epsilon(1e-3));
  CHECK(mean(column(d, 1)) == Approx(99 / std::log(100)).epsilon(1e-2));
  CHECK(mean(column(d, 2)) == Approx(5).epsilon(1e-3));
  CHECK(std::sqrt(covariance(column(d, 2), column(d, 2))) == Approx(0.5).epsilon(1e-2));
  CHECK(mean(column(d, 3)) == Approx(5.0 / 3).epsilon(1e-3));
  CHECK(covariance(column(d, 3), column(d, 3)) == Approx((0 + 1 + 16 - 0 - 0 - 4) / 18.0).epsilon(1e-2));
}

TEST_CASE("normal factors have the correlation asked for") {
  const DesignRequest request{Method::sobol, 4096, 1, {1, 0.8, 0.8, 1}};
  const Design d = design({"a=normal(0,1)", "b=normal(10,2)"}, request);
  CHECK(covariance(column(d, 0), column(d, 1)) == Approx(0.8 * 2).epsilon(2e-2));
  CHECK(mean(column(d, 1)) == Approx(10).epsilon(1e-3));
}

TEST_CASE("a matrix that is no correlation is refused") {
  const auto attempt = [](std::vector<double> matrix) {
    return [matrix] { design({"a=normal(0,1)", "b=normal(0,1)"}, {Method::random, 4, 1, matrix}); };
  };
  CHECK_THROWS_AS(attempt({1, 0.5, 0.4, 1})(), Failure);
  CHECK_THROWS_AS(attempt({1, 1, 1, 1})(), Failure);
  CHECK_THROWS_AS(attempt({1, 0.5})(), Failure);
}

TEST_CASE("the first cases of random and sobol stay when there are more, and depend on the seed") {
  for (const Method method : {Method::random, Method::sobol}) {
    const Design few = design({"a=uniform(0,1)", "b=normal(0,1)"}, {method, 10, 4, {}});
    const Design many = design({"a=uniform(0,1)", "b=normal(0,1)"}, {method, 1000, 4, {}});
    const Design other = design({"a=uniform(0,1)", "b=normal(0,1)"}, {method, 10, 5, {}});
    for (std::size_t k = 0; k < 10; ++k) CHECK(few.values(k) == many.values(k));
    CHECK(few.values(3) != other.values(3));
  }
}

TEST_CASE("levels in a sampled study have equal shares") {
  const Design d = design({"a=1,2,3,4"}, {Method::latin_hypercube, 40, 1, {}});
  const std::vector<double> values = column(d, 0);
  for (const double level : {1, 2, 3, 4}) CHECK(std::ranges::count(values, level) == 10);
}

TEST_CASE("what is wrong with a factor is said") {
  CHECK_THAT(refusal("mass"), Contains("expected PATH=VALUES"));
  CHECK_THAT(refusal("a="), Contains("it has no values"));
  CHECK_THAT(refusal("a=1,,2"), Contains("a value of the list is empty"));
  CHECK_THAT(refusal("a=1:2"), Contains("a range has three parts"));
  CHECK_THAT(refusal("a=1:2:0"), Contains("expected a count"));
  CHECK_THAT(refusal("a=uniform(2,1)"), Contains("limits that rise"));
  CHECK_THAT(refusal("a=loguniform(0,1)"), Contains("above 0"));
  CHECK_THAT(refusal("a=normal(1,0)"), Contains("deviation above 0"));
  CHECK_THAT(refusal("a=normal(1)"), Contains("takes 2 numbers, found 1"));
  CHECK_THAT(refusal("a=triangular(0,5,1)"), Contains("outside of its limits"));
  CHECK_THAT(refusal("a=unifrom(0,1)"), Contains("Did you mean 'uniform'?"));
}

TEST_CASE("methods and samples that do not fit are refused") {
  CHECK_THROWS_AS(design({"a=uniform(0,1)"}, {Method::grid, 0, 0, {}}), Failure);
  CHECK_THROWS_AS(design({"a=uniform(0,1)"}, {}), Failure);
  CHECK_THROWS_AS(design({"a=1,2"}, {Method::grid, 10, 0, {}}), Failure);
  CHECK_THROWS_AS(method_named("latin"), Failure);
}

TEST_CASE("each solver computes every sample, and more samples keep the first cases") {
  const auto request = [](std::size_t samples) {
    return DesignRequest{.method = Method::sobol, .samples = samples, .seed = 5, .correlation = {}};
  };
  const std::vector<std::string> factors{"a=uniform(0,1)", "solver=riccati,cartesian,thompson", "b=normal(0,1)"};
  const Design d = design(factors, request(8)), more = design(factors, request(16));
  REQUIRE(d.cases() == 24);
  for (std::size_t k = 0; k < d.cases(); ++k) {
    const std::vector<std::string> first = d.values(k / 3 * 3);
    std::vector<std::string> expected = first;
    expected[1] = std::vector<std::string>{"riccati", "cartesian", "thompson"}[k % 3];
    CHECK(d.values(k) == expected);
    CHECK(more.values(k) == d.values(k));
  }
}

TEST_CASE("saltelli mixes two points of each sample, one factor at a time") {
  const Design d = design({"a=uniform(0,1)", "b=uniform(2,3)"},
                          {.method = Method::saltelli, .samples = 4, .seed = 1, .correlation = {}});
  REQUIRE(d.cases() == 16);
  for (std::size_t sample = 0; sample < 4; ++sample) {
    const auto a = d.values(4 * sample), b = d.values(4 * sample + 1);
    CHECK(a != b);
    CHECK(d.values(4 * sample + 2) == std::vector<std::string>{b[0], a[1]});
    CHECK(d.values(4 * sample + 3) == std::vector<std::string>{a[0], b[1]});
  }
}

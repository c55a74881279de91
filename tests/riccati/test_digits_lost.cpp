// Digits lost by the plain product of transfer matrices against the length of a chain, printed as the table of the
// plugin's README: test_riccati "[digits]".
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "polyform/contract/lost_digits.hpp"
#include "tests/riccati/variant_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Decimal digits of 16 that are wrong.
double digits_lost(double error) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return std::isfinite(error) ? std::min(std::log10(std::max(error, epsilon) / epsilon), 16.0) : 16.0;
}

}  // namespace

TEST_CASE("the product of transfer matrices loses digits with the length of a chain", "[digits]") {
  const Options product{{"algorithm", "transfer-product"}}, overall{{"branches", "overall"}};
  std::string table = fmt::format("{:>6} {:>18} {:>18}\n", "n", "transfer-product", "riccati, overall");
  std::vector<double> lost;
  for (const int n : {2, 5, 10, 15, 20, 30, 50, 100, 200}) {
    const auto system = system_from_text(chain_model(n));
    lost.push_back(digits_lost(difference_from_default(*system, product).acceleration));
    const double recursion = digits_lost(difference_from_default(*system, overall).acceleration);
    table += fmt::format("{:>6} {:>18.1f} {:>18.1f}\n", n, lost.back(), recursion);
    CHECK(recursion < 5);
  }
  std::cout << "digits lost of 16, relative to the default\n" << table;
  CHECK(lost.front() < 3);       // two rods: as good as the recursion
  CHECK(lost[2] > lost[0] + 2);  // ten
  CHECK(lost[4] > lost[2] + 2);  // twenty
  CHECK(lost.back() > 15);       // nothing is left
  CHECK(std::is_sorted(lost.begin(), lost.begin() + 5));
}

TEST_CASE("the shipped chain loses about ten digits by the product and keeps them by the recursion") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/transfer_product_chain.yaml");
  const Options by_product{{"algorithm", "transfer-product"}};
  const double product = digits_lost(difference_from_default(*system, by_product).acceleration);
  CHECK(product > 8);
  CHECK(product < 12);
  CHECK(digits_lost(difference_from_default(*system, {{"branches", "overall"}}).acceleration) < 5);
}

TEST_CASE("the product estimates what it has lost, from above and not by far too much") {
  for (const int n : {3, 6, 9, 12}) {
    const auto system = system_from_text(chain_model(n));
    const Options product{{"algorithm", "transfer-product"}};
    const auto solver = solver_for(*system, *registry().catalog().formulations.at("riccati"), product);
    const std::vector<double> y = initial_vector(*system, *solver);
    std::vector<double> rate(y.size());
    REQUIRE(solver->derivative(0, y, rate) == Status::ok);
    const auto* lost = ask<LostDigits>(*solver);
    REQUIRE(lost != nullptr);
    const double error = difference_from_default(*system, product).acceleration;
    INFO(n << " rods: error " << error << ", estimated " << lost->part);
    CHECK(lost->part > 0.1 * error);
    CHECK(lost->part < 1e6 * error);
  }
}

TEST_CASE("a product that overflows is reported with the joint and the way out") {
  const auto system = system_from_text(chain_model(2000));
  const std::string failure = difference_from_default(*system, {{"algorithm", "transfer-product"}}).failure;
  using Catch::Matchers::Contains;
  CHECK_THAT(failure, Contains("joint `rod[") && Contains("`algorithm: transfer-product`") &&
                          Contains("use `algorithm: riccati`"));
}

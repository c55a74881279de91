// Expressions over the columns of a run.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/workbench/studies/quantity.hpp"

using namespace polyform::host;
using Catch::Contains;

namespace {

/// The value where the aggregates are 2, 3, 5, ... in the order in which they are named.
double value(const std::string& expression) {
  Quantities quantities;
  quantities.add("x", expression);
  constexpr double primes[] = {2, 3, 5, 7};
  return quantities.evaluate(std::span(primes).first(quantities.aggregates().size())).at(0);
}

std::string quantity_refusal(const std::string& text) {
  Quantities quantities;
  try {
    quantities.add(text);
  } catch (const Failure& failure) {
    return failure.message() + " | " + failure.remedy();
  }
  return {};
}

}  // namespace

TEST_CASE("expressions follow the rules of arithmetic") {
  CHECK(value("1 + 2*3") == 7);
  CHECK(value("(1 + 2)*3") == 9);
  CHECK(value("2^3^2") == 512);
  CHECK(value("-2^2") == -4);
  CHECK(value("2*-3") == -6);
  CHECK(value("8/4/2") == 1);
  CHECK(value("7 - 2 - 1") == 4);
  CHECK(value("1.5e2") == 150);
  CHECK(value("sqrt(abs(-9)) + cos(pi)") == Approx(2));
}

TEST_CASE("aggregates of columns stand in expressions, the same one once") {
  CHECK(value("max(pin.q) - min(pin.q)") == 2 - 3);
  CHECK(value("final(arm[3].x)^2 + final(arm[3].x)") == 6);
  Quantities quantities;
  quantities.add("a=crossing(front-wheel.z, -1.5) + max( rod.x )");
  REQUIRE(quantities.aggregates().size() == 2);
  CHECK(quantities.aggregates()[0].column == "front-wheel.z");
  CHECK(quantities.aggregates()[0].value == -1.5);
  CHECK(quantities.aggregates()[1].column == "rod.x");
}

TEST_CASE("a column in quotes may have any name") {
  Quantities quantities;
  quantities.add("a=final('p)1.q') - max(\"a+b@1.x\") + crossing( 'c, d.q' , 2)");
  REQUIRE(quantities.aggregates().size() == 3);
  CHECK(quantities.aggregates()[0].column == "p)1.q");
  CHECK(quantities.aggregates()[1].column == "a+b@1.x");
  CHECK(quantities.aggregates()[2].column == "c, d.q");
  CHECK_THAT(quantity_refusal("a=final('p.q)"), Contains("quotation mark"));
}

TEST_CASE("the unit of a quantity is that of its column") {
  const std::vector<Channel> channels{{"time", "s"}, {"pin.q", "rad"}, {"ratio", "1"}};
  Quantities quantities;
  for (const char* text :
       {"a=max(pin.q)", "b=integral(pin.q)", "c=crossing(pin.q, 1)", "d=2*max(pin.q)", "e=integral(ratio)"})
    quantities.add(text);
  CHECK(quantities.unit(0, channels) == "rad");
  CHECK(quantities.unit(1, channels) == "rad s");
  CHECK(quantities.unit(2, channels) == "s");
  CHECK(quantities.unit(3, channels).empty());
  CHECK(quantities.unit(4, channels) == "s");
}

TEST_CASE("what is wrong with a quantity is said with its column") {
  CHECK_THAT(quantity_refusal("max(pin.q)"), Contains("expected NAME=EXPRESSION"));
  CHECK_THAT(quantity_refusal("a=max(pin.q"), Contains("expected ')'"));
  CHECK_THAT(quantity_refusal("a=maxi(pin.q)"), Contains("column 1 of") && Contains("Did you mean 'max'?"));
  CHECK_THAT(quantity_refusal("a=1 +"), Contains("it ends where"));
  CHECK_THAT(quantity_refusal("a=1 2"), Contains("expected an operator"));
  CHECK_THAT(quantity_refusal("a=crossing(pin.q)"), Contains("expected ','"));
  CHECK_THAT(quantity_refusal("a=max()"), Contains("expected the name of a column"));
  CHECK_THAT(quantity_refusal("a=" + std::string(100'000, '(')), Contains("nested too deeply"));
  CHECK_THAT(quantity_refusal("a=" + std::string(100'000, '-') + "1"), Contains("nested too deeply"));
}

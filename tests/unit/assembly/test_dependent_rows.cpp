// Loops that move only by their proportions, with lengths that are rounded: their rows are taken as dependent, and that
// is said.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/assembly/keeping.hpp"
#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

double rounded(double x, double unit) { return unit > 0 ? unit * std::round(x / unit) : x; }
std::string rounded(const Vec3& a, double unit) {
  return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", rounded(a.x, unit), rounded(a.y, unit), rounded(a.z, unit));
}

/// Bennett's linkage of a = 1 m, b = 0.8 m, alpha = 0.7 rad, its places and axes rounded to a unit.
std::string bennett(double unit, const std::string& initial = "") {
  const std::string body = "mass: 1, center_of_mass: [0.4, 0.1, 0], inertia: {xx: 0.02, yy: 0.09, zz: 0.08}";
  const Vec3 places[] = {{0, 0, 0},
                         {0.5403023058681398, 0.8414709848078965, 0},
                         {0.18899445592370112, 0.12679022432784848, -0.07625093551607154},
                         {-0.8, 0, 0}},
             axes[] = {{0, 0, 1},
                       {0.5420904917105653, -0.34807230189556454, 0.7648421872844885},
                       {0.0953136693950895, -0.15181644189449553, 0.9838023543359402},
                       {0, 0.515374149790153, 0.8569652768508635}};
  std::string text = "polyform: 1\nbodies:\n";
  for (int i = 0; i < 3; ++i)
    text += fmt::format("  - {{name: link{}, position: {}, {}}}\n", i + 1, rounded(places[i], unit), body);
  text += "joints:\n";
  const char* const bodies[] = {"ground", "link1", "link2", "link3", "ground"};
  for (int i = 0; i < 4; ++i)
    text +=
        fmt::format("  - {{name: joint{}, type: revolute, base: {}, moving: {}, position: {}, axis: {}{}}}\n", i + 1,
                    bodies[i], bodies[i + 1], rounded(places[i], unit), rounded(axes[i], unit), i == 0 ? initial : "");
  return text;
}

}  // namespace

TEST_CASE("a linkage that moves by its proportions has its degree of freedom with rounded lengths, and that is told") {
  for (const double unit : {1e-6, 1e-7, 1e-8}) {
    const Assembled model(bennett(unit));
    INFO(unit << " m: " << model.messages());
    REQUIRE(model.system);
    CHECK(model.system->count_constraints().degrees_of_freedom == 1);
    CHECK(model.system->count_constraints().redundant == 3);
    CHECK_THAT(model.messages(),
               Contains("depends on the other constraints to") && Contains("it is taken as dependent"));
  }
}

TEST_CASE("a row next to the bound is told to be one that solvers may judge differently") {
  // A chain of pins. A planar joint repeats what they ask for, except for the tilt of their axes.
  const auto messages = [](double tilt) {
    std::string text = "polyform: 1\nbodies:\n", joints;
    const Vec3 places[] = {{0, 0, 0}, {1, 0, 0}, {1.6, 0.5, 0}},
               axes[] = {
                   {0, 0, 1}, {std::sin(tilt), 0, std::cos(tilt)}, {0, std::sin(0.7 * tilt), std::cos(0.7 * tilt)}};
    for (int i = 0; i < 3; ++i) {
      text += fmt::format("  - {{name: b{}, position: {}, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n", i,
                          rounded(places[i], 0));
      joints +=
          fmt::format("  - {{name: j{}, type: revolute, base: {}, moving: b{}, position: {}, axis: {}}}\n", i,
                      i == 0 ? "ground" : fmt::format("b{}", i - 1), i, rounded(places[i], 0), rounded(axes[i], 0));
    }
    return Assembled(text + "joints:\n" + joints +
                     "  - {name: p, type: planar, base: ground, moving: b2, position: [2.2, 0.1, 0], axis: [0, 0, 1], "
                     "axis2: [1, 0, 0], cut: true}\n")
        .messages();
  };
  CHECK_THAT(messages(1e-5), Contains("solvers may judge it differently"));
  CHECK_THAT(messages(1e-6), Contains("taken as dependent") && !Contains("judge it differently"));
  CHECK(messages(1e-3).empty());
}

TEST_CASE("a linkage whose lengths are exact to rounding needs no word") {
  for (const double unit : {0.0, 1e-13}) {
    const Assembled model(bennett(unit));
    INFO(model.messages());
    REQUIRE(model.system);
    CHECK(model.system->count_constraints().degrees_of_freedom == 1);
    CHECK(model.messages().empty());
  }
}

TEST_CASE("a linkage that its lengths lock by much has no degree of freedom, and needs no word") {
  const Assembled model(bennett(1e-2));
  REQUIRE(model.system);
  CHECK(model.system->count_constraints().degrees_of_freedom == 0);
  CHECK(model.messages().empty());
}

TEST_CASE("rates that are given to a linkage with rounded lengths are kept") {
  const Assembled exact(bennett(0, ", initial: {velocity: 1}")), model(bennett(1e-6, ", initial: {velocity: 1}"));
  INFO(model.messages());
  REQUIRE(exact.system);
  REQUIRE(model.system);
  CHECK(model.v("joint1") == 1);
  CHECK_THAT(model.messages(), !Contains("not allow"));
  for (const char* joint : {"joint2", "joint3"}) CHECK(std::abs(model.v(joint) - exact.v(joint)) < 1e-4);
}

TEST_CASE("of values that what is kept settles none is tried by itself") {
  std::vector<std::size_t> all(1000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  int trials = 0, siftings = 0;
  std::vector<std::size_t> last;
  const auto goes = [&](const std::vector<std::size_t>& list) {
    ++trials;
    last = list;
    return std::ranges::count_if(list, [](std::size_t i) { return i % 10 != 0; }) == 0;
  };
  const auto sift = [&](std::vector<std::size_t>& kept, std::vector<std::size_t>& rest) {
    ++siftings;
    for (const std::size_t i : rest)
      if (i % 10 == 0) kept.push_back(i);
    rest.clear();
    return true;
  };
  REQUIRE(host::keep_most(all, goes, sift));
  CHECK(last.size() == 100);
  CHECK(siftings == 1);
  CHECK(trials < 10);
}

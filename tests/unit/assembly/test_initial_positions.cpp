// Initial positions that do not close the loops: these are closed on the branch of the drawing, given positions are
// kept, and changes are reported.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/assembly/assembled.hpp"
#include "tests/unit/assembly/planar_models.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string at(double q) { return fmt::format(", initial: {{position: {:.17g}}}", q); }

/// Cranks of 1 m at 2 m from each other, upright, with a coupler of 2 m; lengths and masses times a size.
std::string sized_parallelogram(const std::string& a, const std::string& d, double size = 1, double mass = 1) {
  return "polyform: 1\nbodies:\n" + rod("p", 0, 0.5 * size, mass) + rod("q", size, size, mass) +
         rod("r", 2 * size, 0.5 * size, mass) + "joints:\n" + pin("A", "ground", "p", 0, 0, a) +
         pin("B", "p", "q", 0, size) + pin("C", "q", "r", 2 * size, size) + pin("D", "r", "ground", 2 * size, 0, d);
}

}  // namespace

TEST_CASE("a parallelogram stays one where its crank is turned past the flat position by the initial position") {
  // Newton's method from the drawn coordinates of the other joints would end in either of the two branches.
  for (const double turn : {0.4, 1.2, -1.4, 2.6, -2.4}) {
    INFO(turn);
    const Assembled model(sized_parallelogram(at(turn), ""));
    REQUIRE(model.system != nullptr);
    CHECK(model.messages().empty());
    CHECK(model.q("A") == turn);
    CHECK(model.q("B") == Approx(-turn).epsilon(1e-12));
    CHECK(model.open().first < 1e-12);
  }
}

TEST_CASE("loops of any size and mass close to rounding") {
  for (const double size : {1e-6, 1.0, 1e6})
    for (const double mass : {1e-9, 1e9}) {
      INFO(size << ' ' << mass);
      const Assembled model(sized_parallelogram(at(0.7), "", size, mass));
      REQUIRE(model.system != nullptr);
      CHECK(model.messages().empty());
      CHECK(model.q("C") == Approx(0.7).epsilon(1e-12));
      CHECK(model.open().first < 1e-14 * std::max(1.0, 10 * size));
    }
}

TEST_CASE("a position that a loop does not allow is told with what was given and what is taken") {
  const Assembled model(sized_parallelogram(at(0.3), at(0.5)));
  REQUIRE(model.system != nullptr);
  CHECK(model.q("A") == 0.3);
  CHECK_THAT(model.messages(),
             Catch::Contains("the loops do not allow the given position of joint `D`: 0.5 given, -0.3 "
                             "taken"));
}

TEST_CASE("positions given to all joints of a loop that close it are taken as they are, without a word") {
  std::string text = sized_parallelogram(at(0.9), at(-0.9));
  for (const auto& [joint, q] : {std::pair<const char*, double>{"B", -0.9}, {"C", 0.9}}) {
    const std::size_t line = text.find(fmt::format("name: {}, ", joint));
    text.insert(text.find("}\n", line), at(q));
  }
  const Assembled model(text);
  REQUIRE(model.system != nullptr);
  INFO(model.messages());
  CHECK(model.messages().empty());
  CHECK(model.q("A") == 0.9);
  CHECK(model.q("B") == -0.9);
}

TEST_CASE("a position beyond what a loop reaches is moved to one that it has, with a word") {
  // Cranks of 1 m and 3 m, 2 m apart, with a coupler of 1.5 m: the long one cannot turn round.
  const std::string text = "polyform: 1\nbodies:\n" + rod("p", 0, 0.5) + rod("q", 0.5, 1) + rod("r", 1.5, 0.5) +
                           "joints:\n" + pin("A", "ground", "p", 0, 0) + pin("B", "p", "q", 0, 1) +
                           pin("C", "q", "r", 1, 2) + pin("D", "ground", "r", 2, 0, at(2.5));
  const Assembled model(text);
  REQUIRE(model.system != nullptr);
  CHECK(model.open().first < 1e-12);
  CHECK_THAT(model.messages(), Catch::Contains("the loops do not allow the given position of joint `D`: 2.5 given"));
}

TEST_CASE("what a loop leaves open is told, and a joint on no loop stays as drawn") {
  // A five-bar with one crank given and a pendulum on its coupler.
  const Assembled model("polyform: 1\nbodies:\n" + rod("p", 0.1, 0.4) + rod("q", 0.7, 1.1) + rod("r", 1.6, 1.0) +
                        rod("s", 2.2, 0.4) + rod("bob", 0.7, 0.6) + "joints:\n" +
                        pin("A", "ground", "p", 0, 0, at(0.3)) + pin("B", "p", "q", 0.2, 0.8) +
                        pin("C", "q", "r", 1.2, 1.4) + pin("D", "r", "s", 2.0, 0.7) + pin("E", "s", "ground", 2.4, 0) +
                        pin("F", "q", "bob", 0.7, 1.1));
  REQUIRE(model.system != nullptr);
  CHECK(model.q("A") == 0.3);
  CHECK(model.q("F") == 0);
  CHECK(model.open().first < 1e-12);
  CHECK_THAT(model.messages(), Catch::Contains("leave open where some joints start") && !Catch::Contains("`F`"));
}

TEST_CASE("links that are drawn stretched are bent to one side, with a word") {
  // Two links of 1 m along x; a rod of 0.2 m holds their end at 1.5 m: as drawn no small step brings it nearer.
  const std::string links = "polyform: 1\nbodies:\n" + rod("p", 0.5, 0) + rod("q", 1.5, 0) + "joints:\n" +
                            pin("A", "ground", "p", 0, 0) + pin("B", "p", "q", 1, 0);
  const auto held = [&](double length) {
    return links + fmt::format(
                       "constraints:\n  - {{name: r, type: distance-rod, a: {{body: ground, point: [1.5, 0, 0]}}, "
                       "b: {{body: q, point: [0.5, 0, 0]}}, length: {}}}\n",
                       length);
  };
  const Assembled model(held(0.2));
  REQUIRE(model.system != nullptr);
  const double x = std::cos(model.q("A")) + std::cos(model.q("A") + model.q("B")),
               y = std::sin(model.q("A")) + std::sin(model.q("A") + model.q("B"));
  CHECK(std::hypot(x - 1.5, y) == Approx(0.2).epsilon(1e-10));
  CHECK(std::abs(model.q("B")) > 0.1);
  CHECK_THAT(model.messages(),
             Catch::Contains("the start lies between two positions in which constraint `r` is closed"));
  const Assembled beyond(held(3.6));  // further than two links of 1 m reach
  CHECK(beyond.system == nullptr);
  CHECK_THAT(beyond.messages(), Catch::Contains("cannot be met from the given initial positions"));
}

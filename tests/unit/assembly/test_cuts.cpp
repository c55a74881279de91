// Which joints close the loops, and the warning if the model's wish is costly.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "polyform/solvers/recursion_cost.hpp"
#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Two shafts and a link between them, tied by crosses of this mass; the output turns and slides in ground. to_first:
/// the joint between the input and the first cross.
std::string shafts_with_crosses(double mass, const std::string& to_first = "revolute, axis: [0, 0, 1]") {
  const std::string cross = fmt::format("mass: {0}, inertia: {{xx: {1}, yy: {1}, zz: {1}}}", mass, mass * 1e-4);
  return "polyform: 1\nname: shafts\nbodies:\n"
         "  - {name: input, mass: 3, center_of_mass: [0.4, 0, 0], inertia: {xx: 0.01, yy: 0.2, zz: 0.2}}\n"
         "  - {name: spider1, position: [0.8, 0, 0], " +
         cross +
         "}\n"
         "  - {name: link, position: [0.8, 0, 0], mass: 1, center_of_mass: [0.3, 0.1, 0], inertia: {xx: 0.02, yy: 0.1, "
         "zz: 0.1}}\n"
         "  - {name: spider2, position: [1.4, 0.2, 0], " +
         cross +
         "}\n"
         "  - {name: output, position: [1.4, 0.2, 0], mass: 2, center_of_mass: [0.4, 0, 0], inertia: {xx: 0.01, yy: "
         "0.1, zz: 0.1}}\n"
         "joints:\n"
         "  - {name: a, type: revolute, base: ground, moving: input, position: [0, 0, 0], axis: [1, 0, 0], initial: "
         "{velocity: 2}}\n"
         "  - {name: b, base: input, moving: spider1, position: [0.8, 0, 0], type: " +
         to_first +
         "}\n"
         "  - {name: c, type: revolute, base: spider1, moving: link, position: [0.8, 0, 0], axis: [0, 1, 0]}\n"
         "  - {name: d, type: revolute, base: link, moving: spider2, position: [1.4, 0.2, 0], axis: [0, 1, 0]}\n"
         "  - {name: e, type: revolute, base: spider2, moving: output, position: [1.4, 0.2, 0], axis: [0, 0, 1]}\n"
         "  - {name: f, type: cylindrical, base: ground, moving: output, position: [2.2, 0.2, 0], axis: [1, 0, 0]}\n";
}

/// Four-bars side by side: uprights on ground, couplers between them. cut_at_ground: all uprights but the first ask to
/// be cut from ground, so that all loops pass the hinge of the first.
std::string row_of_four_bars(int cells, bool cut_at_ground) {
  const std::string rod = "mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.0833, zz: 0.0833}}\n";
  std::string bodies = "polyform: 1\nname: row\nbodies:\n", joints = "joints:\n";
  for (int k = 0; k <= cells; ++k) {
    bodies +=
        fmt::format("  - {{name: up{0}, position: [{0}, 0, 0], orientation: {{axis: [0, 0, 1], angle: 1.5}}, ", k) +
        rod;
    joints += fmt::format(
        "  - {{name: foot{0}, type: revolute, base: ground, moving: up{0}, position: [{0}, 0, 0], "
        "axis: [0, 0, 1]{1}}}\n",
        k, cut_at_ground && k > 0 ? ", cut: true" : "");
  }
  const double x = std::cos(1.5), y = std::sin(1.5);
  for (int k = 0; k < cells; ++k) {
    bodies += fmt::format("  - {{name: top{}, position: [{}, {}, 0], ", k, k + x, y) + rod;
    joints += fmt::format(
        "  - {{name: l{0}, type: revolute, base: up{0}, moving: top{0}, position: [{1}, {2}, 0], axis: [0, 0, 1]}}\n"
        "  - {{name: r{0}, type: revolute, base: top{0}, moving: up{3}, position: [{4}, {2}, 0], axis: [0, 0, 1]}}\n",
        k, k + x, y, k + 1, k + 1 + x);
  }
  return bodies + joints;
}

}  // namespace

TEST_CASE("a loop is not cut beside a body without mass, nor beside one of a billionth of its neighbours'") {
  for (const double mass : {0.0, 1e-9, 1e-12}) {
    const Assembled model(shafts_with_crosses(mass));
    INFO(mass << model.messages());
    REQUIRE(model.system);
    REQUIRE(model.system->view().cut_joints().size() == 1);
    const std::string_view cut = model.system->view().cut_joints().front().name;
    CHECK((cut == "a" || cut == "f"));
    CHECK(formulations_for(*model.system).size() == registry().catalog().formulations.size());
  }
}

TEST_CASE("a weld to a frame without mass stays in the tree, and the frame's other joints may be cut") {
  const Assembled model(shafts_with_crosses(0, "fixed"));
  INFO(model.messages());
  REQUIRE(model.system);
  REQUIRE(model.system->view().cut_joints().size() == 1);
  CHECK(model.system->view().cut_joints().front().nv > 0);
}

TEST_CASE("cuts that make all loops pass one hinge are told with both costs and the joint") {
  const Assembled chosen(row_of_four_bars(40, false)), asked(row_of_four_bars(40, true));
  REQUIRE(chosen.system);
  REQUIRE(asked.system);
  CHECK(chosen.diagnostics.all().empty());
  CHECK_THAT(asked.messages(), Catch::Contains("joints[1].cut") && Catch::Contains("body `up0`") &&
                                   Catch::Contains("200 constraint rows") &&
                                   Catch::Contains("with cuts chosen by polyform"));
  const EvaluationCost few = recursion_cost(chosen.system->view()), many = recursion_cost(asked.system->view());
  CHECK(many.operations > 20 * few.operations);
  CHECK(few.rows <= 10);
}

TEST_CASE("the solver is chosen by what an evaluation costs where its rank would choose a costly one") {
  const Assembled chosen(row_of_four_bars(120, false)), asked(row_of_four_bars(120, true));
  const auto preferred = [](const Assembled& model) {
    return host::preferred_formulation(registry().catalog().formulations, model.system->view()).preference();
  };
  CHECK(preferred(asked) < preferred(chosen));
  // Measured with 200 cells: 9 ms by the reductions, whose rank is higher, and 2.1 ms in absolute coordinates.
  const Assembled long_row(row_of_four_bars(200, true));
  CHECK(host::preferred_formulation(registry().catalog().formulations, long_row.system->view()).name() == "cartesian");
}

TEST_CASE("the cost of local loops grows with their number, of loops through one hinge with its cube") {
  const auto cost = [](int cells, bool at_ground) {
    return recursion_cost(Assembled(row_of_four_bars(cells, at_ground)).system->view()).operations;
  };
  CHECK(cost(160, false) < 4.2 * cost(40, false));
  CHECK(cost(160, true) > 30 * cost(40, true));
}

TEST_CASE("bodies that nothing connects with ground are told, and many of them in one warning") {
  const auto loose = [](int count) {
    std::string text = "polyform: 1\nname: loose\nbodies:\n";
    for (int i = 0; i < count; ++i)
      text += fmt::format("  - {{name: b{}, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n", i);
    return Assembled(text).messages();
  };
  CHECK_THAT(loose(2), Catch::Contains("no joint connects body `b0` with ground") &&
                           Catch::Contains("no joint connects body `b1` with ground"));
  const std::string many = loose(64);
  CHECK_THAT(many,
             Catch::Contains("no joint connects 64 bodies with ground: `b0`, `b1`, `b2` and 61 more move freely"));
  CHECK_THAT(many, !Catch::Contains("`b3`"));
}

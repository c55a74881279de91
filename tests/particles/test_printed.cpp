// Option `equations: printed`: the paper's full system, Eqs 2.18 to 2.28, against the recursion.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/particles/solving.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

const SolverOptions printed{{"equations", "printed"}};

double difference_from_recursion(const host::System& system) {
  const auto recursive = solver_with(system, {}), full = solver_with(system, printed);
  const std::vector<double> y = initial_vector(system, *recursive);
  std::vector<double> a(y.size()), b(y.size());
  REQUIRE(recursive->derivative(0, y, a) == Status::ok);
  REQUIRE(full->derivative(0, initial_vector(system, *full), b) == Status::ok);
  return largest_difference(a, b);
}

/// A tree of solid bodies on balls and pins in turns, every third one on the body two before it, with turning; springs
/// in the pins. root: the type of the first joint.
std::string tree(int count, const char* root) {
  std::string bodies, joints, forces = "forces:\n";
  for (int i = 0; i < count; ++i) {
    const int parent = i % 3 == 2 ? i - 2 : i - 1;
    const double x = 0.9 * i, y = i % 3 == 2 ? 0.7 : 0.1 * i;
    bodies += fmt::format(
        "  - {{name: b{}, position: [{}, {}, {}], mass: {}, center_of_mass: [0.4, 0.1, -0.05], inertia: {{xx: 0.05, "
        "yy: 0.12, "
        "zz: 0.11, xy: 0.01, yz: -0.02}}}}\n",
        i, x, y, 0.2 * (i % 2), 1 + 0.3 * i);
    const bool ball = i % 2 == 0;
    const std::string type = i == 0 ? root : ball ? "spherical" : "revolute";
    joints += fmt::format("  - {{name: j{}, type: {}, base: {}, moving: b{}", i, type,
                          parent < 0 ? "ground" : fmt::format("b{}", parent), i);
    if (type != "free") joints += fmt::format(", position: [{}, {}, 0]", x, y);
    if (type == "revolute") joints += ", axis: [0.3, 0.2, 1], initial: {velocity: 1.7}";
    if (type == "spherical") joints += ", initial: {velocity: [0.5, -1, 2]}";
    joints += "}\n";
    if (type == "revolute")
      forces += fmt::format(
          "  - {{name: k{0}, type: joint-spring-damper, joint: j{0}, stiffness: 20, damping: 0.5, rest: 0.3}}\n", i);
  }
  return "polyform: 1\ngravity: [0.5, -9.81, 1]\nbodies:\n" + bodies + "joints:\n" + joints + forces;
}

}  // namespace

TEST_CASE("the equations as printed give the accelerations of the recursion: spherical, revolute and free bodies") {
  for (const char* root : {"spherical", "revolute", "free"})
    for (const int count : {2, 3, 5, 9}) {
      INFO(root << ", " << count << " bodies");
      CHECK(difference_from_recursion(*system_from_text(tree(count, root))) < 1e-10);
    }
  for (const char* model :
       {"double_pendulum", "triple_spherical_pendulum", "branch_pendulum", "free_body", "heavy_top"}) {
    INFO(model);
    CHECK(difference_from_recursion(*system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, model))) < 1e-10);
  }
}

TEST_CASE("the equations as printed carry any joint of the tree and closed loops, cut joints as rows and unknowns") {
  for (const char* model : {"four_bar_rhombus", "ladder_1", "planar_3rrr", "slider_crank", "andrews", "governor",
                            "bennett", "bricard", "random_tree", "vehicle", "stiff_loop"}) {
    INFO(model);
    CHECK(difference_from_recursion(*system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, model))) < 1e-10);
  }
}

TEST_CASE("reactions of the equations as printed are those of the recursion, of cut joints too") {
  for (const char* model : {"slider_crank", "andrews", "vehicle"}) {
    INFO(model);
    const auto system = system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, model));
    const auto recursive = solver_with(*system, {}), full = solver_with(*system, printed);
    const std::vector<double> y = initial_vector(*system, *recursive);
    host::ObservationStore a(system->view()), b(system->view());
    REQUIRE(recursive->observe(0, y, a.now()) == Status::ok);
    REQUIRE(full->observe(0, initial_vector(*system, *full), b.now()) == Status::ok);
    std::vector<double> first, second;
    for (std::size_t j = 0; j < system->view().joints.size(); ++j)
      for (std::size_t k = 0; k < 6; ++k) {
        first.push_back(a.now().reactions[j][k]);
        second.push_back(b.now().reactions[j][k]);
      }
    CHECK(largest_difference(first, second) < 1e-9);
  }
}

TEST_CASE("what the paper has no equation for is refused by name before running") {
  const auto refusal = [](const char* model) -> std::string {
    const auto system = system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, model));
    try {
      solver_with(*system, printed);
      return {};
    } catch (const host::Failure& failure) {
      return failure.message();
    }
  };
  CHECK_THAT(refusal("prescribed_motion"), Contains("`drive`"));
  CHECK_THAT(refusal("motor_arm"), Contains("`motor`"));
}

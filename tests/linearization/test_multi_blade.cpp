// Multi-blade coordinates of isotropic rotors.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "tests/linearization/linear_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double speed = 4, inertia = 2, stiffness = 18;
/// Slender blades hinged on the shaft: v^2 = k/I + W^2.
const double flap = std::sqrt(stiffness / inertia + speed * speed);

std::unique_ptr<host::System> rotor(int n) {
  std::string bodies, joints, forces;
  for (int b = 0; b < n; ++b) {
    const double a = 2 * M_PI * b / n;
    bodies += fmt::format(
        "  - {{name: blade{}, orientation: {{axis: [0, 0, 1], angle: {}}}, mass: 1, center_of_mass: [1, 0, 0], "
        "inertia: {{xx: 0, yy: 1, zz: 1}}}}\n",
        b + 1, a);
    joints += fmt::format(
        "  - {{name: flap{0}, type: revolute, base: hub, moving: blade{0}, position: [0, 0, 0], axis: [{1}, {2}, "
        "0]}}\n",
        b + 1, std::sin(a), -std::cos(a));
    forces += fmt::format("  - {{name: s{0}, type: joint-spring-damper, joint: flap{0}, stiffness: {1}}}\n", b + 1,
                          stiffness);
  }
  return system_from_text(fmt::format(R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {{name: hub, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}
{}joints:
  - {{name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1], initial: {{position: 0.7}}}}
{}forces:
{}constraints:
  - {{name: drive, type: prescribed-motion, joint: shaft, motion: {{polynomial: [0.7, {}]}}}}
)",
                                      bodies, joints, forces, speed));
}

host::Rotor blades(int n) {
  host::Rotor out{"shaft", {}};
  for (int b = 0; b < n; ++b) out.blades.push_back(fmt::format("flap{}", b + 1));
  return out;
}

}  // namespace

TEST_CASE("an isotropic rotor flaps at v in its own frame and at v, v + W, v - W in the fixed frame") {
  for (const int n : {3, 4, 5}) {
    const auto system = rotor(n);
    for (LinearCase& c : linearize_all(*system)) {
      INFO(n << " blades, " << c.formulation->name());
      for (const double w : frequencies(c.modes)) CHECK(w == Approx(flap).epsilon(1e-10));
      host::use_multi_blade_coordinates(*system, c.point, {blades(n)}, c.linear);
      std::vector<double> expected{flap, flap - speed, flap + speed};
      if (n == 4) expected.push_back(flap);
      if (n == 5) expected.insert(expected.end(), {std::abs(flap - 2 * speed), flap + 2 * speed});
      std::sort(expected.begin(), expected.end());
      const std::vector<double> found =
          frequencies(host::find_modes(c.linear.A.value, c.linear.A.error, c.linear.scales));
      REQUIRE(found.size() == expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) CHECK(found[k] == Approx(expected[k]).epsilon(1e-10));
      CHECK(c.linear.states[0].name == "flap.q.collective");
      CHECK(c.linear.states[1].name == "flap.q.cosine[1]");
    }
  }
}

TEST_CASE("the fixed-frame matrices of an isotropic rotor do not depend on its azimuth") {
  const auto system = rotor(3);
  const Formulation& formulation = *formulations_for(*system).front();
  LinearCase a = linearize_at(*system, formulation, initial_point(*system));
  host::OperatingPoint later = initial_point(*system);
  later.time = 0.3;
  later.state.q[system->view().joints[at(system->joints()[0])].q_offset] += 0.3 * speed;
  LinearCase b = linearize_at(*system, formulation, later);
  host::use_multi_blade_coordinates(*system, a.point, {blades(3)}, a.linear);
  host::use_multi_blade_coordinates(*system, b.point, {blades(3)}, b.linear);
  CHECK((a.linear.A.value - b.linear.A.value).norm() < 1e-10 * a.linear.A.value.norm());
}

TEST_CASE("blades out of order, too few, or unknown are refused") {
  const auto system = rotor(3);
  const LinearCase c = linearize_all(*system).front();
  for (const host::Rotor& wrong :
       {host::Rotor{"shaft", {"flap1", "flap3", "flap2"}}, host::Rotor{"shaft", {"flap1", "flap2"}},
        host::Rotor{"shaft", {"flap1", "flap2", "flop3"}}, host::Rotor{"mast", {"flap1", "flap2", "flap3"}}}) {
    host::Linearization linear = c.linear;
    CHECK_THROWS_AS(host::use_multi_blade_coordinates(*system, c.point, {wrong}, linear), host::Failure);
  }
}

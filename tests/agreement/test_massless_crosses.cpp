// Cardan joints drawn as crosses without mass between two pins, in loops: the cut has to be chosen so that every joint
// of the tree moves some inertia, and the answer is that of the dense Newton-Euler solution in 113-bit numbers.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/quad_reference.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Six bodies in a loop through ground or the first of them: two or three crosses, one of them welded to a frame link.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string text() {
    static constexpr const char* closings[] = {"spherical", "universal", "cylindrical",
                                               "revolute",  "prismatic", "fixed"};
    for (int i = 0; i < 6; ++i) add_body(i);
    const Vec3 place = point(1);
    body("frame", place, 0);
    joints_ += fmt::format("  - {{name: weld, type: fixed, base: b5, moving: frame, position: {}}}\n", text(place));
    const std::string type = closings[below(6)], base = below(2) == 0 ? "ground" : "b0";
    std::string axes;
    if (type != "spherical" && type != "fixed") axes = ", axis: " + text(point(1));
    if (type == "universal") axes += ", axis2: " + text(point(1));
    joints_ += fmt::format("  - {{name: close, type: {}, base: {}, moving: frame, position: {}{}}}\n", type, base,
                           text(place), axes);
    return "polyform: 1\ngravity: [0.5, -9.81, 1]\nbodies:\n" + bodies_ + "joints:\n" + joints_;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Vec3 point(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  static std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

  void body(const std::string& name, const Vec3& position, double mass) {
    bodies_ += fmt::format(
        "  - {{name: {}, position: {}, mass: {}, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}}}\n", name,
        text(position), mass, mass > 0 ? text(point(0.3)) : "[0, 0, 0]", 0.05 * mass, 0.06 * mass, 0.055 * mass);
  }
  void add_body(int i) {
    const Vec3 place = point(1), axis = point(1);
    const Vec3 other = point(1), across = other - (dot(axis, other) / dot(axis, axis)) * axis;
    std::string base = i == 0 ? "ground" : fmt::format("b{}", i - 1);
    const std::string own = fmt::format("b{}", i);
    // Freedoms of the chain: 1, 2 (cross), 3, 2 (cross), 1 or 2 (cross), 1.
    const bool cross = i == 1 || i == 3 || (i == 4 && below(2) == 0);
    if (cross) {
      const std::string name = fmt::format("cross{}", i);
      body(name, place, 0);
      joints_ += fmt::format("  - {{name: in{}, type: revolute, base: {}, moving: {}, position: {}, axis: {}}}\n", i,
                             base, name, text(place), text(axis));
      base = name;
    }
    body(own, place + point(0.3), 1);
    joints_ +=
        fmt::format("  - {{name: j{}, type: {}, base: {}, moving: {}, position: {}{}{}}}\n", i,
                    i == 2 ? "spherical" : "revolute", base, own, text(place),
                    i == 2 ? "" : ", axis: " + text(cross ? across : axis), i == 0 ? ", initial: {velocity: 0.5}" : "");
  }

  std::mt19937_64 random_;
  std::string bodies_, joints_;
};

}  // namespace

TEST_CASE("loops with massless crosses are solved without a word on where to cut them") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto system = system_from_text(Writer(seed).text());
    const std::vector<Spatial> truth = quad_accelerations(*system);
    double most = 0;
    for (const Spatial& a : truth) most = std::max({most, norm(a.angular), norm(a.linear)});
    const auto formulations = formulations_for(*system);
    CHECK(formulations.size() == 6);
    for (const Formulation* formulation : formulations) {
      INFO(formulation->name() << ", seed " << seed);
      const auto solver = solver_for(*system, *formulation);
      host::ObservationStore store(system->view());
      const Status status = solver->observe(0, initial_vector(*system, *solver), store.now());
      INFO(solver->failure());
      REQUIRE(status == Status::ok);
      double error = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        if (system->view().bodies[i].mass == 0) continue;  // a cross between its pins may turn many times faster
        error = std::max({error, norm(store.now().bodies[i].angular_acceleration - truth[i].angular),
                          norm(store.now().bodies[i].acceleration - truth[i].linear)});
      }
      CHECK(error < 1e-9 * most);
    }
  }
}

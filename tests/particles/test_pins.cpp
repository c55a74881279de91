// Joints whose particles stand on ground, and further joints that ask for what those grant already.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/elements/random.hpp"
#include "tests/particles/solving.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

/// A door on a pin, and on a second joint of any kind that is coaxial with the pin or parallel to it. hung: on a frame
/// that is pinned to ground itself, else on ground.
std::string door(Random& random, const char* first, const char* second, bool coaxial, bool hung) {
  const Vec3 axis = random.direction(), across = (1 / norm(cross(axis, Vec3{1, 2, 3}))) * cross(axis, Vec3{1, 2, 3});
  const Vec3 pin = random.vector(1), other = pin + 1.1 * axis + (coaxial ? 0.0 : 0.7) * across;
  const Vec3 place = random.vector(1);
  const std::string axes = fmt::format("axis: {}, axis2: {}", text(axis), text(across));
  const auto joint = [&](const char* name, const char* kind, const char* base, const Vec3& at, const char* more) {
    const bool two = std::string(kind) == "universal", none = std::string(kind) == "spherical";
    return fmt::format("  - {{name: {}, type: {}, base: {}, moving: door, position: {}{}{}}}\n", name, kind, base,
                       text(at),
                       none  ? ""
                       : two ? ", " + axes
                             : fmt::format(", axis: {}", text(axis)),
                       more);
  };
  std::string model = fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n  - {{name: door, position: {}, mass: 1, inertia: {{xx: 0.1, yy: "
      "0.12, zz: 0.15}}}}\n  - {{name: frame, position: {}, mass: 2, inertia: {{xx: 0.3, yy: 0.25, zz: "
      "0.2}}}}\njoints:\n",
      text(place), text(pin - across));
  model += fmt::format("  - {{name: root, type: revolute, base: ground, moving: frame, position: {}, axis: {}}}\n",
                       text(pin - 2 * across), text(random.direction()));
  const char* base = hung ? "frame" : "ground";
  return model + joint("pin", first, base, pin, "") + joint("second", second, base, other, ", cut: true");
}

}  // namespace

TEST_CASE("the sparse system moves what is pinned to ground, in any direction and with a second joint in line") {
  Random random(7);
  for (const char* first : {"revolute", "spherical", "cylindrical", "planar", "universal"})
    for (const char* second : {"revolute", "spherical", "cylindrical", "planar", "universal"})
      for (int k = 0; k < 8; ++k) {
        const std::string model = door(random, first, second, k % 2 == 0, k % 4 > 1);
        INFO(model);
        const auto system = system_from_text(model);
        const auto recursive = solver_with(*system, {}), sparse = solver_with(*system, {{"equations", "sparse"}});
        const std::vector<double> y = initial_vector(*system, *recursive);
        std::vector<double> a(y.size()), b(y.size());
        REQUIRE(recursive->derivative(0, y, a) == Status::ok);
        REQUIRE(sparse->derivative(0, y, b) == Status::ok);
        CHECK(largest_difference(a, b) < 1e-9);
      }
}

namespace {

/// A rod in any direction of its frame, with moment of inertia `axial` (kg m²) about itself and 0.08 across, on a joint
/// that lets it turn about itself.
std::string rod(Random& random, const char* kind, double axial) {
  const Quat q = random.quaternion();
  const double slope = random.uniform(-0.02, 0.02);  // nearly across an axis of ground, the worst direction
  const Vec3 direction = random.integer(0, 1) == 0 ? random.direction() : Vec3{slope, 0.7, 0.7};
  const Vec3 u = (1 / norm(direction)) * transpose_times(rotation_matrix(q), direction), center = random.vector(0.3);
  const Vec3 place = random.vector(1), along = rotation_matrix(q) * u, middle = place + rotation_matrix(q) * center;
  const double a = 0.08, d = axial - a;
  std::string model = fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n  - {{name: needle, position: {}, orientation: [{}, {}, {}, {}], "
      "mass: 1, center_of_mass: {}, inertia: {{xx: {}, yy: {}, zz: {}, xy: {}, xz: {}, yz: {}}}}}\njoints:\n",
      text(place), q.w, q.x, q.y, q.z, text(center), a + d * u.x * u.x, a + d * u.y * u.y, a + d * u.z * u.z,
      d * u.x * u.y, d * u.x * u.z, d * u.y * u.z);
  model += fmt::format("  - {{name: joint, type: {}, base: ground, moving: needle", kind);
  if (kind != std::string("free")) model += fmt::format(", position: {}", text(middle + 0.4 * along));
  if (kind == std::string("revolute") || kind == std::string("cylindrical"))
    model += fmt::format(", axis: {}", text(along));
  return model + "}\n";
}

}  // namespace

TEST_CASE("a rod without inertia about itself is refused by name in every direction, and a thin one accepted") {
  Random random(11);
  for (const char* equations : {"automatic", "sparse"})
    for (const char* kind : {"free", "spherical", "revolute", "cylindrical"})
      for (int k = 0; k < 60; ++k) {
        for (const bool thin : {false, true}) {
          const auto system = system_from_text(rod(random, kind, thin ? 1e-9 : 0));
          const auto solver = solver_with(*system, {{"equations", equations}});
          std::vector<double> y(solver->state_size()), rate(y.size());
          const Status status = solver->encode(system->initial_state(), y);
          INFO(equations << ", " << kind << ' ' << k << ": " << solver->failure());
          CHECK(status == (thin ? Status::ok : Status::failed));
          if (!thin) CHECK(std::string(solver->failure()).find("`needle` has no mass or inertia") != std::string::npos);
        }
      }
}

TEST_CASE("a constraint element that asks for what a pin grants already changes nothing, in any direction") {
  Random random(13);
  for (int k = 0; k < 20; ++k) {
    const Vec3 pin = random.vector(1), axis = random.direction(), place = random.vector(1), edge = random.direction();
    const std::string swing = fmt::format(
        "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n  - {{name: door, position: {}, mass: 1, inertia: {{xx: 0.1, "
        "yy: "
        "0.12, zz: 0.15}}}}\njoints:\n  - {{name: pin, type: revolute, base: ground, moving: door, position: {}, axis: "
        "{}, "
        "initial: {{velocity: 1}}}}\n",
        text(place), text(pin), text(axis));
    const std::string held =
        swing +
        fmt::format("constraints:\n  - {{name: edge, type: knife-edge, body: door, point: {}, edge: {}, normal: {}}}\n",
                    text(pin + 0.8 * axis - place), text(edge), text(cross(edge, random.direction())));
    INFO(held);
    const auto free = system_from_text(swing), held_down = system_from_text(held);
    const auto one = solver_with(*free, {}), other = solver_with(*held_down, {});
    const std::vector<double> y = initial_vector(*free, *one), z = initial_vector(*held_down, *other);
    std::vector<double> a(y.size()), b(z.size());
    REQUIRE(one->derivative(0, y, a) == Status::ok);
    REQUIRE(other->derivative(0, z, b) == Status::ok);
    CHECK(largest_difference(a, b) < 1e-9);
  }
}

// Open systems: all values of their coordinates are allowed.
#include "tests/benchmark/systems.hpp"

namespace polyform::benchmark {
namespace {

constexpr BodyItem link{1, {0.5, 0.02, -0.03}, {0.02, 0.09, 0.1}, {}};
constexpr Vec3 step{1, 0, 0};

void set_states(Mechanism& m, Numbers& numbers) {
  for (State& state : m.states)
    for (const JointItem& joint : m.joints) {
      if (joint.ball()) {
        const Quat q = from_rotation_vector(0.5 * numbers.vector());
        state.q.insert(state.q.end(), {q.w, q.x, q.y, q.z});
      } else {
        state.q.push_back(0.5 * numbers.next());
      }
      for (std::size_t i = 0; i < joint.nv(); ++i) state.v.push_back(numbers.next());
    }
}

Mechanism chain(std::size_t bodies, JointItem::Kind kind, const char* title) {
  constexpr std::size_t segment = 10;  ///< joints with one axis
  Mechanism m;
  m.title = title;
  Numbers numbers;
  Vec3 start, axis;
  for (std::size_t i = 0; i < bodies; ++i) {
    const std::size_t k = kind == JointItem::Kind::ball ? i : i % segment;
    if (k == 0) {
      start = {static_cast<double>(i), 0, 0};
      axis = numbers.direction();
    }
    BodyItem body = link;
    body.origin = start + static_cast<double>(k) * step;
    m.bodies.push_back(body);
    m.joints.push_back({kind, i == 0 ? ground : i - 1, i, body.origin, axis});
  }
  set_states(m, numbers);
  return m;
}

}  // namespace

Mechanism ball_chain(std::size_t bodies) { return chain(bodies, JointItem::Kind::ball, "ball-joint chain"); }
Mechanism revolute_chain(std::size_t bodies) { return chain(bodies, JointItem::Kind::revolute, "revolute chain"); }

Mechanism binary_tree(std::size_t bodies) {
  std::size_t full = 1;
  while (full < bodies) full = 2 * full + 1;
  Mechanism m;
  m.title = "binary tree";
  Numbers numbers;
  for (std::size_t i = 0; i < full; ++i) {
    const std::size_t parent = i == 0 ? ground : (i - 1) / 2;
    BodyItem body = link;
    if (parent != ground) body.origin = m.bodies[parent].origin + step;
    m.bodies.push_back(body);
    m.joints.push_back({JointItem::Kind::revolute, parent, i, body.origin, numbers.direction()});
  }
  set_states(m, numbers);
  return m;
}

}  // namespace polyform::benchmark

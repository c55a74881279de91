// Closed systems, with states that respect the loops to rounding.
#include <cmath>

#include "tests/benchmark/systems.hpp"

namespace polyform::benchmark {
namespace {

/// Orientation and angular velocity of a body, ground axes.
struct Turning {
  Quat orientation;
  Vec3 velocity;
};

void add_ball(State& state, const Turning& base, const Turning& moving) {
  const Quat q = conjugate(base.orientation) * moving.orientation;
  const Vec3 v = transpose_times(rotation_matrix(base.orientation), moving.velocity - base.velocity);
  state.q.insert(state.q.end(), {q.w, q.x, q.y, q.z});
  state.v.insert(state.v.end(), {v.x, v.y, v.z});
}

}  // namespace

// Verticals 0, 2, 4, … stand on the ground, horizontals 1, 3, 5, … lead from the top of one to the top of the next. In
// every state the four-bars are parallelograms.
Mechanism ladder(std::size_t bodies) {
  const std::size_t loops = bodies < 3 ? 1 : (bodies - 1) / 2;
  Mechanism m;
  m.title = "ladder of four-bars";
  const Vec3 z{0, 0, 1};
  const auto add = [&](std::size_t base, std::size_t moving, const Vec3& position) {
    m.joints.push_back({JointItem::Kind::revolute, base, moving, position, z});
  };
  for (std::size_t i = 0; i <= loops; ++i) {
    const Vec3 foot{static_cast<double>(i), 0, 0}, top{static_cast<double>(i), 1, 0};
    m.bodies.push_back({1, {0, 0.5, 0}, {1.0 / 12, 0.001, 1.0 / 12}, foot});
    add(ground, 2 * i, foot);
    if (i == loops) break;
    m.bodies.push_back({1, {0.5, 0, 0}, {0.001, 1.0 / 12, 1.0 / 12}, top});
    add(2 * i, 2 * i + 1, top);
  }
  for (std::size_t i = 0; i < loops; ++i) add(2 * i + 1, 2 * i + 2, {static_cast<double>(i + 1), 1, 0});
  double angle = -0.4, rate = 0.9;
  for (State& state : m.states) {
    for (std::size_t i = 0; i < m.joints.size(); ++i) {
      const double sign = i % 2 == 1 && i < m.bodies.size() ? -1 : 1;
      state.q.push_back(sign * angle);
      state.v.push_back(sign * rate);
    }
    angle = 0.3;
    rate = -1.1;
  }
  return m;
}

// Links in the directions a, b, a, b, … between two points of the ground. Every pair of links turns about the line
// between its ends, and every link about its own line: neither moves the ends of a pair.
Mechanism long_loop(std::size_t bodies) {
  const std::size_t pairs = bodies < 4 ? 2 : bodies / 2;
  const Vec3 line{1, 0, 0}, a{0.8, 0.6, 0}, b{0.8, -0.6, 0};
  Mechanism m;
  m.title = "long loop";
  for (std::size_t i = 0; i < 2 * pairs; ++i) {
    const bool even = i % 2 == 0;
    const Vec3 origin = static_cast<double>(i / 2) * (a + b) + (even ? Vec3{} : a);
    m.bodies.push_back({1, 0.5 * (even ? a : b) + Vec3{0, 0, 0.02}, {0.05, 0.06, 0.09}, origin});
    m.joints.push_back({JointItem::Kind::ball, i == 0 ? ground : i - 1, i, origin, {}});
  }
  m.joints.push_back({JointItem::Kind::ball, ground, 2 * pairs - 1, static_cast<double>(pairs) * (a + b), {}});
  Numbers numbers;
  for (State& state : m.states) {
    Turning last;
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const Quat turn = from_rotation_vector(numbers.next() * line);
      const Vec3 rate = numbers.next() * line;
      for (const Vec3& link : {a, b}) {
        const Quat orientation = turn * from_rotation_vector(numbers.next() * link);
        const Turning now{orientation, rate + rotation_matrix(turn) * (numbers.next() * link)};
        add_ball(state, last, now);
        last = now;
      }
    }
    add_ball(state, {}, last);
  }
  return m;
}

}  // namespace polyform::benchmark

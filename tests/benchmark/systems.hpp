// The systems that are timed. Each is described once, in plain data; the model text of Polyform and the models of the
// other engines are made from it.
//
// As drawn all body axes are parallel to the ground axes, and the frame of a body lies at the joint that carries it.
// Coordinates are those of sdk/NOTATION.md: of a ball the orientation of moving in base (w x y z) and the angular
// velocity of moving relative to base in base axes; of a revolute joint angle and rate.
//
// This header and engine.hpp are C++17, for engines whose own headers are no C++20.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::benchmark {

inline constexpr std::size_t ground = static_cast<std::size_t>(-1);
inline constexpr Vec3 gravity{0, -9.81, 0};

struct BodyItem {
  double mass;
  Vec3 center;   ///< of mass, from the joint that carries the body
  Vec3 inertia;  ///< principal moments about the mass centre, in the directions of the body axes
  Vec3 origin;   ///< as drawn, ground axes
};

struct JointItem {
  enum class Kind { ball, revolute };

  Kind kind;
  std::size_t base, moving;
  Vec3 position, axis;  ///< as drawn, ground axes

  bool ball() const { return kind == Kind::ball; }
  std::size_t nq() const { return ball() ? 4 : 1; }
  std::size_t nv() const { return ball() ? 3 : 1; }
};

/// Coordinates and velocities of all joints, one after another. They respect the loops.
struct State {
  std::vector<double> q, v;
};

struct Mechanism {
  std::string title;
  std::vector<BodyItem> bodies;   ///< a body follows the one it hangs on
  std::vector<JointItem> joints;  ///< joint i carries body i from base; the rest close loops
  std::array<State, 2> states;    ///< evaluations alternate between them, so that nothing can be kept from the last one

  bool has_loops() const { return joints.size() > bodies.size(); }
  std::size_t tree_velocities() const;
  std::size_t velocities() const { return states[0].v.size(); }
};

struct SystemInfo {
  std::string_view name, meaning;
  Mechanism (*make)(std::size_t bodies);  ///< of about this many bodies
};
const std::vector<SystemInfo>& systems();

/// Numbers between −1 and 1 that are the same on every machine.
class Numbers {
 public:
  double next();
  Vec3 vector() {
    const double x = next(), y = next();
    return {x, y, next()};
  }
  Vec3 direction();

 private:
  unsigned long long seed_ = 88172645463325252ull;
};

// systems_trees.cpp
Mechanism ball_chain(std::size_t bodies);
Mechanism revolute_chain(std::size_t bodies);
Mechanism binary_tree(std::size_t bodies);
// systems_loops.cpp
Mechanism ladder(std::size_t bodies);
Mechanism long_loop(std::size_t bodies);

}  // namespace polyform::benchmark

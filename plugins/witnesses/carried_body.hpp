// A body in another engine, told in plain numbers: the headers of some engines are of C++17, the rest of a plugin is of
// C++20.
#pragma once

#include <string>
#include <vector>

namespace polyform::witnesses {

/// A frame in a body: axes, rows first, and origin, m.
struct Frame {
  double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double origin[3] = {0, 0, 0};
};

/// Mass, mass centre and inertia about it, in body axes.
struct Inertia {
  double mass;        ///< kg
  double center[3];   ///< m
  double moments[6];  ///< xx yy zz xy xz yz, kg m²
};

/// A primitive motion about or along an axis in the frame that the earlier ones lead to, as drawn.
struct Motion {
  enum class Kind { turn, slide, ball };
  Kind kind;
  double axis[3];

  std::size_t positions() const { return kind == Kind::ball ? 4 : 1; }
  std::size_t velocities() const { return kind == Kind::ball ? 3 : 1; }
};

/// The joint that carries a body. Frames are equal as drawn. reversed: the motions lead from the body to its carrier.
struct Carrying {
  int carrier;  ///< number of a body; -1: ground
  bool reversed;
  std::vector<Motion> motions;
  Frame in_carrier, in_body;
};

/// A tree of rigid bodies in an engine. Numbers are those of the system view: the coordinates of all motions in the
/// order in which the bodies were added, of each joint in the order of its motions; w x y z and the angular velocity in
/// the frame before of a ball.
class EngineTree {
 public:
  virtual ~EngineTree() = default;
  /// Bodies are numbered in the order in which they are added.
  virtual void add(const Carrying&, const Inertia&) = 0;
  /// After all bodies. Throws std::exception where the engine refuses the tree.
  virtual void finish() = 0;
  /// u̇ of all motions. wrenches: per body, torque and force at the origin of its frame, ground axes. efforts: per
  /// velocity, or none. False if the engine fails; failure() tells its words then.
  virtual bool accelerate(const double* q, const double* u, const std::vector<double>& wrenches,
                          const std::vector<double>& efforts, double* udot) noexcept = 0;
  const std::string& failure() const noexcept { return failure_; }

 protected:
  std::string failure_;
};

}  // namespace polyform::witnesses

// The equations of a tree as polynomials in symbols, and in intermediate results where they are large.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "apps/formulas/formulas.hpp"
#include "apps/formulas/symbols.hpp"

namespace polyform::apps::formulas {

/// Motion of a frame in its own axes, and its rates where u̇ is zero.
struct Motion {
  Vector w, v, alpha, a;
  std::vector<Vector> W, V;  ///< derivatives of w and v by each u
  Vector gravity;
  Rotation to_ground = Rotation::identity();
};

/// Where a velocity coordinate of the formulas stands, and what it is of the view's own.
struct Freedom {
  ex u;
  std::string name;
};

/// The system, body after body: motions (expansion.cpp, joint_motion.cpp), efforts (told_efforts.cpp), then the
/// projection (projection.cpp).
class Expansion {
 public:
  struct Kinematics {
    std::string joint;
    std::array<Vector, 3> rows;  ///< of B
  };
  struct Matrix {
    std::string name, meaning, tex;
    std::size_t rows, columns;
    bool symmetric;
    std::vector<ex> values;
  };

  /// intermediates: as of Symbols.
  Expansion(const Request&, bool intermediates);

  const Symbols& symbols() const { return symbols_; }
  std::span<const Freedom> freedoms() const { return freedoms_; }
  /// The kinematics of balls and free joints: ω = B β̇.
  std::span<const Kinematics> balls() const { return balls_; }
  /// H2, Ḣ2 q̇2, M22, Q2, N22.
  std::span<const Matrix> matrices() const { return matrices_; }
  /// q̈2 at the state, in the coordinates of the view.
  std::vector<double> accelerations() const;

 private:
  struct Body {
    Motion frame;
    std::vector<Vector> center_velocities;  ///< derivatives by each u; body axes
    Vector center_acceleration;
    ex mass;
    std::array<Vector, 3> inertia;  ///< rows
    Vector force, moment;           ///< ground axes, body axes
  };

  std::vector<double> find_loads();
  bool has_plain_coordinates(const JointData&) const;
  bool tell_efforts(const ForceInstances&, std::size_t instance, std::span<const JointIndex> joints);
  void find_efforts(std::span<const double> efforts);
  void add_body(std::size_t i);
  void shift(Motion&, const Vector& r);
  void turn(Motion&, const Rotation& E);
  void drawn(Motion&, const Mat3& R, bool back);
  void move(Motion&, const JointData&, std::size_t body);
  void rotate(Motion&, const Vec3& axis, const JointData&, std::size_t q, std::size_t v, bool back);
  void slide(Motion&, const Vec3& axis, const JointData&, std::size_t q, std::size_t v, bool back);
  void ball(Motion&, const JointData&, std::size_t body, std::size_t q, std::size_t v, bool free);
  Rotation ball_rotation(const JointData&, std::size_t body, std::size_t q);
  ex position(const JointData&, std::size_t k);
  ex velocity(const JointData&, std::size_t k, const std::string& name, double value, const char* meaning);
  void turn_efforts();
  void project();

  const Request& request_;
  const SystemView& view_;
  Symbols symbols_;
  Motion ground_;
  std::vector<Body> bodies_;
  std::vector<Freedom> freedoms_;
  std::vector<Kinematics> balls_;
  std::vector<ex> positions_;             ///< per position coordinate of the view; zero for those of a ball
  std::vector<ex> efforts_;               ///< per velocity coordinate of the view; turned, of the formulas
  std::vector<Vector> forces_, moments_;  ///< per body
  std::vector<Matrix> matrices_;
  /// What turns rates of the formulas into those of the view: of balls and free joints, at the state.
  struct Turned {
    std::size_t v;
    Mat3 R;
    Rotation E;        ///< the same by symbols
    Vec3 spin, speed;  ///< w and v_b after the ball
    bool free;
  };
  std::vector<Turned> turned_;
};

}  // namespace polyform::apps::formulas

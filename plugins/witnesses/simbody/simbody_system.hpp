// A system in Simbody, told in plain numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../carried_body.hpp"

namespace polyform::simbody {

using witnesses::Carrying;
using witnesses::Frame;
using witnesses::Inertia;
using witnesses::Motion;

/// Numbers are those of Simbody: the coordinates of all motions in the order in which the bodies were added, of each
/// joint in the order of its motions; w x y z and the angular velocity in the frame before of a ball.
class SimbodySystem {
 public:
  explicit SimbodySystem(const double gravity[3]);
  ~SimbodySystem();

  /// The number of the body.
  int add(const Carrying&, const Inertia&);
  /// The two are one body. Their frames are the same.
  void weld(int body, int copy);
  /// After all bodies and welds. Throws std::exception.
  void finish();

  // accelerate() and project() return false if Simbody throws; failure() tells its words then.

  /// wrenches: per body, torque and force at the origin of its frame, ground axes; efforts: per velocity.
  bool accelerate(const double* q, const double* u, const std::vector<double>& wrenches,
                  const std::vector<double>& efforts, double* udot) noexcept;
  /// After accelerate(): moment and force that the joint transmits to the body, at the origin of the frame in the body,
  /// ground axes.
  void reaction(int body, double wrench[6]) const noexcept;
  bool project(double* q, double* u, double& position_residual, double& velocity_residual) noexcept;
  double position_residual() const noexcept;
  double velocity_residual() const noexcept;
  const std::string& failure() const noexcept { return failure_; }

 private:
  struct Parts;
  void set_state(const double* q, const double* u);

  std::unique_ptr<Parts> parts_;
  std::string failure_;
};

}  // namespace polyform::simbody

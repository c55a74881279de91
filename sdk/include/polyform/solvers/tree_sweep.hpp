// The interface of a method that evaluates the spanning tree for a solver in joint coordinates.
#pragma once

#include <cstddef>
#include <span>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/body_motion.hpp"

namespace polyform {

class Recursion;

/// Why accelerations could not be found.
struct SweepFailure {
  std::size_t joint = 0;         ///< and the body that it carries
  bool in_mode = false;          ///< it is a mode of that body that moves no mass
  const char* reason = nullptr;  ///< to follow "joint `j`"; nullptr if the joint has no inertia to move
};

/// Reduces an error of accelerations to the part that counts for their user.
class ErrorFilter {
 public:
  /// Leaves in an error of v̇ of the tree joints, in place, the part that counts.
  virtual void apply(std::span<double> error) noexcept = 0;

 protected:
  ~ErrorFilter() = default;
};

/// Sweeps over the spanning tree, outward for kinematics, inward and outward for accelerations. One object per thread;
/// nothing allocates after construction. Each function is called once per evaluation, never per body.
class TreeSweep {
 public:
  virtual ~TreeSweep() = default;

  /// Writes q̇ of the tree joints.
  virtual void position_rates(const double* q, const double* v, double* qdot) const noexcept = 0;
  /// Finds all that the coordinates and velocities of the tree joints and the modes determine. The modes are read until
  /// the next call.
  virtual void kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept = 0;
  /// After kinematics(): motions of all frames.
  virtual std::span<const BodyMotion> motions(const double* v) noexcept = 0;

  /// Finds v̇ of the tree joints and η̈. wrenches: applied, about the frame origins, of the loaded frames (if there are
  /// any, call motions() before); efforts: per v, or empty. keep: keep the data for reactions(). False if they cannot
  /// be found: failure() tells why.
  virtual bool accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                             std::span<const double> efforts, double* vdot, double* etaddot, bool keep) noexcept = 0;
  virtual SweepFailure failure() const noexcept = 0;
  /// Relative error of the last accelerations, as far as it is known and could not be mended.
  double lost() const { return lost_; }
  /// The part that brings positions and velocities back onto closed loops; nullptr for a sweep over trees alone.
  virtual Recursion* recursion() noexcept { return nullptr; }
  /// From now on accelerations may have errors that the filter takes down to rounding; nullptr: only rounding.
  virtual void tolerate(ErrorFilter*) noexcept {}
  /// Tells that the next accelerations are of a state that has nothing to do with the ones before.
  virtual void start_anew() noexcept = 0;

  /// Accelerations of all frames' origins, ground axes; after accelerations() and motions().
  virtual void body_accelerations(std::span<Spatial> out) const noexcept = 0;
  /// After accelerations(…, keep = true): the wrench of each tree joint on its moving body at the origin of M, ground
  /// axes.
  virtual void reactions(std::span<Spatial> out) const noexcept = 0;

 protected:
  double lost_ = 0;
};

}  // namespace polyform

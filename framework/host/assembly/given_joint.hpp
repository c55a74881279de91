// A joint with given coordinates, as a kernel of its other coordinates and of the time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "polyform/contract/rheonomic_joint.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline assembly {

/// A velocity coordinate of a joint, its position coordinate, and the function that gives it.
struct GivenCoordinate {
  std::size_t position = 0, velocity = 0;
  TimeFunction function;
};

/// Stands for the whole joint, which has primitives or a kernel of its own. Its coordinates are those of the whole
/// joint that are not given, and then the time:
///
///   twist   H v_whole            v_whole: v, and the rates of the functions
///   bias    Ḣ v_whole + Σ H_g f̈_g    over the given coordinates g
class GivenJoint final : public JointKernel, private RheonomicKernel {
 public:
  /// whole: primitives, kernel, parameters, nq, nv and type; what these refer to outlives the object.
  GivenJoint(const JointData& whole, std::vector<GivenCoordinate>);
  GivenJoint(const GivenJoint&) = delete;
  GivenJoint& operator=(const GivenJoint&) = delete;

  /// Puts itself in place of the whole joint.
  void replace(JointData&) const;

  void evaluate(const JointBatch&, Strided<JointMotion> out) const noexcept override;
  void position_rates(const JointBatch&, std::span<double> qdot) const noexcept override;
  void coordinates(std::span<const double> parameters, const Mat3& R_FM, const Vec3& p_FM,
                   std::span<double> q) const noexcept override;
  Quat orientation(std::span<const double> parameters, std::span<const double> q) const noexcept override;
  void neutral(std::span<double> q) const noexcept override;
  const void* query(std::string_view asked) const noexcept override {
    return asked == RheonomicKernel::interface_name ? static_cast<const RheonomicKernel*>(this) : nullptr;
  }

 private:
  /// The type that names the coordinates that are not given.
  class Type final : public JointType {
   public:
    const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
    bool define(const JointInstance&, JointDefinition&, FieldSink&) const noexcept override { return false; }
    TypeDescriptor descriptor_;
    std::vector<Variable> positions, velocities;
  };
  /// Coordinates and velocities of the whole joint.
  struct Whole {
    double q[most_joint_positions], v[6];
  };

  std::span<const TimeFunction> functions(std::span<const double>) const noexcept override { return functions_; }
  void name_coordinates(const JointType* type);
  void complete(const double* q, const double* v, Whole&) const noexcept;

  JointData whole_;
  JointData self_;  ///< for searches over the coordinates that are left
  std::vector<GivenCoordinate> given_;
  std::vector<TimeFunction> functions_;
  std::vector<std::size_t> positions_, velocities_;  ///< of the whole joint that are left
  Type type_;
};

/// The mistake in the given coordinates of a joint; empty if there is none. Finds their positions.
std::string mistake_in_given(const JointData& whole, std::vector<GivenCoordinate>&);

}  // namespace polyform::host::assembly

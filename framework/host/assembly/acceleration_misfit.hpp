// Whether accelerations belong to a system with all of its constraints.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {

/// How far observed accelerations miss what joints, constraint elements and modules allow: with A_FM, V̇, v̇ and u̇ as
/// observed and H, Ḣv, A, B, C and the right-hand sides at the observed motion,
///
///   joint       A_FM − Ḣ v − H v̇ = 0
///   constraint  A V̇ + B v̇ = acceleration_right
///   module      A u̇ + C V̇ + B v̇ = acceleration_right
///
/// Rows are divided by their largest coefficient. The scale of the rest of a joint or row is the largest of its terms
/// and of the accelerations of its frames, but at least a small part of the accelerations that weights, turning and the
/// reactions of joints could give the bodies (SystemScales), and 1e-6 of the largest acceleration anywhere, rotation
/// included. That share allows for rounding, and is small enough that a fast body does not hide errors of slow ones.
class AccelerationMisfit {
 public:
  struct Worst {
    const char* kind = "joint";  ///< joint, constraint or module
    std::string_view name;
    double size = 0;  ///< relative to the scale; NaN if an acceleration is not a number
  };

  /// The view outlives the object.
  explicit AccelerationMisfit(const SystemView&);
  /// The constraint with the largest rest, relative to its scale.
  Worst worst(double t, const Observation&);

 private:
  /// A joint or row: its rest and its scale, both in units of accelerations.
  struct Left {
    const char* kind;
    std::string_view name;
    double error, scale;
    bool turns;  ///< rad/s², else m/s²
  };

  void place(const Observation&);
  void see_joints(const Observation&);
  void see_modules(double t, const Observation&);
  void see_row(const char* kind, const ConstraintSet::Element&, std::size_t row, const Observation&,
               std::span<const double> own = {}, std::span<const double> rates = {});
  void see_turn(Vec3 angular_velocity, Vec3 arm);
  void find_floors(const Observation&);
  Worst largest() const;

  const SystemView& view_;
  NodeMotions nodes_;
  JointMotions joints_;
  ConstraintSet elements_;
  ModuleSet modules_;
  std::vector<BodyMotion> frames_;
  std::vector<Spatial> accelerations_;  ///< of the frames
  SystemScales system_scales_;
  std::vector<Spatial> carried_;                 ///< per body the largest force and moment of its joints
  double least_linear_ = 0, least_angular_ = 0;  ///< the least scales, m/s² and rad/s²
  std::vector<Left> left_;
  double turn_ = 0;  ///< the largest ω² r of an arm from a frame to a joint or marker
};

}  // namespace polyform::host::assembly

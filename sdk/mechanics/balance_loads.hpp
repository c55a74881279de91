// What acts on the frames of a system at an observed state.
#pragma once

#include <span>
#include <vector>

#include "place_rounding.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::balance {

/// The motions of all frames as observed, what the elements and joints apply to them, and how large the parts of that
/// are. place() comes first, then what is to act is added.
/// Its members are one set for each kind of element, which gives its loads, and the arrays over frames to which these
/// are added.
class Loads {
 public:
  /// Makes batches of all elements of the system, which outlives the object. good() tells whether all could be made.
  explicit Loads(const SystemView&);
  bool good() const { return forces_.good() && flexible_.good() && constraints_.good() && modules_.good(); }

  /// Motions and accelerations of all frames, and all that forces apply.
  void place(double t, const Observation&) noexcept;
  /// What the modules put on markers and joints, with the multipliers as observed.
  void add_modules(const Observation&) noexcept;
  /// The reactions as observed, but along the free directions of a joint only what acts there: what a solver gives
  /// beyond that holds no body.
  void add_joints(const Observation&) noexcept;
  /// After place(): the sizes of the terms that make up f of the modules, variable after variable. They are measured:
  /// f changes by a share of its terms if all states, coordinates and velocities change by different such shares, even
  /// where the terms cancel, as the voltage and the resistance of a motor at rest.
  std::span<const double> module_terms(const Observation&) noexcept;
  /// After place(): what rounding of places makes of forces.
  Terms rounding_of_places(const Observation& now) noexcept { return places_.measure(time_, frames_, joints_, now); }
  /// Raises small terms: a body that hardly feels anything has the rounding of the large loads in the system.
  void raise_terms(double moment, double force) noexcept;

  std::span<const BodyMotion> frames() const { return frames_; }  ///< of bodies, then of nodes, as all that follow
  std::span<const Spatial> accelerations() const { return accelerations_; }  ///< of the origins, ground axes
  std::span<const Spatial> loads() const { return loads_; }                  ///< about the origins, ground axes
  std::span<const Terms> terms() const { return terms_; }
  /// The largest that acts along the free directions of one joint before parts of it cancel.
  const Terms& largest_efforts() const { return largest_efforts_; }
  const FlexibleSet& flexible() const { return flexible_; }
  const ConstraintSet& constraints() const { return constraints_; }
  const ModuleSet& modules() const { return modules_; }
  const JointMotions& joints() const { return joints_; }
  const NodeMotions& nodes() const { return nodes_; }

 private:
  void add(FrameIndex, const Vec3& arm, const Spatial& wrench) noexcept;

  const SystemView& view_;
  double time_ = 0;  ///< of the last place(), s
  ForceSet forces_;
  PlaceRounding places_;
  FlexibleSet flexible_;
  ConstraintSet constraints_;
  ModuleSet modules_;
  JointMotions joints_;
  NodeMotions nodes_;
  std::vector<BodyMotion> frames_;
  std::vector<Spatial> accelerations_, wrenches_, loads_;
  std::vector<Terms> terms_;
  std::vector<double> efforts_, rates_;
  std::vector<double> effort_terms_;  ///< sizes of what the efforts are made of
  Terms largest_efforts_;
  std::vector<double> module_terms_, module_f_, changed_q_, changed_v_, changed_x_;
  std::vector<bool> driven_;  ///< per joint: a constraint element acts on it by a force that is not observed
};

}  // namespace polyform::balance

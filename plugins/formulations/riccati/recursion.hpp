// Algorithms A and B of the paper on any tree: forward kinematics, transfer from the tips to the roots, back again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "polyform/kinematics.hpp"
#include "polyform/system_view.hpp"
#include "transfer.hpp"

namespace polyform::riccati {

class Recursion {
 public:
  explicit Recursion(const SystemView&);

  /// q̇ of the tree joints.
  void position_rates(const double* q, const double* v, double* qdot) const noexcept;
  /// Motions of all bodies from the coordinates of the tree joints. Frame origins and their velocities are formed only
  /// when asked for: the recursion itself does without them.
  void kinematics(const double* q, const double* v, bool with_origins) noexcept;
  std::span<const BodyMotion> motions() const { return motions_; }

  /// v̇ of the tree joints. wrenches: applied, about the frame origins, of the loaded bodies; efforts: per v, or empty.
  /// False when a hinge has no inertia to move; failed_joint() tells which. keep: hold every S and e for reactions().
  bool accelerations(std::span<const BodyIndex> loaded, std::span<const Spatial> wrenches, std::span<const double> efforts,
                     double* vdot, bool keep = false) noexcept;
  std::size_t failed_joint() const { return failed_; }

  /// After accelerations(): of the frame origins, ground axes.
  void body_accelerations(std::span<Spatial> out) const noexcept;
  /// After accelerations(…, keep = true): what each tree joint puts on its moving body at the origin of M, z_a = S z_b + e.
  void reactions(std::span<Spatial> out) const noexcept;

 private:
  enum class Hinge : std::uint8_t { fixed, ball, rotation, translation, general };

  /// Constants of a body and the hinge that carries it.
  struct Link {
    std::int32_t parent = -1;
    Hinge hinge = Hinge::fixed;
    bool reversed = false;
    bool opens_slot = false;       ///< first in the way from the tips to write into its parent's slot
    std::uint32_t q = 0, v = 0;    ///< offsets into the coordinates
    std::uint32_t columns = 0;     ///< first of the hinge's columns, or its place among the ball hinges
    std::uint32_t count = 0;       ///< number of columns
    std::uint32_t general = 0;     ///< place among the general joints
    std::int32_t slot = -1;        ///< of a body with several children: where all but the first are summed
    double mass = 0;
    Sym3 inertia;                  ///< about the mass centre, body axes
    Vec3 center_of_mass, p_base, p_moving, axis;
    Mat3 R_drawn;
  };
  /// What the passes leave for one another, per body; ground axes.
  struct Work {
    Vec3 to_P;     ///< from the frame origin to the hinge point P (the origin of M)
    Vec3 r;        ///< from the parent's hinge point to P
    Vec3 c;        ///< from P to the mass centre
    Spatial beta;  ///< acceleration of the hinge at v̇ = 0
    Spatial z;     ///< accelerations of the body at P, less gravity
  };

  template <Hinge kind>
  void place(std::size_t i, const double* q, const double* v, bool with_origins) noexcept;
  Transfer<double> outboard(std::size_t i) const noexcept;
  bool pass_hinge(std::size_t i, Transfer<double>& s, const double* efforts) noexcept;
  void hinge_rates(std::size_t i, double* vdot) noexcept;

  Vec3 gravity_;
  std::vector<Link> links_;
  std::vector<JointData> general_joints_;
  JointMotions general_;
  std::vector<BodyMotion> motions_;
  std::vector<Work> work_;
  std::vector<Column<double>> columns_;
  std::vector<Ball<double>> balls_;
  std::vector<Transfer<double>> slots_;
  std::vector<Spatial> load_;               ///< about P; empty when nothing is loaded
  std::vector<Transfer<double>> kept_;      ///< S and e of every body, for the reactions
  std::size_t failed_ = 0;
};

}  // namespace polyform::riccati

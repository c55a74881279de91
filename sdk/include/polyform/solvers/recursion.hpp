// Algorithms A and B of the paper on any tree: forward kinematics, transfer from the tips to the roots, back again.
//
// Inside, every body has axes of its own choice: those that are parallel to ground as drawn (R K, K = R_drawn(ground)ᵀ),
// with the origin in its hinge point P. There the joints turn nothing but themselves, all hinge axes, levers and inertia
// tensors are constants, and passing a body is a shift. P is the origin of M where that is fixed in the outboard body,
// the origin of F for a joint that runs backwards. The hinge of a flexible body carries one of its frames, which then stands
// for the body in the passes; flexible_links.hpp adds the rest.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "polyform/solvers/flexible_links.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/mending.hpp"
#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/transfer.hpp"

namespace polyform {

struct DoubleDouble;

class Recursion {
 public:
  /// loops: the closed loops of the system, which outlive this object.
  Recursion(const SystemView&, LoopClosure& loops);

  /// q̇ of the tree joints.
  void position_rates(const double* q, const double* v, double* qdot) const noexcept;
  /// Orientations, angular velocities and hinges of all bodies from the coordinates of the tree joints and the modes.
  void kinematics(const double* q, const double* v, const double* eta, const double* etadot) noexcept;
  /// After kinematics(): motions of all frames. The recursion itself does without positions and velocities.
  std::span<const BodyMotion> motions(const double* v) noexcept;

  /// v̇ of the tree joints and η̈. wrenches: applied, about the frame origins, of the loaded frames (motions() must have
  /// been called when there are any); efforts: per v, or empty. False when a hinge or a mode has no inertia to move;
  /// failed_joint() tells which. keep: hold every S and e for reactions(). Now and then the residual is looked at, and where
  /// digits have been lost, they are won back (rigid bodies; recursion_refine.cpp).
  bool accelerations(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches, std::span<const double> efforts,
                     double* vdot, double* etaddot, bool keep = false) noexcept;
  std::size_t failed_joint() const { return failed_; }
  /// Error of the last accelerations that could not be mended, relative; 0 where nothing was to be mended.
  double lost() const { return refinement_.mending.left(); }
  /// The next accelerations are looked at, as after a state that has nothing to do with the ones before.
  void look() { refinement_.mending.look(); }
  /// Whether it is a mode of the body that this joint carries.
  bool failed_in_mode() const { return failed_in_mode_; }
  /// After kinematics() and motions() with v = 0 and LoopClosure::evaluate: the step in the coordinates, or change of the
  /// velocities, that closes the loops and is the least in the inertia metric (per velocity coordinate, and in the modes).
  /// False as above.
  bool closing_step(LoopClosure::Level, double* step, double* modal_step) noexcept;

  /// After kinematics(): the directions of the hinge that carries a body, ground axes, at its hinge point; empty for a ball
  /// that no loop passes, which has none. Outboard body relative to inboard one.
  std::span<const Column<double>> hinge_columns(std::size_t body) const noexcept {
    const Link& link = links_[body];
    return link.hinge == Hinge::ball ? std::span<const Column<double>>() : std::span(columns_).subspan(link.first, link.count);
  }
  /// The hinge point in ground; motions: of the frames as motions() gave them.
  Vec3 hinge_point(std::size_t body, std::span<const BodyMotion> motions) const noexcept {
    const BodyMotion& m = motions[frames_[body].carried];
    return m.p + m.R * frames_[body].to_P;
  }

  /// After accelerations() and motions(): of all frames' origins, ground axes.
  void body_accelerations(std::span<Spatial> out) const noexcept;
  /// After accelerations(…, keep = true): what each tree joint puts on its moving body at the origin of M, z_a = S z_b + e.
  void reactions(std::span<Spatial> out) const noexcept;

 private:
  enum class Hinge : std::uint8_t { fixed, ball, rotation, translation, general };

  /// Constants of a body and the hinge that carries it, in the body's own axes.
  struct Link {
    std::int32_t parent = -1;
    std::int32_t inboard = -1;     ///< in work_ and z_: the parent, or the frame of a flexible parent
    std::int32_t frame = -1;       ///< the same, in the motions of frames
    bool on_frame = false;         ///< the parent is flexible
    bool flexible = false;
    Hinge hinge = Hinge::fixed;
    bool reversed = false;         ///< the outboard body is the joint's base
    bool turned = false;           ///< a ball whose coordinates are given in other axes than the inside ones
    bool opens_slot = false;       ///< first in the way from the tips to write into its parent's slot
    bool looped = false;           ///< columns of loops pass the hinge or end in the body
    bool is_ball = false;          ///< three rotations at right angles, whichever way they are passed
    std::uint32_t q = 0, v = 0;    ///< offsets into the coordinates
    std::uint32_t first = 0;       ///< of the hinge's columns, or its place among the ball hinges
    std::uint32_t count = 0;       ///< number of columns
    std::uint32_t place = 0;       ///< among the general joints, or among the rotations
    std::int32_t slot = -1;        ///< of a body with several children: where all but the first are summed
    Vec3 lever;                    ///< from the parent's P to the hinge point on the parent, in the parent's axes
    Vec3 axis;                     ///< of one rotation or translation
  };
  /// From the inside axes to the body frame: needed where bodies meet the outside.
  struct Frame {
    Mat3 K;                        ///< inside axes in body axes
    std::size_t carried = 0;       ///< the frame that the hinge holds, among all frames
    Vec3 to_P;                     ///< from its origin, in its axes
    Mat3 base_K;                   ///< K of the joint's base body: of the axes in which its coordinates are given
  };
  /// What the passes leave for one another, per body; ground axes. What not every pass reads (beta, z, the bodies'
  /// inertia) has arrays of its own: long chains are a matter of memory.
  struct Work {
    Mat3 R;        ///< inside axes
    Vec3 omega;
    Vec3 r;        ///< from the parent's hinge point to P
  };

  const Work& inboard(const Link& link) const noexcept {
    static constexpr Work ground{Mat3::identity(), {}, {}};
    return link.inboard < 0 ? ground : work_[static_cast<std::size_t>(link.inboard)];
  }
  template <Hinge kind>
  void place(std::size_t i, const double* q, const double* v) noexcept;
  void place_general(const Link& link, const Work& in, Work& work, std::size_t i) noexcept;
  Vec3 hinge_velocity(std::size_t i, const double* v) const noexcept;
  void begin_loops(LoopClosure::Level) noexcept;
  void place_frames(std::size_t i) noexcept;
  void set_load(FrameIndex, const Spatial& wrench) noexcept;
  bool gather_flexible(std::size_t i, Transfer<double>& s) noexcept;
  void modal_rates(std::size_t i, double* etaddot) noexcept;
  std::size_t frame_attachment(const Link& link) const { return static_cast<std::size_t>(link.inboard) - links_.size(); }
  std::size_t frame_work(std::size_t attachment) const { return links_.size() + attachment; }
  bool tips_to_roots(bool loaded, const double* efforts, bool keep) noexcept;
  template <Hinge kind>
  bool pass_hinge(std::size_t i, Transfer<double>& s, const double* efforts) noexcept;
  void pass_loops(std::size_t i) noexcept;
  template <Hinge kind>
  void shift_to_parent(std::size_t i, Transfer<double>& s) const noexcept;
  bool pass(std::size_t i, Transfer<double>& s, const double* efforts) noexcept;
  void roots_to_tips(double* vdot, double* etaddot) noexcept;
  template <Hinge kind>
  void hinge_rates(std::size_t i, double* vdot) noexcept;

  // recursion_refine.cpp
  void accelerate_finely() noexcept;
  template <class T>
  void find_rest(const SpatialVector<T>* z, SpatialVector<T>* force, const double* efforts) noexcept;
  bool solve_for_rest() noexcept;
  double size_of_step(const double* vdot) const noexcept;
  bool is_turn(std::size_t body, std::uint32_t k) const noexcept;
  bool looks_wrong(const double* vdot, const double* efforts) noexcept;
  void refine(double* vdot, const double* efforts, Mending::Aim) noexcept;
  void mend(double* vdot, const double* efforts, Mending::Aim) noexcept;

  /// For the residual and what it takes to win back lost digits.
  struct Refinement {
    Refinement(std::size_t bodies, std::size_t velocities);
    ~Refinement();
    std::vector<SpatialVector<DoubleDouble>> fine_z, fine_force;
    std::vector<DoubleDouble> fine_rates;
    std::vector<Spatial> z, force, no_beta;
    std::vector<Vec3> omega;
    std::vector<double> rest, step;       ///< per velocity coordinate
    /// With masses over eight orders of magnitude the error of the accelerations can be some hundred times the residual:
    /// from here on it stays below 1e-8. Systems without such ratios have smaller ones.
    Mending mending{1e-10};
    bool mended = false;                  ///< the last result was
  };

  LoopClosure& loops_;
  FlexibleLinks& flexible_;
  Refinement refinement_;
  Vec3 gravity_;
  Vec3 ground_;                             ///< acceleration given to ground: minus gravity
  std::vector<Link> links_;
  std::vector<Inertia<double>> bodies_;     ///< in their own axes
  std::vector<Frame> frames_;
  std::vector<JointData> general_joints_;
  JointMotions general_;
  std::vector<std::uint32_t> rotations_;    ///< their coordinates' offsets
  std::vector<double> angles_, sines_, cosines_;
  std::vector<Work> work_;                  ///< of the links, then of the frames of flexible bodies
  std::vector<Spatial> beta_;               ///< acceleration of the hinge at v̇ = 0; of a ball: not formed
  std::vector<Spatial> z_;                  ///< accelerations at P (of frames at the origin), less gravity; as work_
  std::vector<Column<double>> columns_;
  std::vector<Ball<double>> balls_;
  std::vector<Transfer<double>> slots_;
  std::vector<BodyMotion> motions_;         ///< of all frames
  std::vector<Vec3> general_slide_;         ///< velocity of a general hinge's outboard P over the inboard body, ground axes
  std::vector<Spatial> load_;               ///< about P
  std::vector<Transfer<double>> kept_;      ///< S and e of every body, for the reactions
  std::vector<Vec3> arms_;                  ///< from the frame origins to P, of rigid bodies that cut joints tie; ground axes
  const double *eta_ = nullptr, *etadot_ = nullptr;   ///< as of kinematics()
  std::vector<double> taken_;               ///< by loops from the rates of the modes
  std::size_t failed_ = 0;
  bool failed_in_mode_ = false;
};

}  // namespace polyform

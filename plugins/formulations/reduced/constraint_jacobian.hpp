// The constraint Jacobian c_q of the cut joints by the coordinates of the primary joints (Zhang et al. 2023, Sects.
// 3–6).
//
// A loop L has one secondary (cut) joint between a point B of its base body and the point M of its moving body; the
// joints of the spanning tree are primary. Only the primary joints on the two paths from the bodies of the secondary
// joint to their common ancestor move its constraint, so that c_L,q has a block for each of them and is zero elsewhere:
//
//   moving path   c_L,q =  [group I] · [group II of the joint, carried to M]     (Eqs. 10, 37, 42)
//   base path     c_L,q = −[group I] · [group II of the joint, carried to M]     (Eqs. 11, 35, 41)
//
// A row of a constraint element has a path from each frame that it ties to their common ancestor, or to ground if it
// asks for a motion against ground. Group I of a path is the share of its frame in the row.
//
// The paper's planar pin has r̃_TM = [−y; x] for this product; here it holds for any joint in space, with the
// constraint rows and motion subspaces of the SDK. Coordinates are meant per velocity coordinate (of a ball: small
// rotations). A flexible body on a path has the columns of its modes in group II (Eqs. 30, 31): twists of the frame at
// which the path enters, seen from the hinge that carries the body. If both paths meet in a flexible body, both
// enter its block.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/recursion.hpp"

namespace polyform::reduced {

/// Group I, at one end of a secondary joint (Eqs. 10, 11) or element: the coefficients of its rows on the motion of
/// that frame. Ground axes.
struct GroupOne {
  Spatial row[6];  ///< coefficients on the twist of the frame at M
  Vec3 M;          ///< m
};

/// Group II, of a primary joint or of a flexible body: the twists of all bodies outboard of it per unit of each of its
/// coordinates (for a joint of its l_RT and A_RT in Eqs. 14, 17; for a body of ρ_R, ρ_T, A_Rf, A_fT in Eqs. 20, 30).
/// Ground axes, at T.
struct GroupTwo {
  std::span<const Column<double>> joint;  ///< directions of a joint,
  std::span<const Spatial> modes;         ///< or columns of the modes of a flexible body; the other is empty
  Vec3 T;                                 ///< m

  std::size_t size() const { return joint.size() + modes.size(); }
  const Spatial& operator[](std::size_t k) const { return modes.empty() ? joint[k].H : modes[k]; }
};

/// Its members are the arrays of Algorithm 1: paths, groups I and II, columns; allocated once.
class ConstraintJacobian {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// Where a path enters a body on its way from one end of a loop.
  struct Entry {
    std::size_t end = 0;    ///< number of the end of the loop (LoopLayout::ends)
    std::size_t frame = 0;  ///< at which the path enters; for a joint: the frame that it carries
  };
  /// A block of a loop: rows by velocity coordinates of one primary joint, or by the modes of one flexible body.
  struct Block {
    std::size_t body = 0;  ///< that the joint carries, or the flexible body
    bool modal = false;
    std::size_t v = 0, nv = 0;           ///< its velocity coordinates, the modes after those of all tree joints
    std::size_t entry = 0, entries = 0;  ///< of the paths that pass it
    std::size_t first = 0;               ///< in values(): column after column, `rows` values each
  };

  /// The view, the loops and the recursion outlive the object.
  ConstraintJacobian(const SystemView& view, const LoopClosure& loops, const Recursion& recursion);

  // At the positions for which the recursion and the loops stand, with the motions of all frames there:
  void semi_analytic(std::span<const BodyMotion> frames) noexcept;           ///< Algorithm 1
  void direct_differentiation(std::span<const BodyMotion> frames) noexcept;  ///< Algorithm 2

  const ElementRows& elements() const { return loops_.constraints().elements(); }
  std::size_t loops() const { return first_block_.size() - 1; }
  std::size_t rows(std::size_t loop) const { return loops_.layout().loop(loop).rows; }
  std::span<const Block> blocks(std::size_t loop) const {
    return std::span(blocks_).subspan(first_block_[loop], first_block_[loop + 1] - first_block_[loop]);
  }
  const double* values(const Block& block) const { return values_.data() + block.first; }
  /// Size of the terms of the largest element of a loop: it tells rounding from content.
  double term(std::size_t loop) const { return terms_[loop]; }

 private:
  /// A frame in Algorithm 2: its pose in the frame that it is placed from, and its derivatives by one coordinate.
  struct Transfer {
    std::size_t from = none;  ///< the inboard frame of the joint; of further frames of a flexible body the carried one
    Mat3 A;                   ///< from the frame's axes to those of `from`
    Vec3 l;                   ///< origin of the frame from that of `from`, in the axes of `from`, m
    Mat3 A_q;                 ///< ∂A/∂q of the frame in ground
    Vec3 r_q;                 ///< ∂r/∂q of its origin in ground
  };
  /// The range of a body in order_: its own frames, then those outboard.
  struct Range {
    std::size_t start = 0, own_end = 0, end = 0;
  };
  /// A block in which a coordinate has a part.
  struct Use {
    std::size_t block, loop;
  };

  /// A path of a loop on its way to the root.
  struct Walk {
    std::size_t end;
    BodyIndex body;
    FrameIndex frame;
  };
  void find_paths(std::size_t loop);
  void pass_body(std::size_t loop, BodyIndex body, std::vector<Walk>&);
  void add_block(std::size_t loop, std::size_t body, bool modal, const std::vector<Entry>&);
  void order_frames();
  /// CalculateConstraintJacobian of the secondary joints: the part that is their own.
  void calculate_group_one(std::span<const BodyMotion> frames) noexcept;
  std::span<const Entry> entries(const Block& block) const {
    return std::span(entries_).subspan(block.entry, block.entries);
  }
  /// PreprocessConstraintJacobian of a primary joint or, entered at a frame, of a flexible body.
  GroupTwo group_two(const Block&, std::size_t frame, std::span<const BodyMotion> frames) const noexcept;
  void add_path(const Block&, const Entry&, const GroupOne&, std::size_t rows, std::span<const BodyMotion> frames,
                double& farthest) noexcept;
  void differentiate(const Block&, std::size_t k, std::span<const BodyMotion> frames) noexcept;
  void assemble(const Use&, std::size_t body, std::size_t k, std::span<const BodyMotion> frames) noexcept;
  Spatial derivative_at(FrameIndex frame, std::size_t body, const Vec3& M,
                        std::span<const BodyMotion> frames) const noexcept;

  const SystemView& view_;
  const LoopClosure& loops_;
  const Recursion& recursion_;
  std::vector<std::size_t> first_block_;  ///< per loop, and the end
  std::vector<Block> blocks_;
  std::vector<Entry> entries_;
  std::size_t values_size_ = 0;
  std::vector<double> values_, terms_;
  std::vector<GroupOne> group_one_;  ///< per end of each loop (LoopLayout::Loop::first_end)
  std::vector<double> largest_;      ///< row of group I, per loop; those of a secondary joint are of length 1
  // Algorithm 2
  std::vector<Transfer> transfers_;  ///< per frame
  std::vector<std::size_t> order_;   ///< frames from the roots to the tips, those of a body together, the carried first
  std::vector<std::size_t> place_;   ///< of a frame in order_
  std::vector<Range> ranges_;        ///< per body
  std::vector<std::vector<Use>> uses_;  ///< per body: blocks of its joint, then of its modes
};

}  // namespace polyform::reduced

// The constraint Jacobian c_q of the cut joints by the coordinates of the primary joints (Zhang et al. 2023, Sects. 3–6).
//
// A loop L has one secondary (cut) joint between a point B of its base body and the point M of its moving body; the joints
// of the spanning tree are primary. Only the primary joints on the two paths from the bodies of the secondary joint to
// their common ancestor move its constraint, so that c_L,q has a block for each of them and is zero elsewhere:
//
//   moving path   c_L,q =  [group I] · [group II of the joint, carried to M]     (Eqs. 10, 37, 42)
//   base path     c_L,q = −[group I] · [group II of the joint, carried to M]     (Eqs. 11, 35, 41)
//
// The paper's planar pin has r̃_TM = [−y; x] for this product; here it holds for any joint in space, with the constraint
// rows and motion subspaces of the SDK. Coordinates are meant per velocity coordinate (of a ball: small rotations).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/loop_closure.hpp"
#include "polyform/recursion.hpp"

namespace polyform::reduced {

/// Group I, of a secondary joint: how its constraint feels the motion of its moving body. Ground axes.
struct GroupOne {
  std::size_t rows = 0;
  Spatial row[6];   ///< on the twist of the moving body at M, less that of the base body there
  Vec3 M;           ///< m
};

/// Group II, of a primary joint: the twists of all outboard of it per unit of each of its velocity coordinates (of its
/// l_RT and A_RT in Eqs. 14, 17, as H of the motion subspace). Ground axes, at T.
struct GroupTwo {
  std::span<const Column<double>> directions;
  Vec3 T;           ///< m
};

class ConstraintJacobian {
 public:
  /// A block of a loop: rows by velocity coordinates of one primary joint.
  struct Block {
    std::size_t body = 0;      ///< whose joint it is
    std::size_t v = 0, nv = 0; ///< its velocity coordinates
    bool base = false;         ///< on the base path
    std::size_t first = 0;     ///< in values(): column after column, `rows` values each
  };

  /// The view, the loops and the recursion outlive the object.
  ConstraintJacobian(const SystemView& view, const LoopClosure& loops, const Recursion& recursion);

  // At the positions for which the recursion and the loops stand:
  void semi_analytic(std::span<const BodyMotion> bodies) noexcept;            ///< Algorithm 1
  void direct_differentiation(std::span<const BodyMotion> bodies) noexcept;   ///< Algorithm 2

  std::size_t loops() const { return first_block_.size() - 1; }
  std::size_t rows(std::size_t loop) const { return group_one_[loop].rows; }
  std::span<const Block> blocks(std::size_t loop) const {
    return std::span(blocks_).subspan(first_block_[loop], first_block_[loop + 1] - first_block_[loop]);
  }
  const double* values(const Block& block) const { return values_.data() + block.first; }
  /// Size of the terms that made the largest element of a row, for telling rounding from content.
  double term(std::size_t loop) const { return terms_[loop]; }

 private:
  /// A body in Algorithm 2: its pose in the frame of its inboard body, and its derivatives by one coordinate.
  struct Transfer {
    Mat3 A;        ///< from body axes to those of the inboard body
    Vec3 l;        ///< origin from the inboard origin, inboard axes, m
    Mat3 A_q;      ///< ∂A/∂q of the body in ground
    Vec3 r_q;      ///< ∂r/∂q of its origin in ground
  };

  /// Of each secondary joint CalculateConstraintJacobian's share of itself.
  void calculate_group_one(std::span<const BodyMotion> bodies) noexcept;
  /// PreprocessConstraintJacobian of a primary joint.
  GroupTwo group_two(std::size_t body, std::span<const BodyMotion> bodies) const noexcept;
  void differentiate(std::size_t body, std::size_t k, std::span<const BodyMotion> bodies) noexcept;
  Spatial derivative_at(BodyIndex body, const Vec3& M, std::span<const BodyMotion> bodies, std::size_t of) const noexcept;

  const SystemView& view_;
  const LoopClosure& loops_;
  const Recursion& recursion_;
  std::vector<std::size_t> first_block_;    ///< per loop, and the end
  std::vector<Block> blocks_;
  std::vector<double> values_, terms_;
  std::vector<GroupOne> group_one_;         ///< per loop
  std::vector<Transfer> transfers_;         ///< per body
  std::vector<std::size_t> subtree_end_;    ///< per body: the first body that is not outboard of it
  /// Per body the blocks of its joint, as places in blocks_ with their loops.
  struct Use {
    std::size_t block, loop;
  };
  std::vector<std::size_t> first_use_;
  std::vector<Use> uses_;
};

}  // namespace polyform::reduced

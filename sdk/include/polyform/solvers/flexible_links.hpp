// Flexible bodies as links of a recursion over the spanning tree.
//
// The hinge that carries a flexible body holds one of its frames (the root node R, or the body frame itself), at the
// hinge point P. All else attaches to frames of the body (nodes, or the body frame): with the accelerations z_P of the
// carried frame at P and the modes η̈, a frame T has
//
//   z_T = Shift(r_T) z_P + B_T η̈ + β_T,      r_T = T − P,   B_T = H_T − Shift(r_T) H_P
//
// (H: twists of a node per mode, flexible_nodes.hpp; the columns of B_T are the group II variables of a flexible body
// in Zhang et al. 2023, Eqs. 30, 31: with ρ_R, Φ_uR, Φ_θR in H_P and ρ_T, Φ_uT, Φ_θT in H_T). What hangs on the frames
// and the body itself give, by virtual power,
//
//   [z_a]   [A_pp  A_pm] [z_P]   [e_p]
//   [ 0 ] = [A_pmᵀ A_mm] [ η̈ ] + [e_m]
//
// and A_mm = L D Lᵀ turns the modes into m directions ζ = Lᵀ η̈ that are eliminated like those of a hinge, each by
// itself: U = A_pm L⁻ᵀ, free = −L⁻¹ e_m. All in ground axes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/flexible_nodes.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/transfer.hpp"

namespace polyform {

/// One object per thread; nothing allocates after construction. Elements are the flexible bodies in the order of
/// SystemView::flexible; attachments are their frames.
class FlexibleLinks {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A frame of a flexible body.
  struct Attachment {
    std::size_t element = 0;
    std::size_t node = none;  ///< in SystemView::nodes; none: the body frame
    std::size_t columns = 0;  ///< of B, one per mode
    Mat3 R;                   ///< the frame's orientation
    Vec3 omega;               ///< and angular velocity
    Vec3 r;                   ///< from P
    Spatial beta;
    Transfer<double> sum;  ///< S and e of all that hangs on the frame, at its origin
  };

  /// A flexible body.
  struct Element {
    std::size_t body = 0, modes = 0;
    std::size_t mode = 0;            ///< the first of its modes among all of the system
    std::size_t first = 0, end = 0;  ///< of its attachments; the body frame is the first
    std::size_t carried = 0;         ///< attachment that the hinge holds
    Vec3 to_P;                       ///< from the origin of the carried frame to P, in its axes
    std::size_t direction = 0;       ///< of its directions among those of all bodies
    std::size_t lower = 0;           ///< of A_mm, then L and D, among those of all bodies
  };

  explicit FlexibleLinks(const SystemView&);
  bool good() const { return set_.good(); }
  bool empty() const { return elements_.empty(); }
  /// The element of a body; none if it is rigid. attachment_of: the attachment of a frame; none for ground and frames
  /// of rigid bodies.
  std::size_t element_of(std::size_t body) const { return empty() ? none : element_of_[body]; }
  std::size_t attachment_of(FrameIndex f) const { return empty() || is_ground(f) ? none : attachment_of_[at(f)]; }
  std::size_t attachments() const { return attachments_.size(); }
  const Attachment& attachment(std::size_t a) const { return attachments_[a]; }
  const Element& element(std::size_t i) const { return elements_[i]; }
  const NodeMotions& nodes() const { return nodes_; }
  const FlexibleSet& set() const { return set_; }
  FlexibleSet& set() { return set_; }

  // Kinematics.
  void evaluate_nodes(const double* eta, const double* etadot) noexcept { nodes_.evaluate(eta, etadot); }
  /// Orientation and angular velocity of all frames from those of the carried frame.
  void place(std::size_t element, const Mat3& R, const Vec3& omega) noexcept;
  /// B of an attachment, one column per mode.
  std::span<const Spatial> columns(std::size_t a) const {
    return std::span(B_).subspan(attachments_[a].columns, elements_[attachments_[a].element].modes);
  }

  // From tips to roots.
  /// Sets masses and forces of all bodies, with nothing on their frames yet. moving: false for corrections, which know
  /// no forces.
  void begin(const double* eta, const double* etadot, bool moving) noexcept;
  void hang(std::size_t a, const Transfer<double>& s) noexcept { attachments_[a].sum += s; }
  /// Adds a wrench on a frame about its origin.
  void load(std::size_t a, const Spatial& wrench) noexcept { attachments_[a].sum.e -= wrench; }
  /// S and e of the body with all that hangs on it, at P, without its modes. False when a mode has no mass.
  bool condense(std::size_t element, Transfer<double>& s) noexcept;
  /// The directions ζ: U, 1/D and free of each. H has no meaning.
  std::span<const Column<double>> directions(std::size_t element) const {
    return std::span(directions_).subspan(elements_[element].direction, elements_[element].modes);
  }
  /// Multiplies modal forces, which stand `stride` apart, by L⁻¹ in place.
  void decouple(std::size_t element, double* forces, std::size_t stride) const noexcept;
  /// Does the same for the sizes of the forces' terms.
  void decouple_sizes(std::size_t element, double* sizes, std::size_t stride) const noexcept;

  // From roots to tips.
  /// η̈ of the body from z_P. taken: by how much multipliers of loops lower the rates of the directions.
  void rates(std::size_t element, const Spatial& z, const double* taken, double* etaddot) const noexcept;
  /// z_T of an attachment.
  Spatial acceleration(std::size_t a, const Spatial& z, const double* etaddot) const noexcept;

 private:
  void add_frames(const Element&, Transfer<double>& s) noexcept;
  void add_body(const Element&, std::size_t element) noexcept;
  bool factorize(const Element&) noexcept;

  FlexibleSet set_;
  NodeMotions nodes_;
  std::vector<std::size_t> element_of_, attachment_of_;
  std::vector<Element> elements_;
  std::vector<Attachment> attachments_;
  std::vector<BodyMotion> frames_;  ///< R and angular velocity of the flexible bodies
  std::vector<Spatial> B_, couplings_, hinge_columns_;
  std::vector<double> lowers_, modal_;  ///< modal_: e_m
  std::vector<Column<double>> directions_;
  bool moving_ = true;
};

}  // namespace polyform

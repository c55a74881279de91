// Flexible bodies in a linearized tree.
//
// The hinge holds one frame of the body at P (flexible_links.hpp). With displacements ξ_P there and δη of the modes, a
// frame T of the body is displaced by
//
//   ξ_T = Shift(r_T) ξ_P + B_T δη
//
// For the response of the body by itself see flexible_derivatives.hpp. The loads on its frames are wrenches W_T, whose
// levers and directions move with the body: that adds to K at P.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/flexible_derivatives.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/newton/tree_blocks.hpp"

namespace polyform {

/// All flexible bodies of a system. Nothing allocates after construction.
class LinearizedModes {
 public:
  using Element = FlexibleDerivatives::Element;
  /// A frame of a flexible body.
  struct Station {
    std::uint32_t frame = 0;  ///< in the blocks
    std::size_t attachment = 0;
  };

  /// The view outlives the object.
  explicit LinearizedModes(const SystemView&);
  bool good() const { return links_.good() && bodies_.good(); }
  std::span<const Element> elements() const { return bodies_.elements(); }
  /// The stations of a body; the body frame stands first.
  std::span<const Station> stations(const Element& e) const {
    const auto i = static_cast<std::size_t>(&e - elements().data());
    return std::span(stations_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  const Vec3& r(const Station& s) const { return links_.attachment(s.attachment).r; }
  std::span<const Spatial> B(const Station& s) const { return links_.columns(s.attachment); }

  /// Finds the matrices of the bodies by themselves, and adds their wrenches to the blocks.
  void begin(const TreeMoment&, std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
             TreeBlocks&) noexcept;
  /// To be called once the wrenches of all its frames are known: the one at P takes the place of the body frame's.
  void gather(const Element&, TreeBlocks&) noexcept;

  // n² numbers, rows first: those of the body by itself, about the origin of its frame; and those by its levers, at P
  // (n × n as well).
  const double* M(const Element& e) const { return bodies_.M(e); }
  const double* G(const Element& e) const { return bodies_.G(e); }
  const double* K(const Element& e) const { return bodies_.K(e); }
  const double* levers(const Element& e) const { return levers_.data() + e.matrix; }

 private:
  const SystemView& view_;
  FlexibleDerivatives bodies_;
  FlexibleLinks links_;
  std::vector<std::size_t> first_;  ///< of the stations of each body, and the end
  std::vector<Station> stations_;
  std::vector<double> levers_;
};

}  // namespace polyform

// First-order states of forces in a linearized tree: what they do to the loads, and what displacements do to their
// rates.
//
// With displacements w of an instance's patterns the states z of the instance and its loads change by
//
//   δż = A w + B ẇ + Z δz      loads = K w + G ẇ + C δz
//
// K and G are those of LinearizedForces. The parts of a system that such an instance ties together are often single
// hinges and bodies, each with states of its own: signals of a model are one instance. These parts are found here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/force_derivatives.hpp"
#include "polyform/solvers/newton/tree_blocks.hpp"

namespace polyform {

/// The instances that have states. Nothing allocates after finish().
class LinearizedStates {
 public:
  static constexpr std::uint32_t none = TreeBlocks::none;
  /// Where loads by displacements belong that the sweep carries: in the blocks of a frame, of a joint, or of a coupling
  /// to the parent (TreeBlocks).
  enum class Place : std::uint8_t { frame, joint, inner, outer };
  /// A part of the loads by displacements of an instance: rows and columns of its patterns.
  struct Block {
    Place place = Place::frame;
    std::uint32_t target = 0;  ///< frame, body of the joint, or coupling
    std::size_t row = 0, column = 0, size = 0;
    bool is_local = true;  ///< whether it belongs there at the last linearization; else it is across the tree
  };
  struct Element {
    std::size_t instance = 0, count = 0;  ///< of the derivatives; displacements
    std::size_t first = 0;                ///< of the patterns
    std::size_t states = 0, state = 0;    ///< and the first among those of all elements
    std::size_t state_offset = 0;         ///< among all first-order states
    std::size_t first_block = 0, end_block = 0;
    std::size_t rates = 0;               ///< first of states × count, and of count × states, numbers
    std::size_t inverse = 0, loads = 0;  ///< first of states² and of count² numbers
  };
  /// States of an element whose rates depend on each other: a part of order().
  struct Group {
    std::size_t first = 0, end = 0;
  };

  explicit LinearizedStates(const ForceDerivatives& derivatives) : derivatives_(derivatives) {}

  // While the system is read.
  /// The number of a new element. Blocks that are added then belong to it.
  std::size_t add(std::size_t instance, std::size_t first, std::size_t count);
  void add(const Block& block) {
    blocks_.push_back(block);
    elements_.back().end_block = blocks_.size();
  }
  void finish();

  // At each linearization: all are written, then grouped.
  double* loads_by_states(const Element& e) noexcept { return C_.data() + e.rates; }
  double* rates_by_displacements(const Element& e) noexcept { return A_.data() + e.rates; }
  double* rates_by_speeds(const Element& e) noexcept { return B_.data() + e.rates; }
  void group(const Element&) noexcept;
  std::span<Block> blocks(const Element& e) noexcept {
    return std::span(blocks_).subspan(e.first_block, e.end_block - e.first_block);
  }

  std::span<const Element> elements() const { return elements_; }
  const Element& element(std::size_t i) const { return elements_[i]; }
  std::span<const Block> blocks(const Element& e) const {
    return std::span(blocks_).subspan(e.first_block, e.end_block - e.first_block);
  }
  std::size_t states() const { return states_; }
  std::size_t inverses() const { return inverses_; }                       ///< numbers of states² of all elements
  std::size_t loads() const { return loads_; }                             ///< numbers of count² of all elements
  const double* C(const Element& e) const { return C_.data() + e.rates; }  ///< count × states, rows first
  const double* A(const Element& e) const { return A_.data() + e.rates; }  ///< states × count, rows first
  const double* B(const Element& e) const { return B_.data() + e.rates; }
  /// δż by δz of a state by another one of the element.
  double Z(const Element& e, std::size_t row, std::size_t column) const noexcept;
  /// The groups of an element's states, as spans of order(), whose numbers count within the element.
  std::size_t groups(const Element& e) const { return group_counts_[static_cast<std::size_t>(&e - elements_.data())]; }
  std::span<const std::size_t> group(const Element& e, std::size_t k) const {
    const Group& g = groups_[e.state + k];
    return std::span(order_).subspan(e.state + g.first, g.end - g.first);
  }

 private:
  const ForceDerivatives& derivatives_;
  std::vector<Element> elements_;
  std::vector<Block> blocks_;
  std::size_t states_ = 0, numbers_ = 0, inverses_ = 0, loads_ = 0;
  std::vector<double> A_, B_, C_;
  std::vector<std::size_t> order_, label_, group_counts_;
  std::vector<Group> groups_;
};

/// Labels that join: each is the least number of those that it is joined with.
class JoinedLabels {
 public:
  explicit JoinedLabels(std::span<std::size_t> labels) noexcept : labels_(labels) {
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = i;
  }
  std::size_t of(std::size_t i) const noexcept {
    while (labels_[i] != i) i = labels_[i] = labels_[labels_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) const noexcept {
    a = of(a);
    b = of(b);
    labels_[a > b ? a : b] = a > b ? b : a;
  }

 private:
  std::span<std::size_t> labels_;
};

}  // namespace polyform

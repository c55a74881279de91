// The paths of the loops through the spanning tree, and the places of their numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/solvers/element_rows.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/multiplier_matrix.hpp"

namespace polyform {

/// Made once for a system; nothing in it changes afterwards.
class LoopLayout {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A cut joint, or a group of rows of a constraint element. It closes a loop through its frames, by way of ground if
  /// rows act on motions against ground.
  struct Loop {
    std::size_t rows = 0, first_row = 0;
    std::size_t first_end = 0, end_count = 0;
  };
  /// An end of a loop: a frame, and the passage in its body; for a cut joint its base, then its moving frame.
  struct End {
    FrameIndex frame = FrameIndex::ground;
    std::size_t passage = none;  ///< none at ground
  };
  /// A loop in a body on one of its paths.
  struct Passage {
    std::size_t loop, rows, first_row;
    std::size_t first;         ///< of its columns, one per row
    std::size_t gain;          ///< first of directions × rows
    std::size_t next;          ///< passage in the parent; none if the parent is ground
    std::size_t modal = none;  ///< first of modes × rows, in a flexible body
    bool own = false;          ///< in the body whose hinge it postpones
  };
  /// The numbers of all loops together.
  struct Sizes {
    std::size_t rows = 0, columns = 0, gains = 0, modal = 0;
    std::size_t widest = 0;  ///< most columns in one body
  };

  /// Loops of cut joints, then of the groups of elements. postponed: bodies whose hinges are solved for together with
  /// the loops that pass them (postponed_hinges.hpp). matrix: is laid out for all of their rows
  /// (MultiplierMatrix::analyze).
  LoopLayout(const SystemView&, const FlexibleLinks&, const ElementRows&, std::span<const std::size_t> postponed,
             MultiplierMatrix& matrix);

  bool empty() const { return loops_.empty(); }
  /// Without postponed hinges, which stand after them.
  std::size_t count() const { return loops_.size() - postponed_.size(); }
  /// The body whose hinge is postponed in the place of a loop; none of those before count().
  std::size_t postponed(std::size_t i) const { return i < count() ? none : postponed_[i - count()]; }
  /// Where the hinge of a body stands among the loops if it is postponed and a loop passes it, or none.
  std::size_t postponed_at(std::size_t body) const;
  bool postpones() const { return !postponed_.empty(); }
  const Loop& loop(std::size_t i) const { return loops_[i]; }
  std::span<const End> ends(std::size_t i) const {
    return std::span(ends_).subspan(loops_[i].first_end, loops_[i].end_count);
  }
  std::span<const End> all_ends() const { return ends_; }
  /// Whether the rows ask for a motion against ground.
  bool is_absolute(std::size_t i) const { return absolute_[i]; }
  /// Whether variables of a module have a part in the rows.
  bool has_variables(std::size_t i) const { return module_[i] != none; }
  /// The body of a frame: ground, the body itself, or the body of a node.
  static BodyIndex body_of(const SystemView& view, FrameIndex f) {
    const std::size_t n = view.bodies.size();
    return is_ground(f) || at(f) < n ? static_cast<BodyIndex>(f) : view.nodes[at(f) - n].body;
  }
  const Sizes& sizes() const { return sizes_; }
  /// Frames at the ends of loops.
  std::span<const FrameIndex> tied_frames() const { return tied_; }
  /// Loops that close in ground, in the order of elimination.
  std::span<const std::size_t> in_ground() const { return in_ground_; }

  /// Whether columns of some loop pass the hinge of this body, or end in it.
  bool carries(std::size_t body) const { return !loops_.empty() && bodies_[body].count > 0; }
  const Passage& passage(std::size_t p) const { return passages_[p]; }
  /// Passages of a body in the order of elimination: those that close in it stand first, the others pass its hinge.
  std::span<const Passage> all_in(std::size_t body) const { return part(bodies_[body].first, bodies_[body].count); }
  std::span<const Passage> closing(std::size_t body) const { return part(bodies_[body].first, bodies_[body].closing); }
  std::span<const Passage> passing(std::size_t body) const {
    const Body& b = bodies_[body];
    return part(b.first + b.closing, b.count - b.closing);
  }
  /// The places of the matrix blocks for pairs of passing(body), each with itself and with those after it.
  const std::size_t* pairs(std::size_t body) const { return pairs_.data() + bodies_[body].pair; }
  /// The same for pairs of all_in(body), which meet in the modes of a flexible body.
  const std::size_t* modal_pairs(std::size_t body) const { return modal_pairs_.data() + bodies_[body].modal_pair; }

 private:
  struct Body {
    std::size_t first = 0, count = 0, closing = 0;
    std::size_t pair = 0, modal_pair = 0;
  };
  /// For each body, the loops that pass its hinge or close in it.
  using LoopsIn = std::vector<std::vector<std::size_t>>;

  std::span<const Passage> part(std::size_t first, std::size_t count) const {
    return std::span(passages_).subspan(first, count);
  }
  void add_loop(std::size_t rows, std::span<const FrameIndex> frames, bool absolute, std::size_t module);
  void find_paths(const SystemView&, LoopsIn&, std::vector<std::size_t>& stages) const;
  void find_postponed_paths(const SystemView&, LoopsIn&, std::vector<std::size_t>& stages);
  void order_elimination(const LoopsIn&, const std::vector<std::size_t>& stages, const FlexibleLinks&,
                         MultiplierMatrix&);
  void lay_out(const SystemView&, const LoopsIn&, const std::vector<std::size_t>& stages, const FlexibleLinks&,
               const MultiplierMatrix&);
  void find_tied_frames();

  std::vector<Loop> loops_;
  std::vector<End> ends_;
  std::vector<bool> absolute_;          ///< per loop
  std::vector<std::size_t> module_;     ///< per loop: loops of one module meet in its variables
  std::vector<std::size_t> postponed_;  ///< per postponed hinge
  std::vector<FrameIndex> tied_;
  std::vector<Body> bodies_;
  std::vector<Passage> passages_;
  std::vector<std::size_t> pairs_, modal_pairs_;
  std::vector<std::size_t> in_ground_;
  Sizes sizes_;
};

}  // namespace polyform

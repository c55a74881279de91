#include "polyform/solvers/loop_layout.hpp"

#include <algorithm>

namespace polyform {

LoopLayout::LoopLayout(const SystemView& view, const FlexibleLinks& flexible, MultiplierMatrix& matrix)
    : loops_(view.cut_joints().size()) {
  if (loops_.empty()) return;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    loops_[i].rows = 6 - view.cut_joints()[i].nv;
    loops_[i].first_row = sizes_.rows;
    sizes_.rows += loops_[i].rows;
  }
  LoopsIn loops_in(view.bodies.size());
  std::vector<std::size_t> stages(loops_.size());
  find_paths(view, loops_in, stages);
  order_elimination(loops_in, stages, flexible, matrix);
  lay_out(view, loops_in, stages, flexible, matrix);
  find_tied_frames(view);
}

/// stages: when a loop closes; the common ancestor of its bodies as its place from the tips, ground last.
void LoopLayout::find_paths(const SystemView& view, LoopsIn& loops_in, std::vector<std::size_t>& stages) const {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view.cut_joints()[i];
    BodyIndex a = cut.base, b = cut.moving;
    stages[i] = view.bodies.size();
    if (loops_[i].rows == 0) continue;  // a free joint ties nothing
    while (a != b) {
      // Parents stand before their children: of two bodies the later one is no ancestor of the other.
      BodyIndex& later = static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
      loops_in[at(later)].push_back(i);
      later = view.joints[at(later)].inboard();
    }
    if (is_ground(a)) continue;
    loops_in[at(a)].push_back(i);
    stages[i] = view.bodies.size() - 1 - at(a);
  }
}

void LoopLayout::order_elimination(const LoopsIn& loops_in, const std::vector<std::size_t>& stages,
                                   const FlexibleLinks& flexible, MultiplierMatrix& matrix) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t b = 0; b < loops_in.size(); ++b) {
    // Loops that close in a body do not pass its hinge, but the modes of a flexible one.
    const std::size_t own_stage = loops_in.size() - 1 - b;
    const bool modal = flexible.element_of(b) != FlexibleLinks::none;
    for (std::size_t k = 0; k < loops_in[b].size(); ++k)
      for (std::size_t l = 0; l < k; ++l)
        if (modal || (stages[loops_in[b][k]] != own_stage && stages[loops_in[b][l]] != own_stage))
          pairs.emplace_back(loops_in[b][k], loops_in[b][l]);
  }
  std::vector<std::size_t> sizes;
  for (const Loop& loop : loops_) sizes.push_back(loop.rows);
  matrix.analyze(sizes, stages, pairs);
  for (const std::size_t i : matrix.order())
    if (stages[i] == loops_in.size() && loops_[i].rows > 0) in_ground_.push_back(i);
}

void LoopLayout::lay_out(const SystemView& view, const LoopsIn& loops_in, const std::vector<std::size_t>& stages,
                         const FlexibleLinks& flexible, const MultiplierMatrix& matrix) {
  bodies_.resize(loops_in.size());
  for (std::size_t b = 0; b < loops_in.size(); ++b) {
    std::vector<std::size_t> loops = loops_in[b];
    std::sort(loops.begin(), loops.end(),
              [&](std::size_t i, std::size_t j) { return matrix.position(i) < matrix.position(j); });
    Body& of = bodies_[b];
    const std::size_t element = flexible.element_of(b);
    of = {passages_.size(), loops.size(), 0, pairs_.size(), modal_pairs_.size()};
    const BodyIndex parent = view.joints[b].inboard();
    std::size_t rows = 0;
    for (const std::size_t i : loops) {
      const bool closes = stages[i] == loops_in.size() - 1 - b;
      Passage p{i, loops_[i].rows, loops_[i].first_row, sizes_.columns, sizes_.gains, none};
      if (closes) {
        ++of.closing;
      } else {
        sizes_.gains += view.joints[b].nv * p.rows;
        if (!is_ground(parent)) {
          p.next = bodies_[at(parent)].first;
          while (passages_[p.next].loop != i) ++p.next;
        }
      }
      if (element != FlexibleLinks::none) {
        p.modal = sizes_.modal;
        sizes_.modal += flexible.element(element).modes * p.rows;
      }
      sizes_.columns += p.rows;
      rows += p.rows;
      const JointData& cut = view.cut_joints()[i];
      if (cut.base == body_index(b)) loops_[i].base = passages_.size();
      if (cut.moving == body_index(b)) loops_[i].moving = passages_.size();
      passages_.push_back(p);
    }
    sizes_.widest = std::max(sizes_.widest, rows);
    for (std::size_t k = of.closing; k < loops.size(); ++k)
      for (std::size_t l = k; l < loops.size(); ++l) pairs_.push_back(matrix.place(loops[k], loops[l]));
    for (std::size_t k = 0; k < loops.size() && element != FlexibleLinks::none; ++k)
      for (std::size_t l = k; l < loops.size(); ++l) modal_pairs_.push_back(matrix.place(loops[k], loops[l]));
  }
}

void LoopLayout::find_tied_frames(const SystemView& view) {
  for (const JointData& cut : view.cut_joints())
    for (const FrameIndex f : {cut.base_frame, cut.moving_frame})
      if (!is_ground(f)) tied_.push_back(f);
  std::sort(tied_.begin(), tied_.end());
  tied_.erase(std::unique(tied_.begin(), tied_.end()), tied_.end());
}

}  // namespace polyform

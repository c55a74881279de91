#include "polyform/solvers/loop_layout.hpp"

#include <algorithm>
#include <set>

namespace polyform {
LoopLayout::LoopLayout(const SystemView& view, const FlexibleLinks& flexible, const ElementRows& elements,
                       std::span<const std::size_t> postponed, MultiplierMatrix& matrix)
    : postponed_(postponed.begin(), postponed.end()) {
  for (const JointData& cut : view.cut_joints()) {
    const FrameIndex frames[] = {cut.base_frame, cut.moving_frame};
    add_loop(6 - cut.nv, frames, false, none);
  }
  for (std::size_t g = 0; g < elements.groups(); ++g) {
    const ElementRows::Group& group = elements.group(g);
    add_loop(group.rows, elements.frames(group), group.absolute, group.module);
  }
  if (loops_.empty()) {
    postponed_.clear();
    return;
  }
  for (const std::size_t body : postponed_) add_loop(view.joints[body].nv, {}, false, none);
  LoopsIn loops_in(view.bodies.size());
  std::vector<std::size_t> stages(loops_.size());
  find_paths(view, loops_in, stages);
  find_postponed_paths(view, loops_in, stages);
  order_elimination(loops_in, stages, flexible, matrix);
  lay_out(view, loops_in, stages, flexible, matrix);
  find_tied_frames();
}

void LoopLayout::add_loop(std::size_t rows, std::span<const FrameIndex> frames, bool absolute, std::size_t module) {
  loops_.push_back({rows, sizes_.rows, ends_.size(), frames.size()});
  for (const FrameIndex f : frames) ends_.push_back({f, none});
  absolute_.push_back(absolute);
  module_.push_back(module);
  sizes_.rows += rows;
}

/// Finds the paths of the loops. stages: when a loop closes, told by the common ancestor of its bodies as its place
/// from the tips, ground last.
void LoopLayout::find_paths(const SystemView& view, LoopsIn& loops_in, std::vector<std::size_t>& stages) const {
  for (std::size_t i = 0; i < count(); ++i) {
    stages[i] = view.bodies.size();
    if (loops_[i].rows == 0) continue;  // a free joint has no rows
    std::set<BodyIndex> reached;
    for (const End& end : ends(i)) reached.insert(body_of(view, end.frame));
    if (absolute_[i]) reached.insert(BodyIndex::ground);
    while (reached.size() > 1) {
      // Parents stand before their children: so the last of several bodies is no ancestor of the others.
      const BodyIndex last = *reached.rbegin();
      reached.erase(last);
      loops_in[at(last)].push_back(i);
      reached.insert(view.joints[at(last)].inboard());
    }
    if (reached.empty() || is_ground(*reached.begin())) continue;
    const std::size_t ancestor = at(*reached.begin());
    loops_in[ancestor].push_back(i);
    stages[i] = view.bodies.size() - 1 - ancestor;
  }
}

/// A postponed hinge goes with the loops that pass it to where the last of them closes.
void LoopLayout::find_postponed_paths(const SystemView& view, LoopsIn& loops_in, std::vector<std::size_t>& stages) {
  const LoopsIn closing_in = loops_in;
  for (std::size_t i = count(); i < loops_.size(); ++i) {
    const std::size_t body = postponed(i), own_stage = view.bodies.size() - 1 - body;
    stages[i] = own_stage;
    for (const std::size_t loop : closing_in[body]) stages[i] = std::max(stages[i], stages[loop]);
    if (stages[i] == own_stage) {  // no loop passes: it stays a hinge without inertia
      loops_[i].rows = 0;
      continue;
    }
    std::size_t b = body;
    for (; view.bodies.size() - 1 - b < stages[i]; b = at(view.joints[b].inboard())) {
      loops_in[b].push_back(i);
      if (is_ground(view.joints[b].inboard())) break;
    }
    if (stages[i] < view.bodies.size()) loops_in[b].push_back(i);
  }
}

std::size_t LoopLayout::postponed_at(std::size_t body) const {
  for (std::size_t i = count(); i < loops_.size(); ++i)
    if (postponed(i) == body && loops_[i].rows > 0) return i;
  return none;
}

/// Postponed hinges come after the loops that pass them, which give them their inertia.
void LoopLayout::order_elimination(const LoopsIn& loops_in, const std::vector<std::size_t>& stages,
                                   const FlexibleLinks& flexible, MultiplierMatrix& matrix) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t b = 0; b < loops_in.size(); ++b) {
    // Loops that close in a body do not pass its hinge, but do pass the modes of a flexible one.
    const std::size_t own_stage = loops_in.size() - 1 - b;
    const bool modal = flexible.element_of(b) != FlexibleLinks::none;
    for (std::size_t k = 0; k < loops_in[b].size(); ++k)
      for (std::size_t l = 0; l < k; ++l)
        if (modal || (stages[loops_in[b][k]] != own_stage && stages[loops_in[b][l]] != own_stage))
          pairs.emplace_back(loops_in[b][k], loops_in[b][l]);
  }
  for (std::size_t i = 0; i < loops_.size(); ++i)
    for (std::size_t j = 0; j < i && module_[i] != none; ++j)
      if (module_[j] == module_[i]) pairs.emplace_back(i, j);
  std::vector<std::size_t> sizes;
  for (const Loop& loop : loops_) sizes.push_back(loop.rows);
  std::vector<std::pair<std::size_t, std::size_t>> later;
  for (std::size_t i = count(); i < loops_.size(); ++i)
    for (const std::size_t j : loops_in[postponed(i)])
      if (j < count() && loops_[i].rows > 0 && stages[j] != loops_in.size() - 1 - postponed(i))
        later.emplace_back(i, j);
  matrix.analyze(sizes, stages, pairs, later);
  if (postpones()) matrix.set_first_negative(count());
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
      p.own = postponed(i) == b;
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
      for (std::size_t e = loops_[i].first_end; e < loops_[i].first_end + loops_[i].end_count; ++e)
        if (body_of(view, ends_[e].frame) == body_index(b)) ends_[e].passage = passages_.size();
      passages_.push_back(p);
    }
    sizes_.widest = std::max(sizes_.widest, rows);
    for (std::size_t k = of.closing; k < loops.size(); ++k)
      for (std::size_t l = k; l < loops.size(); ++l) pairs_.push_back(matrix.place(loops[k], loops[l]));
    for (std::size_t k = 0; k < loops.size() && element != FlexibleLinks::none; ++k)
      for (std::size_t l = k; l < loops.size(); ++l) modal_pairs_.push_back(matrix.place(loops[k], loops[l]));
  }
}

void LoopLayout::find_tied_frames() {
  for (const End& end : ends_)
    if (!is_ground(end.frame)) tied_.push_back(end.frame);
  std::sort(tied_.begin(), tied_.end());
  tied_.erase(std::unique(tied_.begin(), tied_.end()), tied_.end());
}

}  // namespace polyform

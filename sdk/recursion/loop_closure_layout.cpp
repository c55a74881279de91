// The paths of the loops through the spanning tree, and what is stored where.
#include <algorithm>

#include "polyform/solvers/loop_closure.hpp"

namespace polyform {

LoopClosure::LoopClosure(const SystemView& view, FlexibleLinks& flexible)
    : view_(view), flexible_(flexible), yardstick_(view), loops_(view.cut_joints().size()) {
  constraints_.resize(loops_.size());
  left_out_.resize(loops_.size());
  if (loops_.empty()) return;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    loops_[i].rows = 6 - view.cut_joints()[i].nv;
    loops_[i].first_row = rows;
    rows += loops_[i].rows;
  }
  std::vector<std::vector<std::size_t>> loops_in(view.bodies.size());
  std::vector<std::size_t> stages(loops_.size());
  find_paths(loops_in, stages);
  order_elimination(loops_in, stages);
  lay_out(loops_in, stages);
  for (auto* of_rows : {&lambda_, &kept_lambda_, &asked_, &rest_}) of_rows->resize(rows);
  dependent_.resize(loops_.size());
  independent_.resize(loops_.size());
  find_uneven();
}

/// loops_in: of every body the loops that pass its hinge or close in it. stages: when a loop closes; the common ancestor
/// of its bodies as its place from the tips, ground last.
void LoopClosure::find_paths(std::vector<std::vector<std::size_t>>& loops_in, std::vector<std::size_t>& stages) const {
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    BodyIndex a = cut.base, b = cut.moving;
    stages[i] = view_.bodies.size();
    if (loops_[i].rows == 0) continue;  // a free joint ties nothing
    while (a != b) {
      // Parents stand before their children: of two bodies the later one is no ancestor of the other.
      BodyIndex& later = static_cast<std::int32_t>(a) > static_cast<std::int32_t>(b) ? a : b;
      loops_in[at(later)].push_back(i);
      later = view_.joints[at(later)].inboard();
    }
    if (is_ground(a)) continue;
    loops_in[at(a)].push_back(i);
    stages[i] = view_.bodies.size() - 1 - at(a);
  }
}

void LoopClosure::order_elimination(const std::vector<std::vector<std::size_t>>& loops_in,
                                    const std::vector<std::size_t>& stages) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t b = 0; b < loops_in.size(); ++b) {
    // Loops that close in a body do not pass its hinge, but the modes of a flexible one.
    const std::size_t own_stage = loops_in.size() - 1 - b;
    const bool modal = flexible_.element_of(b) != FlexibleLinks::none;
    for (std::size_t k = 0; k < loops_in[b].size(); ++k)
      for (std::size_t l = 0; l < k; ++l)
        if (modal || (stages[loops_in[b][k]] != own_stage && stages[loops_in[b][l]] != own_stage))
          pairs.emplace_back(loops_in[b][k], loops_in[b][l]);
  }
  std::vector<std::size_t> sizes;
  for (const Loop& loop : loops_) sizes.push_back(loop.rows);
  matrix_.analyze(sizes, stages, pairs);
  for (const std::size_t i : matrix_.order())
    if (stages[i] == loops_in.size() && loops_[i].rows > 0) in_ground_.push_back(i);
}

void LoopClosure::lay_out(const std::vector<std::vector<std::size_t>>& loops_in, const std::vector<std::size_t>& stages) {
  std::size_t columns = 0, gains = 0, modal = 0, widest = 0;
  passages_of_.resize(loops_in.size());
  for (std::size_t b = 0; b < loops_in.size(); ++b) {
    std::vector<std::size_t> loops = loops_in[b];
    std::sort(loops.begin(), loops.end(),
              [&](std::size_t i, std::size_t j) { return matrix_.position(i) < matrix_.position(j); });
    PassagesOf& of = passages_of_[b];
    const std::size_t element = flexible_.element_of(b);
    of = {passages_.size(), loops.size(), 0, pairs_.size(), modal_pairs_.size()};
    const BodyIndex parent = view_.joints[b].inboard();
    std::size_t rows = 0;
    for (const std::size_t i : loops) {
      const bool closes = stages[i] == loops_in.size() - 1 - b;
      Passage p{i, loops_[i].rows, loops_[i].first_row, columns, gains, none};
      if (closes) {
        ++of.closing;
      } else {
        gains += view_.joints[b].nv * p.rows;
        if (!is_ground(parent)) {
          const PassagesOf& above = passages_of_[at(parent)];
          p.next = above.first;
          while (passages_[p.next].loop != i) ++p.next;
        }
      }
      if (element != FlexibleLinks::none) {
        p.modal = modal;
        modal += flexible_.modes(element) * p.rows;
      }
      columns += p.rows;
      rows += p.rows;
      const JointData& cut = view_.cut_joints()[i];
      if (cut.base == body_index(b)) loops_[i].base = passages_.size();
      if (cut.moving == body_index(b)) loops_[i].moving = passages_.size();
      passages_.push_back(p);
    }
    widest = std::max(widest, rows);
    for (std::size_t k = of.closing; k < loops.size(); ++k)
      for (std::size_t l = k; l < loops.size(); ++l) pairs_.push_back(matrix_.place(loops[k], loops[l]));
    for (std::size_t k = 0; k < loops.size() && element != FlexibleLinks::none; ++k)
      for (std::size_t l = k; l < loops.size(); ++l) modal_pairs_.push_back(matrix_.place(loops[k], loops[l]));
  }
  for (const JointData& cut : view_.cut_joints())
    for (const FrameIndex f : {cut.base_frame, cut.moving_frame})
      if (!is_ground(f)) tied_.push_back(f);
  std::sort(tied_.begin(), tied_.end());
  tied_.erase(std::unique(tied_.begin(), tied_.end()), tied_.end());
  columns_.resize(columns);
  gains_.resize(gains);
  modal_.resize(modal);
  modal_terms_.resize(modal);
  through_.resize(widest);
}

}  // namespace polyform

#include "merge_tree.hpp"

#include <algorithm>
#include <limits>

namespace polyform::hierarchy {
namespace {

class Builder {
 public:
  Builder(std::vector<LevelConstraint>& constraints, std::size_t blocks, std::size_t last_level)
      : constraints_(constraints), blocks_(blocks), interfaces_(blocks), constraints_of_(blocks), owner_(blocks) {
    for (std::size_t b = 0; b < blocks; ++b) {
      interfaces_[b] = {b};
      owner_[b] = b;
    }
    enforced_.resize(constraints.size());
    kept_for_.resize(constraints.size());
    for (std::size_t t = 0; t < constraints.size(); ++t) {
      enforced_[t] = constraints[t].rows == 0 || constraints[t].level > last_level || constraints[t].blocks.empty();
      if (!enforced_[t])
        for (const std::size_t b : constraints[t].blocks) constraints_of_[b].push_back(t);
    }
  }

  /// Rounds of merges until all constraints up to this level are enforced.
  void merge_level(std::size_t level) {
    level_ = level;
    for (;;) {
      std::vector<std::size_t> waiting = subsystems_with_work();
      if (waiting.empty()) return;
      ++round_;
      last_touched_.assign(interfaces_.size(), false);
      const std::size_t before = tree_.merges.size();
      for (const std::size_t module : waiting)
        if (!last_touched_[module] && alive(module)) merge_with_best(module);
      widen_ = tree_.merges.size() == before;
      if (widen_) --round_;  // nothing has this level
    }
  }

  /// One merge for each set of blocks that hang together.
  void merge_flat() {
    round_ = 1;
    std::vector<bool> seen(blocks_);
    for (std::size_t b = 0; b < blocks_; ++b) {
      if (seen[b]) continue;
      std::vector<std::size_t> together{b};
      seen[b] = true;
      for (std::size_t i = 0; i < together.size(); ++i)
        for (const std::size_t t : constraints_of_[together[i]])
          for (const std::size_t other : constraints_[t].blocks)
            if (!seen[other]) {
              seen[other] = true;
              together.push_back(other);
            }
      if (together.size() > 1 || !constraints_of_[b].empty()) merge(together);
    }
  }

  /// A merge of a block that nothing constrains, with itself.
  void merge_alone(std::size_t block) {
    if (owner_[block] == block && constraints_of_[block].empty()) merge({block});
  }

  /// Levels found for constraints that had none; returns their number. A round that enforces nothing, because a
  /// constraint of several subsystems takes more than one merge, is no level.
  std::size_t write_levels() {
    std::vector<std::size_t> rounds;
    for (const auto& one : found_) rounds.push_back(one.second);
    std::ranges::sort(rounds);
    rounds.erase(std::unique(rounds.begin(), rounds.end()), rounds.end());
    for (const auto& [constraint, round] : found_)
      constraints_[constraint].level =
          2 + static_cast<std::size_t>(std::ranges::lower_bound(rounds, round) - rounds.begin());
    return rounds.size() + 1;
  }

  MergeTree take(std::size_t levels) {
    tree_.levels = levels;
    return std::move(tree_);
  }

 private:
  bool alive(std::size_t module) const {
    return !interfaces_[module].empty() && owner_[interfaces_[module].front()] == module;
  }
  bool waits(std::size_t constraint) const {
    return !enforced_[constraint] && constraints_[constraint].level <= level_;
  }

  /// Subsystems with a constraint to enforce at this level, those with the fewest neighbours first.
  std::vector<std::size_t> subsystems_with_work() {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t m = 0; m < interfaces_.size(); ++m) {
      if (!alive(m)) continue;
      bool any = false;
      for (const std::size_t t : constraints_of_[m]) any = any || waits(t);
      if (any) found.emplace_back(neighbours(m).size(), m);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> modules;
    for (const auto& [count, m] : found) modules.push_back(m);
    return modules;
  }

  const std::vector<std::size_t>& neighbours(std::size_t module) {
    neighbours_.clear();
    for (const std::size_t t : constraints_of_[module]) {
      if (!waits(t)) continue;
      for (const std::size_t b : constraints_[t].blocks) {
        const std::size_t other = owner_[b];
        if (other != module && std::find(neighbours_.begin(), neighbours_.end(), other) == neighbours_.end())
          neighbours_.push_back(other);
      }
    }
    return neighbours_;
  }

  /// A subsystem with one neighbour joins it in any case, so that a star does not take a round for each of its rays.
  /// Others wait until such neighbours have gone, before they make an interface wider than both had; unless nothing
  /// else moves.
  void merge_with_best(std::size_t module) {
    const std::vector<std::size_t> others = neighbours(module);
    if (others.empty()) {
      merge({module});
      return;
    }
    std::size_t best = none, best_size = std::numeric_limits<std::size_t>::max();
    for (const std::size_t other : others) {
      if (others.size() > 1 && last_touched_[other]) continue;
      const std::size_t size = others.size() == 1 ? 0 : interface_after(module, other);
      const std::size_t widest = std::max({std::size_t{2}, interfaces_[module].size(), interfaces_[other].size()});
      if (size < best_size && (widen_ || size <= widest)) {
        best_size = size;
        best = other;
      }
    }
    if (best != none) merge({best, module});
  }

  bool stays(std::size_t block, std::size_t one, std::size_t other, const std::vector<std::size_t>& constraints) const {
    return std::any_of(constraints.begin(), constraints.end(), [&](std::size_t t) {
      const auto& constrained = constraints_[t].blocks;
      return !enforced_[t] && std::find(constrained.begin(), constrained.end(), block) != constrained.end() &&
             !(waits(t) && within(t, one, other));
    });
  }
  bool within(std::size_t constraint, std::size_t one, std::size_t other) const {
    return std::all_of(constraints_[constraint].blocks.begin(), constraints_[constraint].blocks.end(),
                       [&](std::size_t b) { return owner_[b] == one || owner_[b] == other; });
  }
  std::size_t interface_after(std::size_t one, std::size_t other) const {
    std::size_t size = 0;
    for (const std::size_t module : {one, other})
      for (const std::size_t b : interfaces_[module]) size += stays(b, one, other, constraints_of_[module]) ? 1 : 0;
    return size;
  }

  void merge(std::vector<std::size_t> parts) {
    const std::size_t number = interfaces_.size();
    Merge m;
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (std::size_t i = 0; i < interfaces_[parts[p]].size(); ++i)
        m.members.push_back({p, i, interfaces_[parts[p]][i]});
    for (const Merge::Member& member : m.members) owner_[member.block] = number;
    std::vector<std::size_t> left;
    for (const std::size_t part : parts)
      for (const std::size_t t : constraints_of_[part]) {
        if (enforced_[t]) continue;
        const auto& constrained = constraints_[t].blocks;
        const bool inside =
            std::all_of(constrained.begin(), constrained.end(), [&](std::size_t b) { return owner_[b] == number; });
        if (inside && (level_ == 0 || waits(t))) {
          enforced_[t] = true;
          if (constraints_[t].level == 0) found_.emplace_back(t, round_);
          m.constraints.push_back(t);
        } else if (kept_for_[t] != number) {
          kept_for_[t] = number;
          left.push_back(t);
        }
      }
    std::vector<std::size_t> needed;
    for (std::size_t i = 0; i < m.members.size(); ++i) {
      const std::size_t b = m.members[i].block;
      if (std::any_of(left.begin(), left.end(), [&](std::size_t t) {
            return std::find(constraints_[t].blocks.begin(), constraints_[t].blocks.end(), b) !=
                   constraints_[t].blocks.end();
          })) {
        m.interface.push_back(i);
        needed.push_back(b);
      }
    }
    for (const std::size_t part : parts) {
      if (part < last_touched_.size()) last_touched_[part] = true;
      interfaces_[part].clear();
      constraints_of_[part].clear();
    }
    last_touched_.resize(number + 1);
    last_touched_[number] = true;
    interfaces_.push_back(std::move(needed));
    constraints_of_.push_back(std::move(left));
    m.parts = std::move(parts);
    tree_.merges.push_back(std::move(m));
  }

  std::vector<LevelConstraint>& constraints_;
  bool widen_ = false;  ///< in this round, interfaces may grow
  std::size_t blocks_, level_ = 0, round_ = 0;
  std::vector<std::vector<std::size_t>> interfaces_,
      constraints_of_;                 ///< of subsystems: blocks, constraints not yet enforced
  std::vector<std::size_t> owner_;     ///< subsystem of a block, as long as it is in an interface
  std::vector<bool> enforced_;         ///< or not to be
  std::vector<std::size_t> kept_for_;  ///< subsystem that a constraint was last handed on to
  std::vector<bool> last_touched_;     ///< in this round
  std::vector<std::size_t> neighbours_;
  std::vector<std::pair<std::size_t, std::size_t>> found_;  ///< constraints without a level, and their rounds
  MergeTree tree_;
};

}  // namespace

MergeTree make_merge_tree(std::vector<LevelConstraint>& constraints, std::size_t blocks, std::size_t last_level,
                          bool flat, const std::vector<bool>& alone) {
  std::size_t named_levels = 0;
  for (const LevelConstraint& constraint : constraints) named_levels = std::max(named_levels, constraint.level);
  const bool find_levels = named_levels == 0;
  Builder builder(constraints, blocks, last_level);
  if (flat) {
    builder.merge_flat();
  } else if (find_levels) {
    builder.merge_level(0);
  } else {
    for (std::size_t level = 1; level <= std::min(named_levels, last_level); ++level) builder.merge_level(level);
  }
  for (std::size_t b = 0; b < blocks; ++b)
    if (alone[b]) builder.merge_alone(b);
  return builder.take(find_levels ? builder.write_levels() : named_levels);
}

}  // namespace polyform::hierarchy

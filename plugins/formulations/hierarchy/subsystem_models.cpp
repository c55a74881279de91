#include "subsystem_models.hpp"

#include <algorithm>

namespace polyform::hierarchy {

bool Node::is_left_out(Index row, bool by_basis) const noexcept {
  for (Index i = by_basis ? basis.rank : filter.S_inverse.rank(); i < count; ++i)
    if ((by_basis ? basis.order[static_cast<std::size_t>(i)] : filter.S_inverse.row(i)) == row) return true;
  return false;
}

SubsystemModels::SubsystemModels(const AbsoluteEquations& system, const MergeTree& tree,
                                 std::span<const LevelConstraint> constraints, std::span<const BlockInertia> inertia,
                                 Method method, std::span<const std::vector<double>> noise)
    : system_(system), inertia_(inertia), method_(method) {
  make_subsystems(tree);
  nodes_.resize(tree.merges.size());
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    nodes_[k].subsystem = system.blocks() + k;
    make_node(nodes_[k], tree.merges[k], constraints, noise);
    for (const Node::Part& part : nodes_[k].parts) set_units(part.subsystem);
  }
  find_loops(constraints);
  make_scratch();
}

/// Room for the widest of all subsystems and merges.
void SubsystemModels::make_scratch() {
  Index width = 1, count = 1;
  for (std::size_t i = 0; i < system_.blocks(); ++i) width = std::max(width, subsystems_[i].width);
  for (const Node& node : nodes_) {
    width = std::max(width, node.width);
    count = std::max(count, node.count);
  }
  const auto matrix = [&](Index r, Index c) { return arena_.take(static_cast<std::size_t>(r * c)); };
  Scratch& s = scratch_;
  for (double** tall : {&s.D, &s.first, &s.second}) *tall = matrix(width, count);
  s.S = matrix(count, count);
  s.vector = matrix(std::max(width, count), 1);
  for (double** square : {&s.basis_S, &s.basis_M, &s.product}) *square = matrix(width, width);
  for (double** vector : {&s.basis_f, &s.nu, &s.g}) *vector = matrix(width, 1);
  for (double** work : {&s.work, &s.more_work}) *work = matrix(width + count, width + count);
}

void SubsystemModels::make_subsystems(const MergeTree& tree) {
  const std::size_t n = system_.blocks();
  subsystems_.resize(n + tree.merges.size());
  std::vector<bool> needs_basis(subsystems_.size());
  for (std::size_t i = 0; i < n; ++i) {
    SubsystemModel& block = subsystems_[i];
    block.width = static_cast<Index>(system_.size(i));
    block.by_basis = !is_filter(method_) || inertia_[i].singular;
    if (!inertia_[i].rigid) block.N = arena_.take(system_.size(i) * system_.size(i));
  }
  for (std::size_t k = 0; k < tree.merges.size(); ++k) {
    SubsystemModel& subsystem = subsystems_[n + k];
    const Merge& merge = tree.merges[k];
    for (const std::size_t i : merge.interface)
      subsystem.width += static_cast<Index>(system_.size(merge.members[i].block));
    for (const std::size_t part : merge.parts) subsystem.by_basis = subsystem.by_basis || subsystems_[part].by_basis;
    if (subsystem.by_basis)
      for (const std::size_t part : merge.parts) needs_basis[part] = true;
  }
  for (std::size_t i = 0; i < subsystems_.size(); ++i) {
    SubsystemModel& m = subsystems_[i];
    const auto size = static_cast<std::size_t>(m.width);
    m.x = arena_.take(size);
    m.force = arena_.take(size);
    m.nu = arena_.take(size);
    if (!m.by_basis) m.P = arena_.take(size * size);
    if (!m.by_basis && !needs_basis[i]) continue;
    m.S = arena_.take(size * size);
    m.M = arena_.take(size * size);
    m.f = arena_.take(size);
  }
}

/// Units in which the motions and forces of the blocks of a subsystem's interface compare.
void SubsystemModels::set_units(std::size_t subsystem) {
  SubsystemModel& m = subsystems_[subsystem];
  if (m.by_basis || m.S == nullptr) return;
  m.units = arena_.take(static_cast<std::size_t>(m.width));
  const auto set = [&](std::size_t i, double* units) {
    const BlockInertia& block = inertia_[i];
    if (method_ == Method::udwadia_kalaba) {
      std::fill_n(units, system_.size(i), 1.0);
    } else if (block.rigid) {
      std::fill_n(units, 3, block.turn);
      std::fill_n(units + 3, 3, block.move);
    } else {
      std::copy(block.units.begin(), block.units.end(), units);
    }
  };
  if (subsystem < system_.blocks())
    set(subsystem, m.units);
  else
    for (const NodeMember& member : nodes_[subsystem - system_.blocks()].interface)
      set(member.block, m.units + member.first);
}

void SubsystemModels::make_node(Node& node, const Merge& merge, std::span<const LevelConstraint> constraints,
                                std::span<const std::vector<double>> noise) {
  for (const std::size_t part : merge.parts) node.parts.push_back({part});
  // Where the unknowns of each member stand in its part and among those of all members.
  std::vector<NodeMember> members;
  Index place = 0;
  for (const Merge::Member& m : merge.members) {
    const auto size = static_cast<Index>(system_.size(m.block));
    if (m.place == 0) {
      place = 0;
      node.parts[m.part].member = node.width;
    }
    members.push_back({m.part, place, node.width, size, m.block});
    place += size;
    node.width += size;
  }
  Index first = 0;
  for (const std::size_t i : merge.interface) {
    node.interface.push_back(members[i]);
    node.interface.back().first = first;
    first += members[i].size;
  }
  for (const std::size_t t : merge.constraints) {
    NodeRows rows{t, node.count, static_cast<Index>(constraints[t].rows), {}};
    for (const std::size_t block : constraints[t].blocks) {
      std::size_t k = 0;
      while (k < node.touched.size() && node.touched[k].block != block) ++k;
      if (k == node.touched.size()) {
        std::size_t i = 0;
        while (members[i].block != block) ++i;
        node.touched.push_back(members[i]);
        node.touched.back().first = node.touched_width;
        node.touched_width += members[i].size;
      }
      rows.touched.push_back(k);
    }
    node.count += rows.count;
    if (!noise.empty()) node.noise.insert(node.noise.end(), noise[t].begin(), noise[t].end());
    node.noise.resize(static_cast<std::size_t>(node.count));
    node.rows.push_back(std::move(rows));
  }
  const auto m = static_cast<std::size_t>(node.count), n = static_cast<std::size_t>(first),
             k = static_cast<std::size_t>(node.width);
  node.H = arena_.take(static_cast<std::size_t>(node.touched_width) * m);
  node.residual = arena_.take(m);
  node.weights = arena_.take(m);
  node.basis.R = arena_.take(m * m);
  node.basis.order.resize(m);
  if (!is_by_basis(node)) {
    node.filter.PHt = arena_.take(n * m);
    node.filter.S_inverse = SemidefiniteFactor(arena_, m);
    return;
  }
  Node::Basis& basis = node.basis;
  basis.B = arena_.take(m * k);
  basis.C = arena_.take(k * k);
  basis.particular = arena_.take(k);
  basis.follow = arena_.take(k * n + 1);
  basis.offset = arena_.take(k);
}

/// A joint between subsystems of which at most one is held by ground cannot contradict or repeat anything: its rows
/// count however small their pivots are, as between long chains in one plane.
void SubsystemModels::find_loops(std::span<const LevelConstraint> constraints) {
  const std::size_t ground = system_.blocks();
  std::vector<std::size_t> part_of(ground + 1);
  for (std::size_t i = 0; i <= ground; ++i) part_of[i] = i;
  const auto root = [&](std::size_t i) {
    while (part_of[i] != i) i = part_of[i] = part_of[part_of[i]];
    return i;
  };
  for (Node& node : nodes_)
    for (const NodeRows& rows : node.rows) {
      const std::vector<std::size_t>& blocks = constraints[rows.constraint].blocks;
      const std::size_t one = root(blocks.front()), other = root(blocks.size() > 1 ? blocks.back() : ground);
      node.closes_loop = node.closes_loop || one == other || !system_.is_joint(rows.constraint);
      part_of[one] = other;
    }
}

}  // namespace polyform::hierarchy

// Memory and places of the recursion: all that depends on the model alone.
#include "recursion_detail.hpp"

namespace polyform::hierarchy {

Recursion::Recursion(const SystemView& view, const MergeTree& tree, std::span<const Tie> ties,
                     const ConstraintRows& rows, std::span<const BodyInertia> inertia, Method method,
                     std::span<const double> noise)
    : view_(view), rows_(rows), inertia_(inertia), method_(method), scratch_(std::make_unique<Scratch>()) {
  const std::size_t n = view.bodies.size();
  turn_.assign(n, Sym3::diagonal(1));
  move_.assign(n, 1);
  for (auto* of_bodies : {&accelerations_, &total_accelerations_, &load_residual_}) of_bodies->resize(n);
  for (auto* of_rows : {&right_, &multipliers_, &total_multipliers_}) of_rows->resize(rows.rows());
  make_modules(tree);
  nodes_.resize(tree.merges.size());
  Index members = 1, count = 1;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    nodes_[k].module = n + k;
    make_node(nodes_[k], tree.merges[k], ties, noise);
    members = std::max(members, static_cast<Index>(6 * tree.merges[k].members.size()));
    count = std::max(count, nodes_[k].count);
  }
  find_loops(ties);
  const auto matrix = [&](Index r, Index c) { return arena_.take(static_cast<std::size_t>(r * c)); };
  Scratch& s = *scratch_;
  for (double** tall : {&s.D, &s.first, &s.second}) *tall = matrix(members, count);
  s.S = matrix(count, count);
  s.vector = matrix(count, 1);
  for (double** square : {&s.basis_S, &s.basis_M, &s.product}) *square = matrix(members, members);
  for (double** vector : {&s.basis_f, &s.nu, &s.g, &s.member_force}) *vector = matrix(members, 1);
  for (double** work : {&s.work, &s.more_work}) *work = matrix(members + count, members + count);
}

Recursion::~Recursion() = default;

void Recursion::make_modules(const MergeTree& tree) {
  const std::size_t n = view_.bodies.size();
  modules_.resize(n + tree.merges.size());
  std::vector<bool> needs_basis(modules_.size());
  for (std::size_t i = 0; i < n; ++i) {
    modules_[i].bodies = 1;
    modules_[i].by_basis = !is_filter(method_) || inertia_[i].singular;
  }
  for (std::size_t k = 0; k < tree.merges.size(); ++k) {
    Module& module = modules_[n + k];
    const Merge& merge = tree.merges[k];
    module.bodies = merge.interface.size();
    for (const std::size_t part : merge.parts) module.by_basis = module.by_basis || modules_[part].by_basis;
    if (module.by_basis)
      for (const std::size_t part : merge.parts) needs_basis[part] = true;
  }
  for (std::size_t i = 0; i < modules_.size(); ++i) {
    Module& m = modules_[i];
    const std::size_t size = 6 * m.bodies;
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

void Recursion::make_node(Node& node, const Merge& merge, std::span<const Tie> ties, std::span<const double> noise) {
  node.members = merge.members;
  node.interface = merge.interface;
  for (std::size_t p = 0; p < merge.parts.size(); ++p) node.parts.push_back({merge.parts[p], 0, 0});
  for (std::size_t i = 0; i < merge.members.size(); ++i) {
    Node::Part& part = node.parts[merge.members[i].part];
    if (part.members++ == 0) part.member = static_cast<Index>(i);
  }
  for (const std::size_t t : merge.ties) {
    Rows rows{t, node.count, static_cast<Index>(ties[t].rows), {}};
    for (const std::size_t body : ties[t].bodies) {
      std::size_t k = 0;
      while (k < node.touched.size() && node.touched[k].body != body) ++k;
      if (k == node.touched.size()) {
        std::size_t i = 0;
        while (merge.members[i].body != body) ++i;
        node.touched.push_back(
            {merge.members[i].part, static_cast<Index>(merge.members[i].place), static_cast<Index>(i), body});
      }
      rows.touched.push_back(k);
    }
    node.noise.insert(node.noise.end(), ties[t].rows, noise.empty() ? 0.0 : noise[t]);
    node.count += rows.count;
    node.rows.push_back(std::move(rows));
  }
  const std::size_t m = static_cast<std::size_t>(node.count), n = 6 * node.interface.size(),
                    k = 6 * node.members.size();
  node.H = arena_.take(6 * node.touched.size() * m);
  node.residual = arena_.take(m);
  node.weights = arena_.take(m);
  node.R = arena_.take(m * m);
  node.order.resize(m);
  if (!modules_[node.module].by_basis) {
    node.PHt = arena_.take(n * m);
    node.S_inverse = SemidefiniteFactor(arena_, m);
    return;
  }
  node.B = arena_.take(m * k);
  node.C = arena_.take(k * k);
  node.particular = arena_.take(k);
  node.follow = arena_.take(k * n + 1);
  node.offset = arena_.take(k);
}

/// A joint between modules of which at most one is held by ground cannot contradict or repeat anything: its rows count
/// however small their pivots are, as they are between long chains of one plane.
void Recursion::find_loops(std::span<const Tie> ties) {
  const std::size_t ground = view_.bodies.size();
  std::vector<std::size_t> part_of(ground + 1);
  for (std::size_t i = 0; i <= ground; ++i) part_of[i] = i;
  const auto root = [&](std::size_t i) {
    while (part_of[i] != i) i = part_of[i] = part_of[part_of[i]];
    return i;
  };
  for (Node& node : nodes_)
    for (const Rows& rows : node.rows) {
      const std::vector<std::size_t>& bodies = ties[rows.tie].bodies;
      const std::size_t one = root(bodies.front()), other = root(bodies.size() > 1 ? bodies.back() : ground);
      node.closes_loop = node.closes_loop || one == other || !rows_.is_joint(rows.tie);
      part_of[one] = other;
    }
}

}  // namespace polyform::hierarchy

#include "particle_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/solvers/singular_inertia.hpp"

namespace polyform::particles {

ParticleSystem::ParticleSystem(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded,
                               bool recursive, const Vec3& origin)
    : view_(view), layout_(layout), loaded_(loaded), elements_(view, origin), flexible_(view),
      loops_(view, flexible_), recursion_(view, layout, loops_) {
  const std::size_t n = view.bodies.size();
  positions_.resize(layout.particles.size());
  for (auto* v : {&velocities_, &accelerations_, &uncorrected_, &carried_}) v->resize(positions_.size());
  for (std::size_t p = 0; p < positions_.size(); ++p)
    if (layout.particles[p].body == none) positions_[p] = layout.particles[p].place;
  chunks_.resize(positions_.size());
  triangles_.resize(n);
  angular_velocities_.resize(n);
  uncorrected_rates_.resize(n);
  motions_.resize(n);
  masses_.resize(n);
  joints_.resize(view.joints.size());
  group_of_joint_.assign(view.joints.size(), none);
  efforts_.resize(view.nv);
  loads_.resize(n);
  motion_size_.resize(positions_.size());
  force_size_.resize(positions_.size());
  find_needed_joints();
  make_scales();
  finds_joints_ = std::find(needed_.begin(), needed_.end(), true) != needed_.end();
  needs_motions_ = finds_joints_ || !loaded.empty();
  recursive_ = recursive && elements_.elements().empty() && tree_is_regular();
  if (recursive_) return;
  needs_motions_ = true;
  make_blocks();
  analyze();
}

/// Joints whose constraint rows, forces or whole turns ask for their coordinates at every evaluation.
void ParticleSystem::find_needed_joints() {
  needed_.assign(view_.joints.size(), false);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    bool rotates = joint.kernel != nullptr;
    for (const Primitive& p : joint.primitives) rotates = rotates || p.kind == Primitive::Kind::rotation;
    const std::size_t shared = shared_particles(joint);
    needed_[j] = j >= view_.bodies.size() || (shared < 2 && (rotates || joint.nv < 3 + (shared == 0 ? 3u : 0u)));
  }
  for (const ForceGroup& g : view_.forces)
    for (const JointIndex j : g.joints) needed_[at(j)] = true;
  for (const ConstraintGroup& g : view_.constraints)
    for (const JointIndex j : g.joints) needed_[at(j)] = true;
}

/// Whether every joint of the tree moves something even where the loops are cut, with the bodies as drawn.
bool ParticleSystem::tree_is_regular() {
  if (loops_.empty() || std::none_of(masses_.begin(), masses_.end(), [](const Mass& m) { return m.singular; }))
    return true;
  std::vector<double> q(view_.nq), v(view_.nv);
  for (const JointData& joint : view_.joints) joint_neutral(joint, q.data() + joint.q_offset);
  TreeKinematics drawn(view_);
  drawn.evaluate(q.data(), v.data());
  for (std::size_t p = 0; p < positions_.size(); ++p) {
    const Particle& particle = layout_.particles[p];
    if (particle.body == none) continue;
    const BodyMotion& body = drawn.bodies()[particle.body];
    positions_[p] = body.p + body.R * particle.place;
  }
  evaluate(0, q, v, true);
  return recursion_.corrections(recursion_input(), true, accelerations_);
}

/// A body without mass takes the smallest mass of the bodies that it is jointed to: what they give it is of that order.
/// What it gets in the factors (Mass::added) has to be small against what they have in any motion: of a slender shaft
/// that is far less than its mass.
void ParticleSystem::make_scales() {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  double smallest = unknown;
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const BodyData& body = view_.bodies[i];
    Mass& m = masses_[i];
    m.scale = body.mass > 0 ? body.mass : unknown;
    smallest = std::min(smallest, m.scale);
    const Sym3& J = body.inertia;
    const double length = layout_.bodies[i].length;
    const double size = std::max(0.5 * (J.xx + J.yy + J.zz), 1e-3 * body.mass * length * length);
    m.singular = !(body.mass > 0 && is_definite_beside(J, size));
    // The least moment of inertia, within a factor of three.
    const double minors = J.xx * J.yy - J.xy * J.xy + J.xx * J.zz - J.xz * J.xz + J.yy * J.zz - J.yz * J.yz;
    m.added = m.singular ? unknown : std::min(body.mass, determinant(J) / minors / (length * length));
  }
  if (!(smallest < unknown)) smallest = 1;
  const auto spread = [&](const JointData& joint) {
    if (is_ground(joint.base) || is_ground(joint.moving)) return;
    double &a = masses_[at(joint.base)].scale, &b = masses_[at(joint.moving)].scale;
    if (!(a < unknown)) a = b;
    if (!(b < unknown)) b = a;
    double &c = masses_[at(joint.base)].added, &d = masses_[at(joint.moving)].added;
    if (masses_[at(joint.base)].singular) c = std::min(c, d);
    if (masses_[at(joint.moving)].singular) d = std::min(c, d);
  };
  std::for_each(view_.joints.begin(), view_.joints.end(), spread);
  std::for_each(view_.joints.rbegin(), view_.joints.rend(), spread);
  for (Mass& m : masses_) {
    if (!(m.scale < unknown)) m.scale = smallest;
    m.added = std::min(m.added, m.scale);
  }
  heaviest_.resize(positions_.size());
  for (std::size_t i = 0; i < masses_.size(); ++i)
    for (const std::size_t p : layout_.bodies[i].particle) heaviest_[p] = std::max(heaviest_[p], masses_[i].scale);
}

std::size_t ParticleSystem::new_block() {
  sizes_.push_back(0);
  singular_block_.push_back(false);
  loop_block_.push_back(false);
  return sizes_.size() - 1;
}

void ParticleSystem::append(std::size_t block, std::size_t particle) {
  chunks_[particle] = {block, sizes_[block], none};
  sizes_[block] += 3;
}

ParticleSystem::Group& ParticleSystem::append(std::size_t block, Kind kind, std::size_t index, std::size_t part,
                                              std::size_t rows, std::span<const std::size_t> bodies,
                                              std::size_t extra_particle) {
  Group g{kind, false, index, part, rows, entries_.size(), 0, sides_.size(), 0, 0, {block, sizes_[block], none}, {}, 0};
  sizes_[block] += rows;
  const auto add = [&](std::size_t particle) -> std::size_t {
    if (layout_.particles[particle].slot == none) return none;
    for (std::size_t e = g.entry; e < entries_.size(); ++e)
      if (entries_[e].particle == particle) return e;
    entries_.push_back({particle, coefficients_.size(), {}});
    coefficients_.resize(coefficients_.size() + rows);
    return entries_.size() - 1;
  };
  const bool one_distance = kind == Kind::distance && part == 0 && rows == 1;
  double mass = std::numeric_limits<double>::infinity();
  for (const std::size_t b : bodies) {
    Side side{b, {}};
    for (std::size_t k = 0; k < 3; ++k)
      side.entry[k] = one_distance && k == 2 ? none : add(layout_.bodies[b].particle[k]);
    sides_.push_back(side);
    mass = std::min(mass, masses_[b].scale);
  }
  if (extra_particle != none) add(extra_particle);
  g.entries = entries_.size() - g.entry;
  g.sides = sides_.size() - g.side;
  g.mass = mass;
  groups_.push_back(g);
  return groups_.back();
}

/// The particles that a body brings and the rows that hold them. Where the inboard joint shares what it can, particle 2
/// goes with the distance 21 and particle 4 with the distances 41 and 42; rows of a joint need all of them together.
void ParticleSystem::add_body_blocks(std::size_t i) {
  const ParticleBody& body = layout_.bodies[i];
  const JointData& joint = view_.joints[i];
  const std::size_t shared = shared_particles(joint);
  const std::size_t freedoms = shared == 0 ? 6 : shared == 1 ? 3 : joint.nv;
  const std::size_t rows = freedoms > joint.nv ? freedoms - joint.nv : 0;
  const std::size_t own[] = {i};
  std::size_t block = none;
  const auto next_block = [&] {
    if (block == none || rows == 0) block = new_block();
    singular_block_[block] = masses_[i].singular;
  };
  if (body.inherited < 1) {
    next_block();
    append(block, body.particle[0]);
  }
  if (body.inherited < 2) {
    next_block();
    append(block, body.particle[1]);
    if (rows != 0) append(block, body.particle[2]);
    append(block, Kind::distance, i, 0, rows != 0 ? 3 : 1, own);
  }
  if (body.inherited < 3 && (rows == 0 || body.inherited == 2)) {
    next_block();
    append(block, body.particle[2]);
    append(block, Kind::distance, i, 1, 2, own);
  }
  if (rows != 0) {
    group_of_joint_[i] = groups_.size();
    const std::size_t both[] = {i, is_ground(joint.inboard()) ? i : at(joint.inboard())};
    append(block, Kind::joint, i, 0, rows, {both, is_ground(joint.inboard()) ? 1u : 2u});
  }
  for (std::size_t k = 0; k < body.ties.size(); ++k) {
    block = new_block();
    append(block, body.ties[k].particle);
    append(block, Kind::tie, i, k, 3, own, body.ties[k].particle);
  }
}

void ParticleSystem::make_blocks() {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) add_body_blocks(i);
  const auto add_loop = [&](Kind kind, std::size_t index, std::size_t rows, std::span<const BodyIndex> tied) {
    std::vector<std::size_t> bodies;
    for (const BodyIndex b : tied)
      if (!is_ground(b) && std::find(bodies.begin(), bodies.end(), at(b)) == bodies.end()) bodies.push_back(at(b));
    if (rows == 0) return;
    if (kind == Kind::joint) group_of_joint_[index] = groups_.size();
    const std::size_t block = new_block();
    loop_block_[block] = true;
    append(block, kind, index, 0, rows, bodies).loop = true;
  };
  for (std::size_t j = n; j < view_.joints.size(); ++j) {
    const BodyIndex tied[] = {view_.joints[j].base, view_.joints[j].moving};
    add_loop(Kind::joint, j, view_.joints[j].nv < 6 ? 6 - view_.joints[j].nv : 0, tied);
  }
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) {
    const ConstraintSet::Element& element = elements_.elements()[e];
    std::vector<BodyIndex> tied;
    for (const Marker& m : element.markers) tied.push_back(m.body);
    for (const JointIndex j : element.joints) {
      tied.push_back(view_.joints[at(j)].base);
      tied.push_back(view_.joints[at(j)].moving);
    }
    add_loop(Kind::element, e, element.rows, tied);
  }
}

void ParticleSystem::analyze() {
  std::vector<std::pair<std::size_t, std::size_t>> coupled;
  const auto couple = [&](std::size_t a, std::size_t b) {
    if (a != none && b != none && a != b) coupled.emplace_back(a, b);
  };
  for (const ParticleBody& body : layout_.bodies)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < a; ++b) couple(chunks_[body.particle[a]].block, chunks_[body.particle[b]].block);
  for (const Group& g : groups_)
    for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
      couple(g.chunk.block, chunks_[entries_[e].particle].block);
      for (std::size_t f = g.entry; f < e && !g.loop; ++f)
        couple(chunks_[entries_[e].particle].block, chunks_[entries_[f].particle].block);
    }
  using Turn = BlockLdlt::Turn;
  std::vector<Turn> turns(sizes_.size(), Turn::any);
  for (std::size_t b = 0; b < sizes_.size(); ++b)
    turns[b] = loop_block_[b] ? Turn::after_neighbour : singular_block_[b] ? Turn::leaf_or_after_neighbour : Turn::any;
  matrix_.analyze(sizes_, coupled, turns);

  for (Chunk& c : chunks_)
    if (c.block != none) c.first = matrix_.offset(c.block) + c.offset;
  for (std::size_t i = 0; i < masses_.size(); ++i)
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k)
        masses_[i].place[k] = {place_of(chunks_[layout_.bodies[i].particle[a]], chunks_[layout_.bodies[i].particle[b]]),
                               a == b};
  for (Group& g : groups_) {
    g.chunk.first = matrix_.offset(g.chunk.block) + g.chunk.offset;
    g.diagonal = place_of(g.chunk, g.chunk);
    g.pair = pairs_.size();
    for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
      entries_[e].place = place_of(g.chunk, chunks_[entries_[e].particle]);
      for (std::size_t f = g.entry; f <= e && !g.loop; ++f)
        pairs_.push_back({place_of(chunks_[entries_[e].particle], chunks_[entries_[f].particle]), e == f});
    }
  }
  for (auto* v : {&data_, &solution_, &residual_, &step_, &start_, &penalty_, &row_size_}) v->resize(matrix_.size());
}

/// Rows and columns of two chunks in the matrix; empty when one of them is on ground.
BlockLdlt::Block ParticleSystem::place_of(const Chunk& row, const Chunk& column) {
  if (row.block == none || column.block == none) return {};
  if (row.block != column.block) {
    const BlockLdlt::Block b = matrix_.block(row.block, column.block);
    return {&b(row.offset, column.offset), b.row_stride, b.column_stride};
  }
  const BlockLdlt::Block b = matrix_.diagonal(row.block);
  if (row.offset >= column.offset) return {&b(row.offset, column.offset), b.row_stride, b.column_stride};
  return {&b(column.offset, row.offset), b.column_stride, b.row_stride};
}

}  // namespace polyform::particles

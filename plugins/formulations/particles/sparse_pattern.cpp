#include "sparse_pattern.hpp"

#include <algorithm>
#include <limits>

namespace polyform::particles {

using Kind = RowGroup::Kind;

SparsePattern::SparsePattern(const SystemView& view, const Layout& layout, const MassScales& scales,
                             std::span<const ElementConstraint> elements, BlockLdlt& matrix)
    : view_(view),
      layout_(layout),
      scales_(scales),
      elements_(elements),
      particles_(layout.particles.size()),
      group_of_joint_(view.joints.size(), none) {
  for (std::size_t i = 0; i < view.bodies.size(); ++i) add_body(i);
  add_loops();
  analyze(matrix);
}

std::size_t SparsePattern::new_block() {
  blocks_.emplace_back();
  return blocks_.size() - 1;
}

void SparsePattern::append(std::size_t block, std::size_t particle) {
  particles_[particle] = {block, blocks_[block].size, none};
  blocks_[block].size += 3;
}

RowGroup& SparsePattern::append(std::size_t block, Kind kind, std::size_t index, std::size_t part, std::size_t rows,
                                std::span<const std::size_t> bodies, std::size_t extra_particle, bool loop) {
  RowGroup g{kind, loop, index, part, rows, entries_.size(), 0, sides_.size(), 0, {block, blocks_[block].size, none},
             0};
  blocks_[block].size += rows;
  const auto add = [&](std::size_t particle) -> std::size_t {
    if (layout_.particles[particle].slot == none) return none;
    for (std::size_t e = g.entry; e < entries_.size(); ++e)
      if (entries_[e].particle == particle) return e;
    entries_.push_back({particle, coefficients_});
    coefficients_ += rows;
    return entries_.size() - 1;
  };
  const bool one_distance = kind == Kind::distance && part == 0 && rows == 1;
  double mass = std::numeric_limits<double>::infinity(), in_loops = mass;
  for (const std::size_t b : bodies) {
    RowSide side{b, {}};
    for (std::size_t k = 0; k < 3; ++k)
      side.entry[k] = one_distance && k == 2 ? none : add(layout_.bodies[b].particle[k]);
    sides_.push_back(side);
    mass = std::min(mass, scales_.bodies[b].scale);
    in_loops = std::min(in_loops, scales_.bodies[b].in_loops);
  }
  if (extra_particle != none) add(extra_particle);
  g.entries = entries_.size() - g.entry;
  g.sides = sides_.size() - g.side;
  g.mass = loop ? in_loops : mass;
  groups_.push_back(g);
  return groups_.back();
}

/// Adds the particles that a body brings and the rows that hold them. If the inboard joint shares as many particles as
/// it can, particle 2 goes with the distance 21 and particle 4 with the distances 41 and 42; rows of a joint need all
/// of them together.
void SparsePattern::add_body(std::size_t i) {
  const ParticleBody& body = layout_.bodies[i];
  const JointData& joint = view_.joints[i];
  const std::size_t shared = shared_particles(joint);
  const std::size_t freedoms = shared == 0 ? 6 : shared == 1 ? 3 : joint.nv;
  const std::size_t rows = freedoms > joint.nv ? freedoms - joint.nv : 0;
  const std::size_t own[] = {i};
  std::size_t block = none;
  const auto next_block = [&] {
    if (block == none || rows == 0) block = new_block();
    blocks_[block].singular = scales_.bodies[i].singular || scales_.bodies[i].light;
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
  for (std::size_t k = 0; k < body.dependents.size(); ++k) {
    block = new_block();
    append(block, body.dependents[k].particle);
    append(block, Kind::dependent, i, k, 3, own, body.dependents[k].particle);
  }
}

void SparsePattern::add_loop(Kind kind, std::size_t index, std::size_t rows, std::span<const BodyIndex> constrained,
                             const VariableParticles* variables) {
  std::vector<std::size_t> bodies;
  for (const BodyIndex b : constrained)
    if (!is_ground(b) && std::find(bodies.begin(), bodies.end(), at(b)) == bodies.end()) bodies.push_back(at(b));
  if (rows == 0) return;
  if (kind == Kind::joint) group_of_joint_[index] = groups_.size();
  const std::size_t block = new_block();
  blocks_[block].loop = true;
  RowGroup& g = append(block, kind, index, 0, rows, bodies, none, true);
  if (variables == nullptr) return;
  if (bodies.empty()) g.mass = 1;
  for (std::size_t p = variables->first; p < variables->first + variables->count; ++p) {
    entries_.push_back({p, coefficients_});
    coefficients_ += rows;
    ++g.entries;
  }
}

/// Adds a block of particles for the variables of a module. Its mass may vanish if rows hold it.
const VariableParticles* SparsePattern::add_variables(const ModuleSet::Module& module) {
  const std::size_t count = (module.variables + 2) / 3, block = new_block();
  variables_.push_back({&module, particles_.size(), count});
  blocks_[block].held = module.rows.rows > 0;
  for (std::size_t k = 0; k < count; ++k) {
    particles_.emplace_back();
    append(block, particles_.size() - 1);
  }
  return &variables_.back();
}

void SparsePattern::add_loops() {
  for (std::size_t j = view_.bodies.size(); j < view_.joints.size(); ++j) {
    const BodyIndex bodies[] = {view_.joints[j].base, view_.joints[j].moving};
    add_loop(Kind::joint, j, view_.joints[j].nv < 6 ? 6 - view_.joints[j].nv : 0, bodies);
  }
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    const ConstraintSet::Element& element = *elements_[e].rows;
    const ModuleSet::Module* module = elements_[e].module;
    const VariableParticles* own = module == nullptr || module->variables == 0 ? nullptr : add_variables(*module);
    std::vector<BodyIndex> bodies;
    for (const Marker& m : element.markers) bodies.push_back(m.body);
    for (const JointIndex j : element.joints) {
      bodies.push_back(view_.joints[at(j)].base);
      bodies.push_back(view_.joints[at(j)].moving);
    }
    add_loop(Kind::element, e, element.rows, bodies, own);
  }
}

void SparsePattern::analyze(BlockLdlt& matrix) {
  std::vector<std::pair<std::size_t, std::size_t>> coupled;
  const auto couple = [&](std::size_t a, std::size_t b) {
    if (a != none && b != none && a != b) coupled.emplace_back(a, b);
  };
  for (const ParticleBody& body : layout_.bodies)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < a; ++b)
        couple(particles_[body.particle[a]].block, particles_[body.particle[b]].block);
  for (const RowGroup& g : groups_)
    for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
      couple(g.chunk.block, particles_[entries_[e].particle].block);
      for (std::size_t f = g.entry; f < e && !g.loop; ++f)
        couple(particles_[entries_[e].particle].block, particles_[entries_[f].particle].block);
    }
  using Turn = BlockLdlt::Turn;
  std::vector<std::size_t> sizes;
  std::vector<Turn> turns;
  for (const Block& b : blocks_) {
    sizes.push_back(b.size);
    turns.push_back(b.loop || b.held ? Turn::after_neighbour : b.singular ? Turn::leaf_or_after_neighbour : Turn::any);
  }
  matrix.analyze(sizes, coupled, turns);
  for (Chunk& c : particles_)
    if (c.block != none) c.first = matrix.offset(c.block) + c.offset;
  for (RowGroup& g : groups_) g.chunk.first = matrix.offset(g.chunk.block) + g.chunk.offset;
}

std::string_view SparsePattern::name_of(const RowGroup& g) const {
  if (g.kind == Kind::element) return elements_[g.index].rows->name;
  return g.kind == Kind::joint ? view_.joints[g.index].name : view_.bodies[g.index].name;
}

std::string_view SparsePattern::owner_of(std::size_t particle) const {
  if (particle < of_bodies()) return view_.bodies[layout_.particles[particle].body].name;
  const VariableParticles* of = variables_.data();
  while (particle >= of->first + of->count) ++of;
  return of->module->rows.name;
}

const char* SparsePattern::kind_of(const RowGroup& g) const {
  if (g.kind == Kind::element && elements_[g.index].module != nullptr) return "module";
  return g.kind == Kind::element ? "constraint" : g.kind == Kind::joint ? "joint" : "body";
}

}  // namespace polyform::particles

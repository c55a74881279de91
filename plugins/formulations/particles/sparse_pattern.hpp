// Which particles and constraint rows stand where in the sparse system: set up once.
//
// A particle and the rows that hold it to its body or to the inboard body form one block, which is regular by itself;
// eliminating these blocks from the tips to the roots leaves at a shared particle the momentum of all bodies outboard,
// without fill in a tree. Rows of cut joints, constraint elements and modules are blocks of their own and may be
// redundant. The variables of a module are the coordinates of particles of their own, three to a particle, that no body
// has; what is left over of the last one stands still.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "block_ldlt.hpp"
#include "element_constraints.hpp"
#include "layout.hpp"
#include "mass_scales.hpp"

namespace polyform::particles {

/// Where a particle or a group of rows stands among the unknowns. A particle on ground stands nowhere.
struct Chunk {
  std::size_t block = none, offset = 0, first = none;  ///< first: in vectors over the unknowns
};

/// Constraint rows of one origin, on the particles that they constrain.
struct RowGroup {
  enum class Kind : unsigned char { distance, dependent, joint, element };
  Kind kind;
  bool loop;          ///< may be redundant
  std::size_t index;  ///< of the body, joint or ElementConstraint
  std::size_t part;   ///< dependent: which particle of the body; distance: first of the pairs 21, 41, 42
  std::size_t rows;
  std::size_t entry, entries;  ///< among the entries
  std::size_t side, sides;     ///< among the sides
  Chunk chunk;
  double mass;  ///< its scale, kg
};

/// A particle that a group of rows acts on.
struct RowEntry {
  std::size_t particle;
  std::size_t first;  ///< of the rows' coefficients
};

/// A body that a group acts on, and the entries of its three particles (none: on ground).
struct RowSide {
  std::size_t body;
  std::size_t entry[3];
};

/// The particles of a module's variables among those of the system.
struct VariableParticles {
  const ModuleSet::Module* module;
  std::size_t first, count;
};

class SparsePattern {
 public:
  /// Analyzes the matrix. What is given outlives the object.
  SparsePattern(const SystemView&, const Layout&, const MassScales&, std::span<const ElementConstraint>,
                BlockLdlt& matrix);

  /// Those of the bodies, then those of modules.
  std::span<const Chunk> particles() const { return particles_; }
  std::size_t of_bodies() const { return layout_.particles.size(); }
  std::span<const VariableParticles> variables() const { return variables_; }
  std::span<const RowGroup> groups() const { return groups_; }
  std::span<const RowEntry> entries() const { return entries_; }
  std::span<const RowEntry> entries(const RowGroup& g) const { return entries().subspan(g.entry, g.entries); }
  std::span<const RowSide> sides() const { return sides_; }
  std::size_t coefficients() const { return coefficients_; }                      ///< of all entries
  std::size_t group_of_joint(std::size_t j) const { return group_of_joint_[j]; }  ///< none if it has no rows
  /// For messages: "joint", its name.
  const char* kind_of(const RowGroup&) const;
  std::string_view name_of(const RowGroup&) const;
  /// The same of what has a particle.
  const char* kind_of_owner(std::size_t particle) const { return particle < of_bodies() ? "body" : "module"; }
  std::string_view owner_of(std::size_t particle) const;

 private:
  struct Block {
    std::size_t size = 0;
    bool singular = false, loop = false, held = false;  ///< held: regular only by the rows that hold it
  };
  std::size_t new_block();
  void append(std::size_t block, std::size_t particle);
  RowGroup& append(std::size_t block, RowGroup::Kind, std::size_t index, std::size_t part, std::size_t rows,
                   std::span<const std::size_t> bodies, std::size_t extra_particle = none, bool loop = false);
  void add_body(std::size_t body);
  void add_loop(RowGroup::Kind, std::size_t index, std::size_t rows, std::span<const BodyIndex> bodies,
                const VariableParticles* = nullptr);
  const VariableParticles* add_variables(const ModuleSet::Module&);
  void add_loops();
  void analyze(BlockLdlt& matrix);

  const SystemView& view_;
  const Layout& layout_;
  const MassScales& scales_;
  std::span<const ElementConstraint> elements_;
  std::vector<VariableParticles> variables_;
  std::vector<Chunk> particles_;
  std::vector<Block> blocks_;
  std::vector<RowGroup> groups_;
  std::vector<RowEntry> entries_;
  std::vector<RowSide> sides_;
  std::vector<std::size_t> group_of_joint_;
  std::size_t coefficients_ = 0;
};

}  // namespace polyform::particles

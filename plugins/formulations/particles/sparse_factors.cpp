#include "sparse_factors.hpp"

#include <algorithm>
#include <limits>

#include "refined_solutions.hpp"

namespace polyform::particles {

SparseFactors::SparseFactors(const Layout& layout, const SparsePattern& pattern, const MassScales& scales,
                             BlockLdlt& matrix)
    : pattern_(pattern),
      scales_(scales),
      matrix_(matrix),
      added_(layout.bodies.size()),
      penalty_(matrix.size()),
      masses_(layout.bodies.size()) {
  const std::span<const Chunk> particles = pattern.particles();
  for (std::size_t i = 0; i < masses_.size(); ++i)
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k)
        masses_[i][k] = {place_of(particles[layout.bodies[i].particle[a]], particles[layout.bodies[i].particle[b]]),
                         a == b};
  for (const VariableParticles& of : pattern.variables())
    for (std::size_t a = 0; a < of.count; ++a)
      for (std::size_t b = 0; b < of.count; ++b)
        variables_.push_back(b > a ? Place{}
                                   : Place{place_of(particles[of.first + a], particles[of.first + b]), a == b});
  for (const RowGroup& g : pattern.groups()) {
    diagonals_.push_back(place_of(g.chunk, g.chunk));
    first_pair_.push_back(pairs_.size());
    const std::span<const RowEntry> entries = pattern.entries(g);
    for (std::size_t e = 0; e < entries.size(); ++e) {
      entries_.push_back(place_of(g.chunk, particles[entries[e].particle]));
      for (std::size_t f = 0; f <= e && !g.loop; ++f)
        pairs_.push_back({place_of(particles[entries[e].particle], particles[entries[f].particle]), e == f});
    }
  }
}

/// Rows and columns of two chunks in the matrix; empty if one of them is on ground.
BlockLdlt::Block SparseFactors::place_of(const Chunk& row, const Chunk& column) const {
  if (row.block == none || column.block == none) return {};
  if (row.block != column.block) {
    const BlockLdlt::Block b = matrix_.block(row.block, column.block);
    return {&b(row.offset, column.offset), b.row_stride, b.column_stride};
  }
  const BlockLdlt::Block b = matrix_.diagonal(row.block);
  if (row.offset >= column.offset) return {&b(row.offset, column.offset), b.row_stride, b.column_stride};
  return {&b(column.offset, row.offset), b.column_stride, b.row_stride};
}

void SparseFactors::add_block(const Place& place, const Mat3& m) noexcept {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < (place.lower ? r + 1 : 3); ++c) place.block(r, c) += m(r, c);
}

/// The least inertia that variables of a module have in one of its rows; infinite if the row has none.
double SparseFactors::inertia_of_row(const SparseValues& values, const RowGroup& g, std::size_t row) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  const Mat3* M = values.of_variables.data();
  for (const VariableParticles& of : pattern_.variables()) {
    for (const RowEntry& entry : pattern_.entries(g)) {
      if (entry.particle < of.first || entry.particle >= of.first + of.count) continue;
      const Mat3& own = M[(entry.particle - of.first) * (of.count + 1)];
      const Vec3& A = values.coefficients[entry.first + row];
      for (std::size_t k = 0; k < 3; ++k)
        if (A[k] != 0 && own(k, k) > 0) least = std::min(least, own(k, k) / (A[k] * A[k]));
    }
    M += of.count * of.count;
  }
  return least;
}

/// The sum of the squared coefficients that a row has for the particles of one of its bodies.
double SparseFactors::square_of(const SparseValues& values, const RowSide& side, std::size_t row) const noexcept {
  double square = 0;
  for (const std::size_t e : side.entry) {
    if (e == none) continue;
    const Vec3& c = values.coefficients[pattern_.entries()[e].first + row];
    square += dot(c, c);
  }
  return square;
}

/// If an element's row gives inertia to a body that has none, from variables of a module or from another body (the nut
/// of a screw), the body gets at most a part of that inertia: refinement takes the effect of more away too slowly.
void SparseFactors::find_added(const SparseValues& values) noexcept {
  if (!scales_.any_singular()) return;
  for (std::size_t i = 0; i < added_.size(); ++i) added_[i] = scales_.bodies[i].added;
  for (const RowGroup& g : pattern_.groups())
    for (std::size_t row = 0; g.kind == RowGroup::Kind::element && row < g.rows; ++row) {
      const std::span<const RowSide> sides = pattern_.sides().subspan(g.side, g.sides);
      double inertia = inertia_of_row(values, g, row);
      for (const RowSide& side : sides)
        if (const double square = square_of(values, side, row); square > 0 && !scales_.bodies[side.body].singular)
          inertia = std::min(inertia, scales_.bodies[side.body].added / square);
      for (const RowSide& side : sides)
        if (const double square = square_of(values, side, row); square > 0 && scales_.bodies[side.body].singular)
          added_[side.body] = std::min(added_[side.body], inertia * square);
    }
}

bool SparseFactors::factorize(const SparseValues& values, double epsilon) noexcept {
  matrix_.clear();
  find_added(values);
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const std::array<Place, 6>& place = masses_[i];
    for (std::size_t k = 0; k < 6; ++k)
      if (place[k].block.data != nullptr) add_block(place[k], values.masses[i][k]);
    if (!scales_.bodies[i].singular) continue;
    for (const std::size_t k : {0u, 2u, 5u})
      if (place[k].block.data != nullptr) add_block(place[k], delta_of_singular * added_[i] * Mat3::identity());
  }
  for (std::size_t k = 0; k < variables_.size(); ++k)
    if (variables_[k].block.data != nullptr) add_block(variables_[k], values.of_variables[k]);
  const std::span<const RowEntry> entries = pattern_.entries();
  const std::vector<Vec3>& coefficients = values.coefficients;
  for (std::size_t n = 0; n < pattern_.groups().size(); ++n) {
    const RowGroup& g = pattern_.groups()[n];
    for (std::size_t row = 0; row < g.rows; ++row) {
      double square = 0;
      for (std::size_t e = g.entry; e < g.entry + g.entries; ++e) {
        const Vec3& c = coefficients[entries[e].first + row];
        square += dot(c, c);
        double* to = &entries_[e](row, 0);
        const std::size_t stride = entries_[e].column_stride;
        to[0] = c.x;
        to[stride] = c.y;
        to[2 * stride] = c.z;
      }
      const double size = values.row_size[g.chunk.first + row];
      penalty_[g.chunk.first + row] = g.loop || !(square > 0) ? 0 : g.mass / square;
      // A row without coefficients asks for nothing.
      diagonals_[n](row, row) = g.loop && size > 0 ? -epsilon * size / g.mass : square > 0 ? 0 : -1;
    }
    if (g.loop) continue;
    const Place* pair = pairs_.data() + first_pair_[n];
    for (std::size_t e = g.entry; e < g.entry + g.entries; ++e)
      for (std::size_t f = g.entry; f <= e; ++f, ++pair) {
        Mat3 sum;
        for (std::size_t row = 0; row < g.rows; ++row) {
          const double d = penalty_[g.chunk.first + row];
          const Vec3 &a = coefficients[entries[e].first + row], &b = coefficients[entries[f].first + row];
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) sum(i, j) += d * a[i] * b[j];
        }
        add_block(*pair, sum);
      }
  }
  return stand_ = matrix_.factorize();
}

void SparseFactors::solve(const SparseValues& values, std::span<double> step) noexcept {
  for (const RowGroup& g : pattern_.groups()) {
    if (g.loop) continue;
    for (std::size_t row = 0; row < g.rows; ++row) {
      const double d = penalty_[g.chunk.first + row] * step[g.chunk.first + row];
      for (const RowEntry& entry : pattern_.entries(g))
        add(d * values.coefficients[entry.first + row], step.data() + pattern_.particles()[entry.particle].first);
    }
  }
  matrix_.solve(step);
}

}  // namespace polyform::particles

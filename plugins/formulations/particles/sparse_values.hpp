// The numbers of the sparse system at one state.
#pragma once

#include <array>
#include <vector>

#include "polyform/contract/spatial.hpp"
#include "sparse_pattern.hpp"

namespace polyform::particles {

/// M, C and the right-hand sides f, γ: what ParticleRows, ParticleMasses and SparseEquations write and the others read.
struct SparseValues {
  SparseValues(const SparsePattern& pattern, std::size_t bodies, std::size_t unknowns)
      : coefficients(pattern.coefficients()), right(unknowns), row_size(unknowns), masses(bodies) {
    for (const VariableParticles& of : pattern.variables())
      of_variables.resize(of_variables.size() + of.count * of.count);
  }

  std::vector<Vec3> coefficients;  ///< C: see RowEntry::first
  /// Over the unknowns: right-hand sides; squared coefficients of the rows of joints and elements, body by body, so
  /// that a row which vanishes because its bodies share their particles has a size nevertheless.
  std::vector<double> right, row_size;
  /// M of a body on its particles 1, 2 and 4: blocks (a, b), a ≥ b, row after row.
  std::vector<std::array<Mat3, 6>> masses;
  /// M of each module on the particles of its variables: all blocks, row after row.
  std::vector<Mat3> of_variables;
};

inline Vec3 load(const double* x) { return {x[0], x[1], x[2]}; }
inline void add(const Vec3& v, double* x) {
  x[0] += v.x;
  x[1] += v.y;
  x[2] += v.z;
}

}  // namespace polyform::particles

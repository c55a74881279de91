// Shared by the parts of Recursion.
#pragma once

#include <fmt/format.h>

#include "enforcement/innovation.hpp"
#include "enforcement/kernel.hpp"
#include "enforcement/reduction.hpp"
#include "recursion.hpp"

namespace polyform::hierarchy {

/// Calls f with the size of a block: that of a rigid body as a constant, so that the compiler unrolls products.
template <class F>
inline void with_size(Index size, F&& f) {
  if (size == 6)
    f(Eigen::fix<6>);
  else
    f(size);
}

/// A subsystem: its description for the way up, and the forces of later constraints on the way down.
struct Recursion::Subsystem {
  bool by_basis = false;                            ///< described by a basis of motions, not by a covariance
  Index width = 0;                                  ///< unknowns of the interface
  double* x = nullptr;                              ///< accelerations with no force on the interface, or with ν = 0
  double* P = nullptr;                              ///< covariance, width²; not with by_basis
  double* units = nullptr;                          ///< of x, if a merge needs P as a reduced model
  double *S = nullptr, *M = nullptr, *f = nullptr;  ///< reduced model, if a merge needs it
  Index columns = 0;                                ///< coordinates ν of the reduced model
  double* force = nullptr;                          ///< F, on the interface
  double* nu = nullptr;                             ///< ν
  double* N = nullptr;                              ///< of a block with a full mass matrix: α = N x

  Vector x_vector() const { return {x, width}; }
  Matrix P_matrix() const { return {P, width, width}; }
  Matrix S_matrix() const { return {S, width, columns}; }
  Matrix M_matrix() const { return {M, columns, columns}; }
  Vector f_vector() const { return {f, columns}; }
  Vector force_vector() const { return {force, width}; }
  Vector nu_vector() const { return {nu, columns}; }
  Matrix N_matrix() const { return {N, width, width}; }
};

/// The rows of one constraint within a merge.
struct Recursion::Rows {
  std::size_t constraint;
  Index first, count;
  std::vector<std::size_t> touched;  ///< per block of the constraint: its number in Node::touched
};

/// A block among the members of a merge: its unknowns in the interface of its part and among those of all members.
struct Recursion::Member {
  std::size_t part;
  Index place, member, size;
  std::size_t block;
  Index first = 0;  ///< of a touched member: its columns of H̃; of one of the interface: its unknowns there
};

struct Recursion::Node {
  struct Part {
    std::size_t subsystem;
    Index member = 0;  ///< first of its unknowns among those of the members
  };
  std::size_t subsystem = 0;         ///< that the merge makes
  Index width = 0;                ///< unknowns of the members
  std::vector<Member> interface;  ///< members that later constraints need
  std::vector<Part> parts;
  std::vector<Member> touched;  ///< members that a row of the merge has coefficients for
  Index touched_width = 0;
  std::vector<Rows> rows;
  Index count = 0;            ///< of rows
  std::vector<double> noise;  ///< R, per row
  bool closes_loop = false;   ///< its rows may depend on each other or on those within the parts

  double* H = nullptr;         ///< count × touched_width
  double* residual = nullptr;  ///< b̃ − H̃ x̄
  double* weights = nullptr;   ///< per row: H̃ H̃ᵀ of free bodies
  double* PHt = nullptr;       ///< by the filter: P H̃ᵀ on the interface
  SemidefiniteFactor S_inverse;

  double *B = nullptr, *C = nullptr, *particular = nullptr, *R = nullptr;  ///< on bases
  std::vector<Index> order;
  double *follow = nullptr, *offset = nullptr;
  Index rank = 0, columns = 0, admissible = 0, kept = 0;  ///< of B; of parts; after the rows; after condensation

  Matrix H_matrix() const { return {H, count, touched_width}; }
};

/// Memory of one merge that the next one may overwrite.
struct Recursion::Scratch {
  double *D, *S, *first, *second, *vector;  ///< by the filter
  double *basis_S, *basis_M, *basis_f, *product, *work, *more_work, *nu, *g;
};

template <class... T>
bool Recursion::fail(const char* format, const T&... values) noexcept {
  failure_size_ =
      std::min(fmt::format_to_n(failure_, sizeof failure_, fmt::runtime(format), values...).size, sizeof failure_);
  return false;
}

/// Calls `use(unknown, coefficient)` for those of one row on its i-th block.
void Recursion::for_coefficients(const Rows& rows, Index r, std::size_t i, auto&& use) const noexcept {
  const AbsoluteEquations::Coefficients c = system_.coefficients(rows.constraint, i);
  const std::size_t row = static_cast<std::size_t>(r), frame = c.frame.empty() ? 0 : 6;
  const std::size_t own = c.own.size() / static_cast<std::size_t>(rows.count), first = system_.offset(c.block);
  for (std::size_t k = 0; k < frame; ++k) use(first + k, c.frame[row][k]);
  for (std::size_t k = 0; k < own; ++k) use(first + frame + k, c.own[row * own + k]);
}

}  // namespace polyform::hierarchy

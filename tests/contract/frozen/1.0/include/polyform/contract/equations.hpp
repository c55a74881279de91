// The equations of motion of a solver, to look at: M α = f + Aᵀλ and A α + R λ = b with names and numbers. A solver
// that has them in this form offers them by Solver::query.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// Filled at one state; matrices rows first. unknowns and rows: sums over the blocks and constraints.
struct EquationValues {
  Size<EquationValues> size{};
  std::span<double> M{};  ///< unknowns², block diagonal
  std::span<double> f{};  ///< unknowns
  std::span<double> A{};  ///< rows × unknowns
  std::span<double> b{};  ///< rows
};

class Equations {
 public:
  /// Unknowns that belong together: of a body or a module.
  struct Block {
    Size<Block> size{};
    std::string_view name{};
    std::size_t unknowns = 0;
  };
  /// Rows of one joint, constraint element or module. level: the lowest level of a hierarchy of models that has them,
  /// from 1; 0 if the solver has no levels. Rows above the solver's own level do not count.
  struct Constraint {
    Size<Constraint> size{};
    const char* kind = "";
    std::string_view name{};
    std::size_t rows = 0;
    std::size_t level = 0;
    double covariance = 0;  ///< R of each of the rows, in the inverse of an inertia: zero if they hold exactly
  };
  static constexpr std::string_view interface_name = "polyform.equations.1";

  virtual std::size_t blocks() const noexcept = 0;
  virtual void describe_block(std::size_t, Block& out) const noexcept = 0;
  virtual std::size_t constraints() const noexcept = 0;
  virtual void describe_constraint(std::size_t, Constraint& out) const noexcept = 0;
  /// The subsystem of a level's model to which a block belongs, by number; without levels all are in subsystem 0.
  virtual std::size_t module_of(std::size_t block, std::size_t level) const noexcept = 0;
  virtual std::size_t levels() const noexcept = 0;  ///< 0 if the solver has none

  Block block(std::size_t i) const noexcept {
    Block out;
    describe_block(i, out);
    return out;
  }
  Constraint constraint(std::size_t i) const noexcept {
    Constraint out;
    describe_constraint(i, out);
    return out;
  }
  /// M, f, A and b at a state, whether they determine accelerations or not.
  Status form(double t, const ConstStateView& state, EquationValues& out) noexcept { return do_form(t, state, out); }

 protected:
  ~Equations() = default;
  virtual Status do_form(double t, const ConstStateView&, EquationValues&) noexcept = 0;
};

}  // namespace polyform

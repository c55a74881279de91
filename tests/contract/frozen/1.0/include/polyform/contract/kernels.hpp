// The kernels that a solver stands on: an interface of Solver.
//
// A kernel is code that makes equations of motion, solves them or brings a state back onto its constraints, and that
// more than one formulation runs. A mistake in it makes all of these wrong alike, and their agreement says nothing
// against it. So a comparison counts solvers that have a kernel in common as one witness.
//
// The parts of the model itself are no kernels: elements, the kinematics and constraint rows of joints, forces. Every
// solver takes these from the same place, and only known answers test them. General numerics is none either: a sparse
// matrix that holds different equations does not make their solutions wrong alike.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace polyform {

/// What Solver::query(Kernels::interface_name) gives: all kernels that the solver may run on its system with its
/// options. A solver that does not answer, or tells no kernel, stands on one of its own.
class Kernels {
 public:
  static constexpr std::string_view interface_name = "polyform.kernels.1";
  virtual std::size_t count() const noexcept = 0;
  /// i < count(). A few words that live as long as the solver, without a semicolon: users read them, and solvers that
  /// give the same words share the kernel. A name that is not of the SDK begins with that of its library.
  virtual std::string_view name(std::size_t i) const noexcept = 0;

 protected:
  ~Kernels() = default;
};

/// The kernels of the SDK. The solvers of the SDK name those that they run, so a formulation made of such solvers need
/// not; a formulation that calls the parts itself does.
namespace kernels {
inline constexpr std::string_view hinge_elimination = "hinge elimination";  ///< transfer.hpp
inline constexpr std::string_view tree_recursion = "tree recursion";        ///< recursion.hpp
inline constexpr std::string_view loop_closure = "loop closure";            ///< loop_closure.hpp
inline constexpr std::string_view saddle_point = "saddle-point system";     ///< absolute_system.hpp
inline constexpr std::string_view merged_welds = "merged welds";            ///< merged_solver.hpp
inline constexpr std::string_view compiled_model = "compiled model";        ///< compiled_model.hpp
}  // namespace kernels

/// A list of kernels whose names live elsewhere; it holds each name once.
class KernelList final : public Kernels {
 public:
  void add(std::string_view name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }
  std::size_t count() const noexcept override { return names_.size(); }
  std::string_view name(std::size_t i) const noexcept override { return names_[i]; }

 private:
  std::vector<std::string_view> names_;
};

}  // namespace polyform

// Many worlds evaluated at once: an interface of Solver, by query.
//
// A world is one system at one state. Worlds of one structure, the variants of a model, differ in numbers: masses,
// inertias, places and axes of joints, gravity, the fields of elements, and in their states. The batch evaluates one
// world in each of its lanes, for less than as many single evaluations.
//
// What a lane gives depends on its world alone, to the last bit, whatever the other lanes hold and in whichever lane
// the world stands. It is what the world's own solver gives, to rounding; the batch leaves evaluations that it cannot
// do to that solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// Numbers of all worlds stand together: number i of lane k is at i · lanes() + k.
struct BatchInput {
  Size<BatchInput> size{};
  std::span<const double> t{};  ///< s, one per lane
  std::span<const double> y{};  ///< state_size() × lanes()
  std::span<const std::uint8_t>
      active{};  ///< one per lane: whether it is evaluated; the numbers of others are not read
};
struct BatchOutput {
  Size<BatchOutput> size{};
  std::span<double> ydot{};        ///< state_size() × lanes(); what stands in lanes that are not active is undefined
  std::span<double> power{};       ///< one per lane, as PowerSource::power() after a derivative, W; or empty
  std::span<std::uint8_t> done{};  ///< one per lane: whether it could be evaluated; if not, its own solver says why
};

/// What Solver::query(BatchEvaluation::interface_name) gives if the solver can carry its system in lanes; otherwise the
/// query gives nullptr. It lives as long as that solver, and use of the solver does not disturb it. After set_world
/// nothing allocates or throws.
class BatchEvaluation {
 public:
  static constexpr std::string_view interface_name = "polyform.batch.1";

  /// How many worlds there are; always the same.
  virtual std::size_t lanes() const noexcept = 0;
  /// How many numbers a state has: Solver::state_size() of each world.
  virtual std::size_t state_size() const noexcept = 0;
  /// From now on the lane has this world: a solver by the same formulation with the same options, whose system has the
  /// same bodies, joints and elements in the same order, with other numbers. The caller keeps the solver alive. failed:
  /// the world does not fit, and failure() says why; the lane has no world then.
  virtual Status set_world(std::size_t lane, Solver& world) noexcept = 0;
  /// ẏ = f(t, y) in all active lanes, each of which has a world.
  virtual void evaluate(const BatchInput&, BatchOutput&) noexcept = 0;
  /// How often a world was left to its own solver, since the batch was made.
  virtual std::size_t single_evaluations() const noexcept = 0;
  /// Why the last set_world failed: a sentence without a full stop.
  virtual std::string_view failure() const noexcept = 0;

 protected:
  ~BatchEvaluation() = default;
};

}  // namespace polyform

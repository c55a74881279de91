// Outputs: numbers that an element gives about itself.
//
// A force, constraint or module lists them in TypeDescriptor::outputs, each with name and unit, and its batch answers
// `query` with an OutputSource. Results have a column `<element>.<output>` for each of them; `evaluate` and `compare`
// show them. A row of results may use what the equations of motion have given at its instant: accelerations and
// reactions. Forces and constraints themselves cannot, because accelerations follow from them: a force that depends on
// an acceleration is an inertia, which belongs to a body or a module.
//
// The host evaluates outputs from what the solver observes, so every formulation offers the same ones, and they cost
// nothing between rows.
#pragma once

#include <span>
#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

/// The state of a batch and what follows from it, instance after instance.
struct OutputInput {
  Size<OutputInput> size{};
  /// What `evaluate` gets: time, markers, joints; the states of a force.
  const ForceInput* attachments = nullptr;
  std::span<const double> u{}, x{};        ///< of modules, as in ModuleInput
  std::span<const double> udot{}, xdot{};  ///< d/dt of these; xdot of a force: of its states
  std::span<const double> multipliers{};   ///< of modules: count × rows
  /// Per marker: angular acceleration of its frame, acceleration of its point; ground axes.
  std::span<const Spatial> accelerations{};
  std::span<const double> joint_accelerations{};  ///< d/dt of attachments->v
  /// Per attached joint, Observation::reactions: moment and force on its moving body at the origin of M, ground axes.
  /// Reactions that redundant constraints leave open are one choice of many; a formulation without reactions leaves
  /// zeros.
  std::span<const Spatial> reactions{};
};

/// The outputs of all instances of a batch. One object per batch, usually the batch itself. Nothing allocates or
/// throws; what is given depends only on the input, as for `evaluate`.
class OutputSource {
 public:
  static constexpr std::string_view interface_name = "polyform.outputs.1";
  /// values: count × outputs of the type, instance after instance; NaN on entry.
  virtual void evaluate_outputs(const OutputInput&, std::span<double> values) noexcept = 0;

 protected:
  ~OutputSource() = default;
};

}  // namespace polyform

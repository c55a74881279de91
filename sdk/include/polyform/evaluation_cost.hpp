// What an evaluation of a system costs in a formulation, told before anything is compiled: an interface of Formulation.
#pragma once

#include <string_view>

#include "polyform/loop_cost.hpp"

namespace polyform {

/// Asked for by Formulation::query(EvaluationCost::interface_name). The host prefers formulations by it and refuses one
/// that would run out of memory.
class EvaluationCost {
 public:
  static constexpr std::string_view interface_name = "polyform.evaluation_cost.1";
  /// Of the formulation with default options, to a factor of about two. Where no memory is left to tell: zero.
  virtual LoopCost cost(const SystemView&) const noexcept = 0;

 protected:
  ~EvaluationCost() = default;
};

/// The cost of a formulation that solves sparse equations in absolute coordinates: linear in bodies and joints.
/// operations: per body.
class LinearCost final : public EvaluationCost {
 public:
  constexpr explicit LinearCost(double operations) : operations_(operations) {}
  LoopCost cost(const SystemView& view) const noexcept override {
    return {operations_ * static_cast<double>(view.joints.size()), 1e4 * static_cast<double>(view.joints.size())};
  }

 private:
  double operations_;
};

/// The cost of a recursion over the spanning tree.
class RecursionCost final : public EvaluationCost {
 public:
  LoopCost cost(const SystemView& view) const noexcept override;
};

}  // namespace polyform

// The cost of an evaluation of a system in a formulation, told before anything is compiled: an interface of
// Formulation.
#pragma once

#include <string_view>

#include "polyform/contract/evaluation_cost.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// What Formulation::query(CostModel::interface_name) gives. By it the host prefers formulations, and refuses one that
/// would run out of memory.
class CostModel {
 public:
  static constexpr std::string_view interface_name = "polyform.evaluation_cost.1";
  /// Estimates for default options, to a factor of about two. Gives zero if the estimate itself ran out of memory.
  virtual void estimate(const SystemView&, EvaluationCost& out) const noexcept = 0;

 protected:
  ~CostModel() = default;
};

/// The cost of a formulation that solves sparse equations in absolute coordinates: linear in bodies and joints.
/// operations: per body.
class LinearCostModel final : public CostModel {
 public:
  constexpr explicit LinearCostModel(double operations) : operations_(operations) {}
  void estimate(const SystemView& view, EvaluationCost& out) const noexcept override {
    out.operations = operations_ * static_cast<double>(view.joints.size());
    out.bytes = 1e4 * static_cast<double>(view.joints.size());
  }

 private:
  double operations_;
};

/// The cost of a recursion over the spanning tree.
class RecursionCostModel final : public CostModel {
 public:
  void estimate(const SystemView& view, EvaluationCost& out) const noexcept override;
};

}  // namespace polyform

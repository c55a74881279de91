// The recursion in lanes: a batch of worlds of one tree (batch_evaluation.hpp).
#pragma once

#include <memory>

#include "polyform/contract/batch_evaluation.hpp"
#include "polyform/solvers/code_disagreement.hpp"
#include "polyform/solvers/hinged_tree.hpp"
#include "polyform/solvers/joint_loads.hpp"
#include "polyform/solvers/rows_left_out.hpp"

namespace polyform {

class LoopClosure;

/// The part of a solver that a batch of its own library uses.
struct LaneWorld {
  static constexpr std::string_view interface_name = "polyform.lane_world.1";
  const void* library = nullptr;     ///< of the code that made it: lane_library()
  const SystemView* view = nullptr;  ///< the one that it works in
  const HingedTree* tree = nullptr;
  JointLoads* loads = nullptr;
  const LoopClosure* loops = nullptr;
  const RowsLeftOut* left_out = nullptr;
  Solver* solver = nullptr;      ///< of that view
  bool closes = false;           ///< steps return onto the loops
  double closing_tolerance = 0;  ///< LoopCorrection::tolerance
  CodeDisagreement* disagreement = nullptr;
};
/// An address that differs between libraries.
const void* lane_library() noexcept;

/// It carries rigid and flexible bodies with joints of any kind that do not depend on time, closed loops, and forces of
/// any kind without discrete states. Forces, code-defined joints and the equations of single flexible bodies are
/// evaluated world by world. The world's own solver does
/// the evaluations that the kernels mark as not plain, and now and then any evaluation, to see that both agree.
class LaneEvaluation : public BatchEvaluation {
 public:
  /// Why the world is not carried; nullptr if it is.
  static const char* refusal(const LaneWorld&);
  /// The same of kernels that are written as code of the world, which carry no flexible bodies.
  static const char* refusal_of_code(const LaneWorld&);
  /// Makes lanes for worlds like this one, without any in them.
  static std::unique_ptr<LaneEvaluation> make(const LaneWorld&);
  virtual ~LaneEvaluation() = default;
};

}  // namespace polyform

#include "polyform/solvers/lane_evaluation.hpp"

#include <algorithm>

#include "lanes/lane_worlds.hpp"

namespace polyform {

const void* lane_library() noexcept {
  static const char here = 0;
  return &here;
}

const char* LaneEvaluation::refusal(const LaneWorld& world) {
  const SystemView& view = *world.view;
  const bool closed = !view.cut_joints().empty();
  if (closed && world.loops->right_sides().is_stabilized()) return "its loops are stabilized";
  const auto has_one_direction = [](const JointData& cut) {
    return cut.kernel == nullptr && cut.primitives.size() <= 1;
  };
  if (world.loads->forces().loads_joints() && !std::ranges::all_of(view.cut_joints(), has_one_direction))
    return "forces act on joints, and one of several directions closes a loop";
  if (closed && world.loops->rows().is_uneven()) return "its loops have masses of very different size";
  if (world.loops->completes_inertia()) return "it has bodies without mass or inertia that rows of constraints hold";
  if (!view.constraints.empty()) return "it has constraint elements";
  if (!view.modules.empty()) return "it has modules";
  if (view.discrete > 0) return "its elements have discrete states";
  if (!RheonomicJoints(view).empty()) return "it has joints that depend on time";
  return nullptr;
}

const char* LaneEvaluation::refusal_of_code(const LaneWorld& world) {
  if (const char* const why = refusal(world)) return why;
  return world.view->flexible.empty() ? nullptr : "it has flexible bodies";
}

std::unique_ptr<LaneEvaluation> LaneEvaluation::make(const LaneWorld& first) {
  if (refusal(first) != nullptr) return nullptr;
  using T = Pack<pack_size>;
  using Kernels = lanes::LoopedKernels<T>;
  return std::make_unique<lanes::Evaluation<T, Kernels, lanes::usual_lanes>>(first, Kernels(first));
}

}  // namespace polyform

// The state at the start: given joint coordinates, rates from joints and bodies, loops closed in position and velocity.
//
// As drawn every joint, and so every loop, is closed by construction: only `initial` positions and the deformation of
// flexible bodies open loops. Velocities of bodies belong to the drawn pose, undeformed. They become joint rates there,
// which then hold at the moved pose.
#include "framework/host/assembly/contradictions.hpp"
#include "framework/host/assembly/first_order_start.hpp"
#include "framework/host/assembly/module_start.hpp"
#include "framework/host/assembly/start_positions.hpp"
#include "framework/host/assembly/start_rates.hpp"
#include "framework/host/expressions/formula.hpp"

namespace polyform::host::inline assembly {

bool build_initial_state(System::Parts& parts, Diagnostics& diagnostics) {
  Start start(parts, diagnostics);
  start.read();
  FirstOrderStart first_order(start);
  first_order.begin();
  if (diagnostics.failed()) return false;
  expressions::clear_trouble();  // of a model before this one
  BodyVelocities bodies;
  DrawnRates(start, bodies).fit();
  const std::vector<double> drawn = parts.q;
  const SystemView& view = start.view();
  // As drawn all loops are closed; constraint elements and rows of modules need not hold there.
  const bool closed =
      view.constraints.empty() && !has_holonomic_modules(view) && (!start.moved || view.cut_joints().empty());
  if (closed) {
    parts.q = start.given_q;
    parts.eta = start.given_eta;
  } else if (!StartPositions(start).find()) {
    return false;
  }
  if (!StartRates(start, bodies).find(drawn)) return false;
  if (!view.constraints.empty() && report_contradiction(start, parts.q)) return false;
  first_order.begin_with_motion();
  if (!view.modules.empty()) ModuleStart(start).fit_variables();
  return !diagnostics.failed();
}

}  // namespace polyform::host::inline assembly

#include "tree_witness.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "engine_solver.hpp"
#include "polyform/helpers/compile.hpp"
#include "system_view_in_numbers.hpp"

namespace polyform::witnesses {
namespace {

/// The system's tree in another engine.
class TreeEngine final : public Engine {
 public:
  TreeEngine(const SystemView& view, std::unique_ptr<EngineTree> tree)
      : tree_(std::move(tree)), wrenches_(6 * view.bodies.size()) {
    for (std::size_t i = 0; i < view.bodies.size(); ++i)
      tree_->add(carrying(view.joints[i], view.joints[i].reversed), inertia_of(view.bodies[i]));
    tree_->finish();
    efforts_.reserve(view.nv);
  }
  bool accelerate(const double* q, const double* v, const Loads& loads, std::span<double> vdot) noexcept override {
    put_wrenches(loads, wrenches_);
    efforts_.assign(loads.efforts.begin(), loads.efforts.end());
    return tree_->accelerate(q, v, wrenches_, efforts_, vdot.data());
  }
  void cut_reactions(std::span<Spatial>) noexcept override {}
  bool correct(double*, double*, Correction&) noexcept override { return true; }
  double position_violation() const noexcept override { return 0; }
  double velocity_violation() const noexcept override { return 0; }
  std::string_view failure() const noexcept override { return tree_->failure(); }

 private:
  std::unique_ptr<EngineTree> tree_;
  std::vector<double> wrenches_, efforts_;
};

}  // namespace

std::string_view TreeWitness::why_not(Ability ability) const noexcept {
  switch (ability) {
    case Ability::closed_loops:
    case Ability::redundant_constraints:
      return "the engine closes loops by impulses over a step of time, which are no accelerations of rigid loops";
    case Ability::singular_mass: return "the engine wants a positive mass and inertia of everything that moves";
    case Ability::flexible_bodies: return "the engine has no flexible bodies with modes";
    case Ability::code_joints:
    case Ability::rheonomic_joints: return "the engine gets turns, slides and balls alone";
    default: return {};
  }
}

Solver* TreeWitness::compile(const SystemView& view, Strided<const FieldValue>, DiagnosticSink& sink) const noexcept {
  return compiled(name(), "make the model smaller", sink, [&](std::optional<Refusal>& refusal) -> Solver* {
    auto centred = std::make_unique<CentredView>(view);
    std::unique_ptr<Engine> made;
    try {
      made = std::make_unique<TreeEngine>(centred->view(), make_tree(&view.gravity.x));
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      const std::string name(this->name());
      refusal = {name + ": " + std::string(engine()) + " refuses the model: " + problem.what(),
                 "leave " + name + " out of the list of solvers"};
      return nullptr;
    }
    return made_solver<EngineSolver>(std::move(centred), std::move(made), engine());
  });
}

}  // namespace polyform::witnesses

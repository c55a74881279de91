// The equations of motion of a model in absolute coordinates, part by part.
#pragma once

#include "polyform/solvers/absolute/rows.hpp"

namespace polyform::absolute {

/// M, A and b, each part with its own state. Set the motions first; then evaluate() brings all other parts to these.
struct Model {
  /// absent: per constraint, whether its rows do not count; or empty. origin: the point from which positions count, for
  /// the elements. The view outlives the object.
  Model(const SystemView& of, const std::vector<bool>& absent, const Vec3& origin)
      : view(of),
        elements(of, origin),
        modules(of, origin),
        blocks(of, modules),
        constraints(of, blocks, elements, modules, absent),
        motions(of),
        inertia(of, blocks, motions),
        rows(of, blocks, constraints, motions, inertia, elements, modules) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Whether all constraint elements, flexible bodies and modules could be made.
  bool good() const { return elements.good() && inertia.flexible().good() && modules.good(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    elements.follow(discrete);
    modules.follow(discrete);
  }
  void evaluate(double t, Level level, double* q, double* v) noexcept {
    inertia.evaluate();
    rows.evaluate(t, level, q, v);
  }

  const SystemView& view;
  ConstraintSet elements;
  ModuleSet modules;
  Blocks blocks;
  Constraints constraints;
  Motions motions;
  Inertia inertia;
  Rows rows;
};

}  // namespace polyform::absolute

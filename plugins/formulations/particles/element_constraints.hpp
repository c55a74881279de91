// The constraints on bodies apart from joints: constraint elements, and modules with variables of their own.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::particles {

/// A constraint element, or a module and the rows that it has on markers and joints.
struct ElementConstraint {
  const ConstraintSet::Element* rows;
  const ModuleSet::Module* module = nullptr;  ///< nullptr for a constraint element
};

/// All constraint elements and modules of a system, at the state last evaluated.
class ElementConstraints {
 public:
  /// The view outlives the object. origin: the point from which positions count.
  ElementConstraints(const SystemView& view, const Vec3& origin) : elements_(view, origin), modules_(view, origin) {
    for (const ConstraintSet::Element& element : elements_.elements()) all_.push_back({&element});
    for (const ModuleSet::Module& module : modules_.modules()) all_.push_back({&module.rows, &module});
  }
  bool good() const { return elements_.good() && modules_.good(); }
  /// Discrete states of all elements, as ConstraintSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    elements_.follow(discrete);
    modules_.follow(discrete);
  }
  /// motions: of all bodies; q, v: of all joints; x: first-order states.
  void evaluate(double t, std::span<const BodyMotion> motions, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept {
    if (!elements_.elements().empty()) elements_.evaluate(t, motions, q, v);
    if (!modules_.empty()) modules_.evaluate(t, motions, q, v, x);
  }
  std::span<const ElementConstraint> all() const { return all_; }
  const ModuleSet& modules() const { return modules_; }

 private:
  ConstraintSet elements_;
  ModuleSet modules_;
  std::vector<ElementConstraint> all_;
};

}  // namespace polyform::particles

// Couplings that are linear in joint coordinates: Σ f q = 0.
#pragma once

#include <vector>

#include "joint_places.hpp"
#include "polyform/contract/constraint_element.hpp"

namespace polyform::couplings {

/// A type whose rows are Σ f_k q_k = 0 over one coordinate q_k of each attached joint. As drawn all coordinates are
/// zero.
class LinearCoupling : public ConstraintType {
 public:
  bool holonomic() const noexcept final { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance&, std::size_t number, FieldSink&) const noexcept final;
  ConstraintBatch* create(Strided<const ElementInstance>) const noexcept final;

  /// The kind of motion of attached joint k that is coupled.
  virtual Primitive::Kind motion(std::size_t k) const noexcept = 0;
  /// The factor f of attached joint k in a row.
  virtual double factor(const ElementInstance&, std::size_t row, std::size_t k) const noexcept = 0;
  /// Whether the signs of the rows hold only for joints that are all based on the same body. Otherwise one body that
  /// takes part in all joints, as base or as moving, is enough: the instance gives the signs.
  virtual bool needs_same_base() const noexcept { return false; }
  /// The checks of define() beyond those of the joints.
  virtual bool check(const ElementInstance&, std::size_t number, FieldSink&) const noexcept;

 protected:
  ~LinearCoupling() = default;
};

/// The joint behind attachment k of an instance, and the field that names it.
struct AttachedJoint {
  JointIndex joint = JointIndex::none;
  std::size_t field = 0;
};
AttachedJoint attached_joint(Strided<const FieldSpec>, const ElementInstance&, std::size_t k) noexcept;

}  // namespace polyform::couplings

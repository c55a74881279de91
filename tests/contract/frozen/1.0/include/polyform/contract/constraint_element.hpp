// Constraints beyond joints: rolling, knife edges, prescribed motions, couplings.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform {

/// Rows of a batch, instance after instance, `rows` per instance. With V the twists of the markers (angular
/// velocity, velocity of the marker's point; ground axes) and v the velocities of the attached joints:
///
///   velocity      A V + B v = velocity_right
///   acceleration  A V̇ + B v̇ = acceleration_right      (V̇: angular acceleration, acceleration of the point)
///   position      residual = 0, where the constraint is holonomic
///
/// effort is the given part of the constraint force (non-ideal constraints): the wrench on a marker is Aᵀ(λ + effort),
/// the generalized force on a joint Bᵀ(λ + effort). All outputs are zero on entry.
struct ConstraintOutput {
  Size<ConstraintOutput> size{};
  std::span<Spatial> A{};                  ///< count × rows × markers
  std::span<double> B{};                   ///< count × rows × joint velocities of the instance
  std::span<double> residual{};            ///< count × rows, for holonomic constraints
  std::span<double> velocity_right{};      ///< count × rows
  std::span<double> acceleration_right{};  ///< count × rows
  std::span<double> effort{};              ///< count × rows
};

class ConstraintBatch {
 public:
  virtual void evaluate(const ForceInput&, ConstraintOutput&) noexcept = 0;
  virtual void destroy() noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~ConstraintBatch() = default;
};

class ConstraintType : public ElementType {
 public:
  virtual bool holonomic() const noexcept = 0;
  /// Rows of one instance (after define), for example one per velocity of the attached joint.
  virtual std::size_t rows(const ElementInstance&) const noexcept = 0;
  virtual bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept = 0;
  virtual ConstraintBatch* create(Strided<const ElementInstance>) const noexcept = 0;

 protected:
  ~ConstraintType() = default;
};

}  // namespace polyform

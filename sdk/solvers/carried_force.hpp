// Forces on bodies that others carry: they see the axes of their own bodies.
#pragma once

#include <vector>

#include "polyform/contract/force.hpp"

namespace polyform {

/// A force type whose markers are attached to carriers. Its batches are those of the type itself, made of its own
/// instances; their markers have the orientation of the bodies that they were given on.
class CarriedForce final : public ForceType {
 public:
  /// The orientation of a body in its carrier, of one marker of the batch.
  struct Turn {
    std::size_t marker;
    Mat3 R;
  };
  /// instances: as of the system before its bodies are merged.
  CarriedForce(const ForceType& type, Strided<const ElementInstance> instances, std::vector<Turn> turns)
      : type_(type), instances_(instances), turns_(std::move(turns)) {}

  const TypeDescriptor& descriptor() const noexcept override { return type_.descriptor(); }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    return type_.define(instance, number, sink);
  }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;
  const void* query(std::string_view asked) const noexcept override { return type_.query(asked); }

 private:
  const ForceType& type_;
  Strided<const ElementInstance> instances_;
  std::vector<Turn> turns_;
};

}  // namespace polyform

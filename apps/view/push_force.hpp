// A force that a person puts on a body while a run goes on.
#pragma once

#include <vector>

#include "polyform/contract/force.hpp"

namespace polyform::apps {

/// What pushes now. A body of the model's order; `none`: nothing pushes.
struct Push {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t body = none;
  Vec3 point{};  ///< of the body, in its axes from its origin, m
  Vec3 force{};  ///< ground axes, N
};

/// A force type of one instance, attached to all bodies of a model (field `bodies`), that acts on the one that `push`
/// names. The push changes between the steps of a run only. On a flexible body it acts on the frame of the body.
class PushForce final : public ForceType {
 public:
  explicit PushForce(const Push& push) : push_(push) {}

  const TypeDescriptor& descriptor() const noexcept override;
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;

 private:
  const Push& push_;
};

}  // namespace polyform::apps

#include "apps/view/push_force.hpp"

#include <array>
#include <new>

#include "polyform/contract/type_descriptor.hpp"

namespace polyform::apps {

namespace {

constexpr std::array push_fields{FieldSpec{.name = "bodies",
                                           .type = FieldType::bodies,
                                           .unit = "",
                                           .meaning = "the bodies that can be pushed",
                                           .required = true}};

class PushBatch final : public ForceBatch {
 public:
  explicit PushBatch(const Push& push) : push_(push) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    if (push_.body >= in.markers.size()) return;
    const MarkerMotion& frame = in.markers[push_.body];
    const Vec3 arm = frame.R * push_.point;
    out.wrenches[push_.body] += Spatial{cross(arm, push_.force), push_.force};
    out.power += dot(push_.force, frame.velocity + cross(frame.angular_velocity, arm));
  }
  void destroy() noexcept override { delete this; }

 private:
  const Push& push_;
};

}  // namespace

const TypeDescriptor& PushForce::descriptor() const noexcept {
  static constexpr TypeDescriptor descriptor{
      .name = "push", .meaning = "a force that a person puts on a body", .fields = push_fields};
  return descriptor;
}

ForceBatch* PushForce::create(Strided<const ElementInstance>) const noexcept {
  return new (std::nothrow) PushBatch(push_);
}

}  // namespace polyform::apps

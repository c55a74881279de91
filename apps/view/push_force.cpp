#include "apps/view/push_force.hpp"

#include <algorithm>
#include <limits>
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
  explicit PushBatch(const SharedPush& push) : push_(push) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (const SharedPush::Share& share : push_.shares) {
      if (share.part == 0 || share.marker >= in.markers.size()) continue;
      const MarkerMotion& at = in.markers[share.marker];
      const Vec3 force = share.part * push_.force, arm = at.R * share.arm;
      out.wrenches[share.marker] += Spatial{cross(arm, force), force};
      out.power += dot(force, at.velocity + cross(at.angular_velocity, arm));
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  const SharedPush& push_;
};

}  // namespace

PushPlaces::PushPlaces(std::size_t bodies) : frames_(bodies), points_(bodies) {
  for (std::size_t b = 0; b < bodies; ++b) bodies_.push_back(b);
}

void PushPlaces::add_lines(std::size_t body, const std::vector<Vec3>& points,
                           const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  if (edges.empty()) return;
  Lines lines{body, {}};
  for (const auto& [a, b] : edges) lines.edges.emplace_back(size() + a, size() + b);
  lines_.push_back(std::move(lines));
  bodies_.insert(bodies_.end(), points.size(), body);
  points_.insert(points_.end(), points.begin(), points.end());
}

SharedPush PushPlaces::shared(const Push& push) const {
  SharedPush out;
  if (push.body >= frames_) return out;
  out.force = push.force;
  const auto lines = std::ranges::find(lines_, push.body, &Lines::body);
  if (lines == lines_.end()) {
    out.shares[0] = {push.body, 1, push.point};
    return out;
  }
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& [a, b] : lines->edges) {
    const Vec3 along = points_[b] - points_[a];
    const double length = dot(along, along);
    const double w = length > 0 ? std::clamp(dot(push.point - points_[a], along) / length, 0.0, 1.0) : 0;
    const Vec3 arm = push.point - points_[a] - w * along;
    const double away = dot(arm, arm);
    if (!(away < nearest)) continue;
    nearest = away;
    out.shares = {SharedPush::Share{a, 1 - w, arm}, SharedPush::Share{b, w, arm}};
  }
  return out;
}

const TypeDescriptor& PushForce::descriptor() const noexcept {
  static constexpr TypeDescriptor descriptor{
      .name = "push", .meaning = "a force that a person puts on a body", .fields = push_fields};
  return descriptor;
}

ForceBatch* PushForce::create(Strided<const ElementInstance>) const noexcept {
  return new (std::nothrow) PushBatch(push_);
}

}  // namespace polyform::apps

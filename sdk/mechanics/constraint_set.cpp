#include "polyform/mechanics/constraint_set.hpp"

#include <algorithm>

#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/discrete_values.hpp"

namespace polyform {

ConstraintSet::ConstraintSet(const SystemView& view, const Vec3& origin)
    : initial_(view.discrete), discrete_(initial_) {
  batches_.reserve(view.constraints.size());
  for (const ConstraintInstances& group : view.constraints) {
    ConstraintBatch* batch = group.type->create(group.instances);
    if (batch == nullptr) {
      good_ = false;
      return;
    }
    Batch& b = batches_.emplace_back(Batch{batch,
                                           Attachments(view, group.instances, group.joints, origin),
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           {},
                                           group.discrete_offset,
                                           group.type->descriptor().discrete.size() * group.instances.size()});
    initial_discrete(*batch, std::span(initial_).subspan(b.discrete_offset, b.discrete_count));
    std::size_t rows = 0, markers = 0, A = 0, B = 0;
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      const ElementInstance& instance = group.instances[i];
      rows += group.rows[i];
      A += group.rows[i] * instance.markers.size();
      for (const JointShape& joint : instance.joints) B += group.rows[i] * joint.nv;
    }
    b.A = guarded<Spatial>(A);
    b.B = guarded<double>(B);
    for (auto* of_rows : {&b.residual, &b.velocity_right, &b.acceleration_right, &b.effort})
      *of_rows = guarded<double>(rows);

    rows = A = B = 0;
    std::size_t joints = 0;
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      const ElementInstance& instance = group.instances[i];
      Element e;
      e.name = group.names[i];
      e.markers = instance.markers;
      e.joints = group.joints.subspan(joints, instance.joints.size());
      e.rows = group.rows[i];
      for (const JointShape& joint : instance.joints) e.velocities += joint.nv;
      e.holonomic = group.type->holonomic();
      e.A = between(b.A).subspan(A, e.rows * e.markers.size());
      e.B = between(b.B).subspan(B, e.rows * e.velocities);
      e.residual = between(b.residual).subspan(rows, e.rows);
      e.velocity_right = between(b.velocity_right).subspan(rows, e.rows);
      e.acceleration_right = between(b.acceleration_right).subspan(rows, e.rows);
      e.effort = between(b.effort).subspan(rows, e.rows);
      e.motions = b.attached.motions().subspan(markers, e.markers.size());
      e.arms = b.attached.arms().subspan(markers, e.markers.size());
      markers += e.markers.size();
      joints += e.joints.size();
      rows += e.rows;
      A += e.A.size();
      B += e.B.size();
      elements_.push_back(e);
    }
  }
}

ConstraintSet::~ConstraintSet() {
  for (Batch& b : batches_) b.batch->destroy();
}

void ConstraintSet::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                             std::span<const double> v) noexcept {
  const unsigned control = floating_point_control();
  for (Batch& b : batches_) {
    b.attached.gather(frames, q, v);
    // An element writes only the numbers that it has; the others count as zero.
    std::ranges::fill(between(b.A), Spatial{});
    for (auto* of_rows : {&b.B, &b.residual, &b.velocity_right, &b.acceleration_right, &b.effort})
      std::ranges::fill(between(*of_rows), 0.0);
    ConstraintOutput out{.A = between(b.A),
                         .B = between(b.B),
                         .residual = between(b.residual),
                         .velocity_right = between(b.velocity_right),
                         .acceleration_right = between(b.acceleration_right),
                         .effort = between(b.effort)};
    b.batch->evaluate(b.attached.input(t, discrete_.subspan(b.discrete_offset, b.discrete_count)), out);
    check_breach(control, b.batch, "constraint", b.A, b.B, b.residual, b.velocity_right, b.acceleration_right,
                 b.effort);
  }
}

double velocity_of_row(const SystemView& view, const ConstraintSet::Element& element, std::size_t row,
                       std::span<const double> v) noexcept {
  double rate = 0;
  for (std::size_t k = 0; k < element.markers.size(); ++k) {
    const MarkerMotion& m = element.motions[k];
    rate += dot(element.A[row * element.markers.size() + k], Spatial{m.angular_velocity, m.velocity});
  }
  const double* B = element.B.data() + row * element.velocities;
  for (const JointIndex j : element.joints)
    for (std::size_t k = 0; k < view.joints[at(j)].nv; ++k) rate += *B++ * v[view.joints[at(j)].v_offset + k];
  return rate;
}

}  // namespace polyform

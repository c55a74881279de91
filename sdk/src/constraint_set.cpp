#include "polyform/constraint_set.hpp"

#include <algorithm>

namespace polyform {

ConstraintSet::ConstraintSet(const SystemView& view) {
  batches_.reserve(view.constraints.size());
  for (const ConstraintGroup& group : view.constraints) {
    Batch b{};
    b.batch = group.type->create(group.instances);
    if (b.batch == nullptr) {
      good_ = false;
      return;
    }
    std::size_t nq = 0, nv = 0, rows = 0, markers = 0, A = 0, B = 0;
    for (const JointIndex j : group.joints) {
      const JointData& joint = view.joints[at(j)];
      b.joints.push_back({joint.q_offset, joint.nq, joint.v_offset, joint.nv});
      nq += joint.nq;
      nv += joint.nv;
    }
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      const ElementInstance& instance = group.instances[i];
      b.markers.insert(b.markers.end(), instance.markers.begin(), instance.markers.end());
      rows += group.rows[i];
      A += group.rows[i] * instance.markers.size();
      for (const JointShape& joint : instance.joints) B += group.rows[i] * joint.nv;
    }
    b.motions.resize(b.markers.size());
    b.q.resize(nq);
    b.v.resize(nv);
    b.A.resize(A);
    b.B.resize(B);
    for (auto* of_rows : {&b.residual, &b.velocity_right, &b.acceleration_right, &b.effort}) of_rows->resize(rows);

    rows = A = B = 0;
    std::size_t joints = 0;
    batches_.push_back(std::move(b));
    const Batch& kept = batches_.back();
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      const ElementInstance& instance = group.instances[i];
      Element e;
      e.name = group.names[i];
      e.markers = instance.markers;
      e.joints = group.joints.subspan(joints, instance.joints.size());
      e.rows = group.rows[i];
      for (const JointShape& joint : instance.joints) e.velocities += joint.nv;
      e.holonomic = group.type->holonomic();
      e.A = std::span(kept.A).subspan(A, e.rows * e.markers.size());
      e.B = std::span(kept.B).subspan(B, e.rows * e.velocities);
      e.residual = std::span(kept.residual).subspan(rows, e.rows);
      e.velocity_right = std::span(kept.velocity_right).subspan(rows, e.rows);
      e.acceleration_right = std::span(kept.acceleration_right).subspan(rows, e.rows);
      e.effort = std::span(kept.effort).subspan(rows, e.rows);
      e.motions = std::span(kept.motions).subspan(markers, e.markers.size());
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
  for (Batch& b : batches_) {
    for (std::size_t i = 0; i < b.markers.size(); ++i) {
      const BodyMotion& frame = motion_of(b.markers[i].frame, frames);
      const Vec3 arm = frame.R * b.markers[i].point;
      b.motions[i] = {frame.R, frame.p + arm, frame.V.linear + cross(frame.V.angular, arm), frame.V.angular};
    }
    std::size_t at_q = 0, at_v = 0;
    for (const JointSlice& j : b.joints) {
      std::copy_n(q.data() + j.q, j.nq, b.q.data() + at_q);
      std::copy_n(v.data() + j.v, j.nv, b.v.data() + at_v);
      at_q += j.nq;
      at_v += j.nv;
    }
    // An element writes what it has; the rest counts as zero.
    std::fill(b.A.begin(), b.A.end(), Spatial{});
    for (auto* of_rows : {&b.B, &b.residual, &b.velocity_right, &b.acceleration_right, &b.effort})
      std::fill(of_rows->begin(), of_rows->end(), 0.0);
    ConstraintOutput out{b.A, b.B, b.residual, b.velocity_right, b.acceleration_right, b.effort};
    b.batch->evaluate({t, b.motions, b.q, b.v, {}}, out);
  }
}

}  // namespace polyform

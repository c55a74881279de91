// Batches of forces, constraint elements and modules by themselves: what instances get as input along a motion.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "framework/workbench/conformance/checklist.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/model_state.hpp"
#include "framework/workbench/conformance/state.hpp"
#include "framework/workbench/conformance/static_memory.hpp"
#include "polyform/mechanics/discrete_values.hpp"

namespace polyform::host::inline conformance {

/// Owns what a ForceInput points to.
struct BatchInput {
  double time = 0;
  std::vector<MarkerMotion> markers;
  std::vector<double> q, v, states;
  std::vector<std::int32_t> discrete;

  ForceInput view() const {
    return {.time = time, .markers = markers, .q = q, .v = v, .states = states, .discrete = discrete};
  }
};

/// Discrete states of an instance at the start.
template <class Group>
std::vector<std::int32_t> discrete_of(const SystemView& view, const Group& group, std::size_t instance) {
  std::vector<std::int32_t> all(view.discrete);
  std::string_view stranger;
  initial_discrete(view, all, stranger);
  const std::size_t count = group.type->descriptor().discrete.size();
  const auto own = std::span(all).subspan(group.discrete_offset + instance * count, count);
  return {own.begin(), own.end()};
}

template <class Batch>
struct DestroyBatch {
  void operator()(Batch* b) const noexcept { b->destroy(); }
};
template <class Batch>
using BatchPointer = std::unique_ptr<Batch, DestroyBatch<Batch>>;
/// What create() has made of instances that define() accepted. Failure (simulation_failed) when it made none.
template <class Batch>
BatchPointer<Batch> made_batch(Batch* batch) {
  if (batch == nullptr)
    throw Failure(Exit::simulation_failed, "create() gives no batch for instances that define() accepted");
  return BatchPointer<Batch>(batch);
}

/// The motion of all attachments of one instance of a group at a state: markers, then the coordinates of its joints.
template <class Group>
BatchInput input_of(const SystemView& view, const Group& group, std::size_t instance,
                    std::span<const BodyMotion> frames, const State& state) {
  BatchInput in;
  in.discrete = discrete_of(view, group, instance);
  for (const Marker& m : group.instances[instance].markers) {
    const BodyMotion& frame = motion_of(m.frame, frames);
    const Vec3 arm = frame.R * m.point;
    in.markers.push_back({frame.R, frame.p + arm, frame.V.linear + cross(frame.V.angular, arm), frame.V.angular});
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < instance; ++i) first += group.instances[i].joints.size();
  for (std::size_t k = 0; k < group.instances[instance].joints.size(); ++k) {
    const JointData& joint = view.joints[at(group.joints[first + k])];
    in.q.insert(in.q.end(), state.q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                state.q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
    in.v.insert(in.v.end(), state.v.begin() + static_cast<std::ptrdiff_t>(joint.v_offset),
                state.v.begin() + static_cast<std::ptrdiff_t>(joint.v_offset + joint.nv));
  }
  return in;
}

/// The attachments exactly as drawn, to the last bit, with all bodies in motion or all at rest.
template <class Group>
BatchInput input_as_drawn(const SystemView& view, const Group& group, std::size_t instance, double speed) {
  const ElementInstance& read = group.instances[instance];
  BatchInput in;
  in.discrete = discrete_of(view, group, instance);
  for (std::size_t k = 0; k < read.markers.size(); ++k) {
    const Mat3 R = rotation_matrix(read.drawn[k].orientation);
    const Vec3 u = is_ground(read.markers[k].body) ? Vec3{} : speed * Vec3{0.3, -0.7, 0.5};
    in.markers.push_back({R, read.drawn[k].position + R * read.markers[k].point, u, cross(u, Vec3{1, 2, 3})});
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < instance; ++i) first += group.instances[i].joints.size();
  for (std::size_t k = 0; k < read.joints.size(); ++k) {
    const JointData& joint = view.joints[at(group.joints[first + k])];
    std::vector<double> q(joint.nq);
    joint_neutral(joint, q.data());
    in.q.insert(in.q.end(), q.begin(), q.end());
    in.v.insert(in.v.end(), joint.nv, speed);
  }
  return in;
}

/// Joins several inputs to the input of one batch, in this order.
inline BatchInput joined(std::span<const BatchInput> parts) {
  BatchInput all;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const BatchInput& part : parts) {
    all.time = part.time;
    append(all.markers, part.markers);
    append(all.q, part.q);
    append(all.v, part.v);
    append(all.states, part.states);
    append(all.discrete, part.discrete);
  }
  return all;
}

/// The input after a turn R of the whole system, then a shift d.
inline BatchInput carried(BatchInput in, const Mat3& R, const Vec3& d) {
  for (MarkerMotion& marker : in.markers)
    marker = {R * marker.R, d + R * marker.position, R * marker.velocity, R * marker.angular_velocity};
  return in;
}

/// The same of the markers.
inline std::vector<Spatial> twists(const BatchInput& in) {
  std::vector<Spatial> all;
  for (const MarkerMotion& m : in.markers) all.push_back({m.angular_velocity, m.velocity});
  return all;
}

/// Accelerations of the markers of an instance from those of the frames.
inline std::vector<Spatial> marker_accelerations(const ElementInstance& instance, std::span<const BodyMotion> frames,
                                                 std::span<const Spatial> accelerations) {
  std::vector<Spatial> all;
  for (const Marker& marker : instance.markers) {
    if (is_ground(marker.frame)) {
      all.emplace_back();
      continue;
    }
    const BodyMotion& frame = frames[at(marker.frame)];
    const Spatial& a = accelerations[at(marker.frame)];
    const Vec3 arm = frame.R * marker.point, &w = frame.V.angular;
    all.push_back({a.angular, a.linear + cross(a.angular, arm) + cross(w, cross(w, arm))});
  }
  return all;
}

/// Selects from v̇ of all joints what belongs to the joints of an instance.
template <class Group>
std::vector<double> joint_accelerations(const SystemView& view, const Group& group, std::size_t instance,
                                        std::span<const double> vdot) {
  std::vector<double> all;
  std::size_t first = 0;
  for (std::size_t i = 0; i < instance; ++i) first += group.instances[i].joints.size();
  for (std::size_t k = 0; k < group.instances[instance].joints.size(); ++k) {
    const JointData& joint = view.joints[at(group.joints[first + k])];
    for (std::size_t n = 0; n < joint.nv; ++n) all.push_back(vdot[joint.v_offset + n]);
  }
  return all;
}

/// The largest difference of two lists of numbers, relative to the largest number (at least `least`).
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b, double least = 1) {
  double worst = 0, scale = least;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = larger(worst, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(a[i]));
  }
  return worst == 0 ? 0 : worst / scale;
}

/// Equal as bits, so that what is no number is equal to itself.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  const auto equal = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::ranges::equal(a, b, equal);
}

/// Two batches of different instances that are made before either is evaluated give what each gives alone, and write to
/// no memory that they share.
/// make(case) gives a batch of the case's instances, input(case) their input, for which other batches may be made;
/// numbers(batch, case, input) all that the batch gives.
template <class Make, class Input, class Evaluate>
void claim_own_data(const void* type, const std::vector<Case>& cases, Checklist& list, Make make, Input input,
                    Evaluate numbers) {
  list.claim("two batches give what each gives alone", 1e-12,
             "keep what create() reads of its instances in the batch: static variables are those of the last one",
             [&](Measure& m) {
               for (std::size_t i = 0; i < cases.size(); ++i) {
                 const Case &a = cases[i], &b = cases[(i + 1) % cases.size()];
                 m.in_model(a.sample.text);
                 const auto in_a = input(a), in_b = input(b);
                 const std::vector<double> alone_a = numbers(*make(a), a, in_a), alone_b = numbers(*make(b), b, in_b);
                 const auto first = make(a), second = make(b);
                 m.see(largest_difference(alone_a, numbers(*first, a, in_a)), "the batch that was made first");
                 m.see(largest_difference(alone_b, numbers(*second, b, in_b)), "the batch that was made last");
                 m.see(largest_difference(alone_a, numbers(*first, a, in_a)), "the batch that was made first, again");
               }
             });
  const Case &a = cases.front(), &b = cases.back();
  decltype(make(b)) second;
  const auto call_first = [&] {
    second = make(b);
    numbers(*make(a), a, input(a));
  };
  claim_no_static_writing(type, list, call_first, [&] { numbers(*second, b, input(b)); });
}

inline bool all_finite(const std::vector<double>& list) {
  return std::ranges::all_of(list, [](double x) { return std::isfinite(x); });
}

inline constexpr std::string_view turn_with_markers =
    "vectors of the type must turn with its markers (use MarkerMotion::R); where a value is meant to be fixed in "
    "ground, its field says so by FieldSpec::tied_to_ground";

/// Calls body(case, path, random) for all cases, each along a motion of its bodies.
template <class Body>
void on_paths(const std::vector<Case>& cases, Measure& m, unsigned seed, Body body) {
  Random random(seed);
  for (const Case& one : cases) {
    m.in_model(with_state(one.sample.text, one.sample.view(), one.state));
    Path path(one.sample.view(), one.state, random);
    body(one, path, random);
  }
}

}  // namespace polyform::host::conformance

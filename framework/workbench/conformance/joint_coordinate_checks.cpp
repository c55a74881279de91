// Coordinates and orientation of a joint from its pose, and the pose from these, also over several turns.
#include "framework/workbench/conformance/joint_probe.hpp"

namespace polyform::host::inline conformance {

namespace {

/// Takes q from its own pose, with a hint nearby, and compares.
void see_round_trip(const JointData& joint, const Numbers& q, const Numbers& v, Random& random, Measure& m) {
  const JointMotion now = motion(joint, q, v);
  const Numbers found = coordinates(joint, now.R_FM, now.p_FM, displaced(joint, q, random.numbers(joint.nv, 0.1)));
  m.see(0, "");
  for (std::size_t k = 0; k < joint.nq; ++k)
    m.see(std::abs(found[k] - q[k]) / (1 + std::abs(q[k])),
          [&] { return fmt::format("q[{}] = {:.6g} is found as {:.6g} {}", k, q[k], found[k], at(q, v)); });
}

/// The largest turn of the joint per length of its way, rad/m, over its velocity coordinates and these places.
double bend(const JointData& joint, std::initializer_list<const Numbers*> places) {
  double most = 0;
  for (const Numbers* q : places)
    for (std::size_t k = 0; k < joint.nv; ++k) {
      Numbers unit(joint.nv);
      unit[k] = 1;
      const Spatial twist = motion(joint, *q, unit).twist;
      if (norm(twist.linear) > 0) most = std::max(most, norm(twist.angular) / norm(twist.linear));
    }
  return most;
}

/// Follows the pose along a motion of one velocity coordinate over several turns. The steps become so short that the
/// change of the pose in each is that of the twist, by Simpson's rule. If no step is short enough, the pose jumps.
void see_steady(const JointData& joint, Numbers q, const Numbers& v, Measure& m) {
  constexpr double tolerance = 1e-4, longest = 0.05, shortest = 1e-9, way = 15;
  constexpr int most_steps = 600;
  JointMotion before = motion(joint, q, v);
  double step = longest, gone = 0;
  for (int i = 0; i < most_steps && gone < way; ++i) {
    const Spatial middle = motion(joint, flowed(joint, q, v, step / 2), v).twist;
    Numbers next = flowed(joint, q, v, step);
    joint_normalize(joint, next.data());
    const JointMotion now = motion(joint, next, v);
    const Spatial change = (step / 6) * (before.twist + 4 * middle + now.twist);
    const Vec3 turn = rotation_vector(quaternion_of(now.R_FM * transpose(before.R_FM)));
    const double error =
        larger(norm(turn - change.angular), norm(now.p_FM - before.p_FM - change.linear)) / (1 + norm6(now.twist));
    if (!(error <= tolerance) && step > shortest) {
      step /= 4;
      continue;
    }
    m.see(error, [&] { return "it jumps " + at(next, v); });
    if (!(error <= tolerance)) return;
    q = next;
    before = now;
    gone += step;
    if (error < tolerance / 100) step = std::min(2 * step, longest);
  }
}

}  // namespace

void check_joint_coordinates(const std::vector<Sample>& samples, Checklist& list) {
  list.claim("coordinates follow from the pose", 1e-9,
             "coordinates() must find q from R_FM and p_FM of q itself, nearest to the q given", [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random& random) {
                 see_round_trip(joint, q, v, random, m);
               });
             });
  list.claim("coordinates follow from the pose after several turns to either side", 1e-9,
             "coordinates() must add whole turns to an angle, up to the q given", [&](Measure& m) {
               std::size_t state = 0;
               at_states(samples, m,
                         [&](const JointData& joint, const Numbers& q, const Numbers& v, Random& random,
                             const JointSizes& sizes) {
                           if (joint.nv == 0 || sizes.bounded()) return m.see(0, "");
                           constexpr double turn = 6.283185307179586;
                           constexpr double turns[] = {1, -1, 3, -3};
                           Numbers along(joint.nv);
                           along[state % joint.nv] = turn * turns[state / joint.nv % 4];
                           ++state;
                           see_round_trip(joint, flowed(joint, q, along, 1), v, random, m);
                         });
             });
  list.claim("a pose off the joint by 1 mm and 1 mrad gives coordinates of a pose near by", 0.05,
             "coordinates() must bear poses that the joint cannot have: loops are closed from there", [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random& random) {
                 constexpr double off = 1e-3;
                 const JointMotion now = motion(joint, q, v);
                 const Mat3 R = rotation_matrix(from_rotation_vector(off * random.direction())) * now.R_FM;
                 const Vec3 p = now.p_FM + off * random.direction();
                 const Numbers found = coordinates(joint, R, p, q);
                 const JointMotion near = motion(joint, found, v);
                 // Along a curve the place found may lie on by a part of the offset, where the curve has turned.
                 Numbers middle(q);
                 for (std::size_t k = 0; k < joint.nq; ++k) middle[k] = 0.5 * (q[k] + found[k]);
                 joint_normalize(joint, middle.data());
                 const double turned = 3 * off * bend(joint, {&q, &middle, &found});
                 m.see(larger(std::max(0.0, distance(near.R_FM, R) - turned), norm(near.p_FM - p)),
                       [&] { return at(q, v); });
               });
             });
  list.claim("the pose follows q without jumps, over several turns", 1e-4,
             "R_FM and p_FM must depend on q itself: an angle within one turn has lost the others", [&](Measure& m) {
               std::size_t state = 0;
               at_states(
                   samples, m,
                   [&](const JointData& joint, const Numbers& q, const Numbers&, Random&, const JointSizes& sizes) {
                     if (joint.nv == 0 || sizes.bounded()) return m.see(0, "");
                     Numbers along(joint.nv);
                     along[state % joint.nv] = state / joint.nv % 2 == 0 ? 1 : -1;
                     ++state;
                     see_steady(joint, q, along, m);
                   });
             });
  list.claim("the orientation is that of the pose and follows q without jumps", 1e-11,
             "orientation() must give the quaternion of R_FM and keep its sign along a motion", [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, Numbers q, const Numbers& v, Random&) {
                 Quat before = joint_orientation(joint, q.data());
                 for (int step = 0; step < 40; ++step) {
                   q = flowed(joint, q, v, 0.1);
                   joint_normalize(joint, q.data());
                   const Quat now = joint_orientation(joint, q.data());
                   m.see(distance(rotation_matrix(now), motion(joint, q, v).R_FM), [&] { return at(q, v); });
                   m.see(dot(now, before) > 0.5 ? 0 : 1, [&] { return "it jumps " + at(q, v); });
                   before = now;
                 }
               });
             });
}

}  // namespace polyform::host::conformance

// What a joint says of its own motion: pose, H, bias and N, by differences along its own coordinates.
#include <Eigen/SVD>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/joint_probe.hpp"
#include "framework/workbench/conformance/measured_rate.hpp"
#include "polyform/mechanics/constraint.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The pose as twelve numbers: the axes of M, then its origin.
Eigen::VectorXd pose_numbers(const JointMotion& m) {
  Eigen::VectorXd all(12);
  for (Eigen::Index i = 0; i < 9; ++i) all[i] = m.R_FM.m[i];
  all.tail<3>() << m.p_FM.x, m.p_FM.y, m.p_FM.z;
  return all;
}
/// The rate of the pose that belongs to a twist.
Eigen::VectorXd pose_rates(const Spatial& twist, const Mat3& R_FM) {
  JointMotion rates;
  rates.R_FM = skew(twist.angular) * R_FM;
  rates.p_FM = twist.linear;
  return pose_numbers(rates);
}

Eigen::VectorXd numbers_of(const Spatial& s) {
  Eigen::VectorXd all(6);
  for (std::size_t i = 0; i < 6; ++i) all[static_cast<Eigen::Index>(i)] = s[i];
  return all;
}

/// How far a twist lies from the rate of the pose that q has at each time, its parts relative to their own sizes.
template <class Coordinates>
double twist_error(const JointData& joint, const Spatial& twist, const Mat3& R_FM, const Numbers& v, double tolerance,
                   Coordinates q_at) {
  Eigen::VectorXd scale(12);
  scale << Eigen::VectorXd::Constant(9, norm(twist.angular)), Eigen::VectorXd::Constant(3, norm(twist.linear));
  return largest(rate_errors(pose_rates(twist, R_FM), scale, tolerance,
                             [&](double t) { return pose_numbers(motion(joint, q_at(t), v)); }));
}

double smallest_part(const JointData& joint, const JointMotion& m) {
  Eigen::MatrixXd H(6, static_cast<Eigen::Index>(joint.nv));
  for (std::size_t k = 0; k < joint.nv; ++k)
    for (std::size_t i = 0; i < 6; ++i) H(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = m.H[k][i];
  const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(H).singularValues();
  return s[0] > 0 ? s[s.size() - 1] / s[0] : 0;
}

/// All that a joint gives at a state.
Numbers numbers_of(const JointData& joint, const Numbers& q, const Numbers& v) {
  const JointMotion m = motion(joint, q, v);
  Numbers all(std::begin(m.R_FM.m), std::end(m.R_FM.m));
  const auto add = [&](const Vec3& x) { all.insert(all.end(), {x.x, x.y, x.z}); };
  add(m.p_FM);
  for (const Spatial& s : {m.twist, m.bias}) add(s.angular), add(s.linear);
  for (std::size_t k = 0; k < joint.nv; ++k) add(m.H[k].angular), add(m.H[k].linear);
  const Numbers qdot = position_rates(joint, q, v), found = coordinates(joint, m.R_FM, m.p_FM, q);
  const Quat o = joint_orientation(joint, q.data());
  all.insert(all.end(), {o.w, o.x, o.y, o.z});
  for (const Numbers* list : {&qdot, &found}) all.insert(all.end(), list->begin(), list->end());
  return all;
}

void check_finite(const std::vector<Sample>& samples, Checklist& list) {
  list.claim("everything it gives is a finite number", 0,
             "guard divisions by lengths that may be zero, and roots and arcs of what may leave their range",
             [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random&) {
                 m.see(all_finite(numbers_of(joint, q, v)) ? 0 : 1, [&] { return at(q, v); });
               });
               // As drawn, where many a quotient is none.
               for (const Sample& sample : samples) {
                 const JointData& joint = tested_joint(sample.view());
                 const Numbers q = neutral(joint), rest(joint.nv), v(joint.nv, 1);
                 for (const Numbers& speed : {rest, v}) {
                   m.in_model(with_state(sample.text, joint, q, speed));
                   m.see(all_finite(numbers_of(joint, q, speed)) ? 0 : 1, [&] { return "as drawn, " + at(q, speed); });
                 }
               }
             });
}

void check_derivatives(const std::vector<Sample>& samples, Checklist& list) {
  list.claim("as drawn, its coordinates are neutral and its pose is the identity", 1e-12,
             "evaluate() must give R_FM = 1 and p_FM = 0 at what neutral() writes", [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers&, const Numbers& v, Random&) {
                 if (rheonomic_kernel(joint) != nullptr) return m.see(0, "");  // it may begin elsewhere
                 const Numbers q = neutral(joint);
                 const JointMotion now = motion(joint, q, v);
                 m.see(larger(distance(now.R_FM, Mat3::identity()), norm(now.p_FM)), [&] { return at(q, v); });
               });
             });
  list.claim(
      "H is the rate of the pose along dq/dt = N(q) v", 1e-8,
      "a column of H, or position_rates(), does not belong to R_FM and p_FM: H is in F axes, its linear part the "
      "velocity of M's origin in F",
      [&](Measure& m) {
        at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers&, Random&) {
          const auto see = [&](const Numbers& v, const Spatial& twist, const std::string& what) {
            const JointMotion now = motion(joint, q, v);
            m.see(twist_error(joint, twist, now.R_FM, v, 1e-8, [&](double t) { return flowed(joint, q, v, t); }),
                  [&] { return fmt::format("{} {}", what, at(q, v)); });
          };
          const Spatial drift = joint_drift(joint, q.data());
          if (joint.nv == 0) see({}, drift, "the drift");
          for (std::size_t k = 0; k < joint.nv; ++k) {
            Numbers unit(joint.nv);
            unit[k] = 1;
            see(unit, motion(joint, q, unit).H[k] + drift, fmt::format("column {} of H", k));
          }
        });
      });
  list.claim("the twist is H v", 1e-12,
             "JointMotion::twist must be the sum of v[k] H[k], and where the joint depends on time its drift besides",
             [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random&) {
                 const JointMotion now = motion(joint, q, v);
                 Spatial error = now.twist - joint_drift(joint, q.data());
                 for (std::size_t k = 0; k < joint.nv; ++k) error -= v[k] * now.H[k];
                 m.see(norm6(error) / (1 + norm6(now.twist)), [&] { return at(q, v); });
               });
             });
  list.claim(
      "the bias is the rate of H times v", 1e-7,
      "JointMotion::bias must be dH/dt v at constant v, differentiated in F, and the rate of the drift besides",
      [&](Measure& m) {
        at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random&) {
          const Spatial bias = motion(joint, q, v).bias;
          Eigen::VectorXd scale(6);
          scale << Eigen::VectorXd::Constant(3, norm(bias.angular)), Eigen::VectorXd::Constant(3, norm(bias.linear));
          const auto twist = [&](double t) { return numbers_of(motion(joint, flowed(joint, q, v, t), v).twist); };
          m.see(largest(rate_errors(numbers_of(bias), scale, 1e-7, twist)), [&] { return at(q, v); });
        });
      });
  list.claim("N is linear in v", 1e-12, "position_rates() must give N(q) v with N a function of q alone",
             [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random& random) {
                 const Numbers w = random.numbers(joint.nv, 2);
                 Numbers sum(joint.nv);
                 for (std::size_t k = 0; k < joint.nv; ++k) sum[k] = v[k] - 3 * w[k];
                 const Numbers a = position_rates(joint, q, v), b = position_rates(joint, q, w),
                               both = position_rates(joint, q, sum);
                 m.see(0, "");
                 const std::size_t own = own_positions(joint);
                 for (std::size_t k = 0; k < own; ++k)
                   m.see(std::abs(both[k] - a[k] + 3 * b[k]) / (1 + std::abs(both[k])), [&] { return at(q, v); });
                 if (own < joint.nq)
                   m.see(both[own] == 1 ? 0 : 1, [&] { return "the rate of the time is not 1 " + at(q, v); });
               });
             });
  list.claim("the columns of H are independent", 0,
             "two velocity coordinates move the joint alike: the type declares more of them than it has freedoms",
             [&](Measure& m) {
               at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random&) {
                 const bool dependent = joint.nv > 0 && smallest_part(joint, motion(joint, q, v)) < 1e-6;
                 m.see(dependent ? 1 : 0, [&] { return at(q, v); });
               });
             });
}

/// For a code-defined joint: its kernel gets batches.
void check_batches(const std::vector<Sample>& samples, Checklist& list) {
  list.claim("instances in one batch give what each gives alone, the same every time", 1e-13,
             "evaluate() must take parameters, q and v of its own instance, and keep nothing between calls",
             [&](Measure& m) {
               Random random(5);
               std::vector<JointData> joints;
               Numbers q, v;
               for (const Sample& sample : samples) {
                 JointData joint = tested_joint(sample.view());
                 const JointSizes sizes = sizes_of(*sample.system, joint);
                 const Numbers own_q = random_coordinates(joint, sizes, random),
                               own_v = random_velocities(joint, sizes, 2, random);
                 joint.q_offset = q.size();
                 joint.v_offset = v.size();
                 q.insert(q.end(), own_q.begin(), own_q.end());
                 v.insert(v.end(), own_v.begin(), own_v.end());
                 joints.push_back(joint);
               }
               JointMotions together(joints);
               for (int round = 0; round < 2; ++round) {
                 together.evaluate(q.data(), v.data());
                 for (std::size_t i = 0; i < joints.size(); ++i) {
                   JointMotion alone;
                   joint_motion(joints[i], q.data() + joints[i].q_offset, v.data() + joints[i].v_offset, alone);
                   const JointMotion& in_batch = together[i];
                   double error = larger(distance(alone.R_FM, in_batch.R_FM), norm(alone.p_FM - in_batch.p_FM));
                   error = larger({error, norm6(alone.twist - in_batch.twist), norm6(alone.bias - in_batch.bias)});
                   for (std::size_t k = 0; k < joints[i].nv; ++k)
                     error = larger(error, norm6(alone.H[k] - in_batch.H[k]));
                   m.see(error, [&] { return fmt::format("instance {} of {}", i, joints.size()); });
                 }
               }
             });
}

/// For a code-defined joint: kernels keep nothing, because solvers in several threads use the same one.
void check_static_memory(const JointType& type, const std::vector<Sample>& samples, Checklist& list) {
  Random random(83);
  const auto call = [&](const Sample& sample) {
    const JointData& joint = tested_joint(sample.view());
    const JointSizes sizes = sizes_of(*sample.system, joint);
    const Numbers q = random_coordinates(joint, sizes, random);
    numbers_of(joint, q, random_velocities(joint, sizes, 2, random));
  };
  claim_no_static_writing(
      &type, list, [&] { call(samples.front()); }, [&] { call(samples.back()); });
}

/// For a code-defined joint: all functions of the kernel.
void check_allocation(const std::vector<Sample>& samples, Checklist& list) {
  claim_no_allocation(list, "its kernel allocates nothing", "use arrays of fixed size on the stack", [&](Measure& m) {
    at_states(samples, m, [&](const JointData& joint, const Numbers& q, const Numbers& v, Random&) {
      JointMotion now;
      Numbers found = q, qdot(joint.nq);
      see_allocations(allocations_of([&] {
                        joint_motion(joint, q.data(), v.data(), now);
                        joint_position_rates(joint, q.data(), v.data(), qdot.data());
                        joint_coordinates(joint, now.R_FM, now.p_FM, found.data());
                        joint_orientation(joint, q.data());
                        joint_neutral(joint, found.data());
                      }),
                      m);
    });
  });
}

}  // namespace

const JointData& tested_joint(const SystemView& view) {
  return *std::ranges::find(view.joints, tested, &JointData::name);
}

void check_joint_motion(const JointType& type, const Bench& bench, const std::vector<Sample>& samples,
                        Checklist& list) {
  check_finite(samples, list);
  check_derivatives(samples, list);
  check_joint_coordinates(samples, list);
  check_joint_drawing(type, bench, samples, list);
  if (tested_joint(samples.front().view()).kernel == nullptr) return;
  check_batches(samples, list);
  check_static_memory(type, samples, list);
  check_allocation(samples, list);
}

}  // namespace polyform::host::conformance

#include "framework/workbench/linearization/multi_blade.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/linearization/minimal_coordinates.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using std::numbers::pi;

constexpr double azimuth_tolerance = 1e-3;  ///< rad

/// T(ψ) and its first two derivatives.
struct Transformation {
  MatrixXd T, T1, T2;
};
Transformation transformation(std::size_t n, double psi) {
  const Index m = static_cast<Index>(n);
  Transformation out{MatrixXd::Zero(m, m), MatrixXd::Zero(m, m), MatrixXd::Zero(m, m)};
  for (Index b = 0; b < m; ++b) {
    const double azimuth = psi + 2 * pi * static_cast<double>(b) / static_cast<double>(n);
    out.T(b, 0) = 1;
    for (Index k = 1; 2 * k < m; ++k) {
      const double h = static_cast<double>(k), c = std::cos(h * azimuth), s = std::sin(h * azimuth);
      out.T.row(b).segment(2 * k - 1, 2) << c, s;
      out.T1.row(b).segment(2 * k - 1, 2) << -h * s, h * c;
      out.T2.row(b).segment(2 * k - 1, 2) << -h * h * c, -h * h * s;
    }
    if (n % 2 == 0) out.T(b, m - 1) = b % 2 == 0 ? 1 : -1;
  }
  return out;
}

/// What the names have in common: the longest beginning and end of all of them.
std::string common_name(const std::vector<std::string>& names) {
  std::size_t head = names[0].size(), tail = names[0].size();
  for (const std::string& name : names) {
    std::size_t k = 0;
    while (k < std::min(head, name.size()) && name[k] == names[0][k]) ++k;
    head = k;
    k = 0;
    while (k < std::min(tail, name.size()) && name[name.size() - 1 - k] == names[0][names[0].size() - 1 - k]) ++k;
    tail = k;
  }
  tail = std::min(tail, names[0].size() - head);
  return names[0].substr(0, head) + names[0].substr(names[0].size() - tail);
}

std::string part_name(std::size_t k, std::size_t n) {
  if (k == 0) return "collective";
  if (n % 2 == 0 && k == n - 1) return "differential";
  return fmt::format("{}[{}]", k % 2 == 1 ? "cosine" : "sine", (k + 1) / 2);
}

class Transformer {
 public:
  Transformer(const System& system, const OperatingPoint& point, Linearization& linear)
      : system_(system), point_(point), linear_(linear), tree_(system.view()) {
    const CanonicalState& s = point.state;
    tree_.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
    const Index n = linear.A.value.rows();
    P_ = MatrixXd::Identity(n, n);
    rate_ = MatrixXd::Zero(n, n);
  }

  void add(const Rotor& rotor) {
    const std::size_t n = rotor.blades.size();
    if (n < 3)
      throw Failure(Exit::bad_input, "--multi-blade: a rotor has three blades or more",
                    "Give hub=blade1,blade2,blade3: the joint that turns the rotor, and a joint of each blade.");
    const std::size_t hub = hub_joint(rotor.hub);
    std::vector<std::size_t> positions, velocities;
    for (const std::string& blade : rotor.blades) {
      positions.push_back(position_state(blade));
      velocities.push_back(velocity_of(positions.back()));
    }
    check_azimuths(hub, rotor, positions);
    const JointData& joint = system_.view().joints[hub];
    const double psi = point_.state.q[joint.q_offset], omega = point_.state.v[joint.v_offset];
    const double alpha = hub_acceleration(joint);
    const Transformation t = transformation(n, psi);
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t k = 0; k < n; ++k) {
        const Index i = static_cast<Index>(b), j = static_cast<Index>(k);
        const Index q = static_cast<Index>(positions[b]), qk = static_cast<Index>(positions[k]),
                    v = static_cast<Index>(velocities[b]), vk = static_cast<Index>(velocities[k]);
        P_(q, qk) = P_(v, vk) = t.T(i, j);
        P_(v, qk) = omega * t.T1(i, j);
        rate_(q, qk) = rate_(v, vk) = omega * t.T1(i, j);
        rate_(v, qk) = omega * omega * t.T2(i, j) + alpha * t.T1(i, j);
      }
    rename(positions);
    rename(velocities);
  }

  void apply() {
    const MatrixXd inverse = inverse_of(P_);
    const auto both = [&](Linearization::Matrix& M, const MatrixXd& left, const MatrixXd& right, const MatrixXd& less) {
      M.value = (left * (M.value * right - less)).eval();
      M.error = (left.cwiseAbs() * M.error * right.cwiseAbs()).eval();
    };
    const Index inputs = linear_.B.value.cols(), outputs = linear_.C.value.rows(), n = P_.rows();
    both(linear_.A, inverse, P_, rate_);
    both(linear_.B, inverse, MatrixXd::Identity(inputs, inputs), MatrixXd::Zero(n, inputs));
    both(linear_.C, MatrixXd::Identity(outputs, outputs), P_, MatrixXd::Zero(outputs, n));
    Eigen::Map<Eigen::VectorXd> values(linear_.values.data(), n), rates(linear_.rates.data(), n);
    values = (inverse * values).eval();
    rates = (inverse * (rates - rate_ * values)).eval();
  }

 private:
  [[noreturn]] static void refuse(const std::string& message, const std::string& remedy) {
    throw Failure(Exit::bad_input, "--multi-blade: " + message, remedy);
  }

  std::size_t hub_joint(const std::string& name) const {
    const SystemView& view = system_.view();
    std::vector<std::string_view> names;
    for (std::size_t j = 0; j < view.joints.size(); ++j) {
      names.push_back(view.joints[j].name);
      if (names.back() != name) continue;
      if (view.joints[j].primitives.size() == 1 && view.joints[j].primitives[0].kind == Primitive::Kind::rotation)
        return j;
      refuse(fmt::format("joint `{}` does not turn about one axis, so it is no hub", name), "Name a revolute joint.");
    }
    refuse("there is no joint " + show(name), did_you_mean(name, names) + "Joints: " + listing(names) + ".");
  }

  std::size_t position_state(const std::string& name) const {
    std::vector<std::string_view> names;
    std::size_t found = linear_.positions;
    for (std::size_t k = 0; k < linear_.positions; ++k) {
      names.push_back(linear_.states[k].name);
      const std::string_view object = names.back().substr(0, names.back().rfind('.'));
      if (name != names.back() && name != object) continue;
      if (found < linear_.positions)
        refuse(fmt::format("{} has more than one coordinate", show(name)), "Name the coordinate, such as hinge.q[0].");
      found = k;
    }
    if (found == linear_.positions)
      refuse("there is no independent coordinate " + show(name),
             did_you_mean(name, names) + "Independent coordinates: " + listing(names) + ".");
    return found;
  }

  std::size_t velocity_of(std::size_t position) const {
    for (std::size_t k = 0; k < linear_.velocities; ++k)
      if (linear_.position_of_velocity[k] == position) return linear_.positions + k;
    refuse(fmt::format("the rate of {} is not independent", linear_.states[position].name),
           "Blades under nonholonomic constraints have no multi-blade coordinates.");
  }

  double hub_acceleration(const JointData& joint) const {
    for (std::size_t k = 0; k < linear_.velocities; ++k)
      if (linear_.states[linear_.positions + k].name == fmt::format("{}.v", joint.name))
        return linear_.rates[linear_.positions + k];
    return 0;
  }

  /// Mass centre of the body that carries a position state: the moving body of the joint, or the flexible body.
  Vec3 blade_centre(const std::string& state) const {
    const SystemView& view = system_.view();
    const std::string_view object = std::string_view(state).substr(0, state.rfind('.'));
    BodyIndex body = BodyIndex::ground;
    for (const JointData& joint : view.tree_joints())
      if (joint.name == object) body = joint.moving;
    for (std::size_t b = 0; b < view.bodies.size(); ++b)
      if (is_ground(body) && view.bodies[b].name == object) body = body_index(b);
    const BodyData& data = view.bodies[at(body)];
    double mass = data.mass;
    Vec3 moment = mass * data.center_of_mass;
    if (data.flexible != rigid) {
      const FlexibleData& f = view.flexible[data.flexible];
      double part = 0;
      Vec3 first;
      f.type->mass_moment(*f.instance, std::span(point_.state.eta).subspan(f.mode_offset, f.modes), part, first);
      mass += part;
      moment += first;
    }
    const BodyMotion& motion = tree_.bodies()[at(body)];
    return mass > 0 ? motion.p + motion.R * ((1 / mass) * moment) : motion.p;
  }

  /// The blades must stand at equal angles about the hub's axis, in the order of its positive rotation.
  void check_azimuths(std::size_t hub, const Rotor& rotor, const std::vector<std::size_t>& states) const {
    const JointData& joint = system_.view().joints[hub];
    const BodyMotion& base = motion_of(joint.base_frame, tree_.frames());
    const Vec3 axis = base.R * joint.primitives[0].axis, centre = base.p + base.R * joint.p_base;
    Vec3 ahead, across;
    for (std::size_t b = 0; b < states.size(); ++b) {
      Vec3 arm = blade_centre(linear_.states[states[b]].name) - centre;
      arm -= dot(arm, axis) * axis;
      constexpr double on_the_axis = 1e-9;  // of the length of the system
      if (norm(arm) < on_the_axis * length_scale(system_.view()))
        refuse(fmt::format("the mass centre of the blade of {} lies on the hub's axis, so it has no azimuth",
                           show(rotor.blades[b])),
               "Name joints that move the blades themselves.");
      if (b == 0) {
        ahead = (1 / norm(arm)) * arm;
        across = cross(axis, ahead);
      }
      const double wanted = 2 * pi * static_cast<double>(b) / static_cast<double>(states.size());
      const double azimuth = std::atan2(dot(arm, across), dot(arm, ahead));
      if (std::abs(std::remainder(azimuth - wanted, 2 * pi)) > azimuth_tolerance)
        refuse(fmt::format("blade {} stands at {:.1f} deg from the first, {:.1f} deg are expected",
                           show(rotor.blades[b]), azimuth * 180 / pi, std::remainder(wanted, 2 * pi) * 180 / pi),
               "Name equally spaced blades in the order of the hub's positive rotation.");
    }
  }

  void rename(const std::vector<std::size_t>& states) {
    std::vector<std::string> names;
    for (const std::size_t k : states) names.push_back(linear_.states[k].name);
    const std::string common = common_name(names);
    for (std::size_t k = 0; k < states.size(); ++k)
      linear_.states[states[k]].name = fmt::format("{}.{}", common, part_name(k, states.size()));
  }

  const System& system_;
  const OperatingPoint& point_;
  Linearization& linear_;
  TreeKinematics tree_;
  MatrixXd P_, rate_;  ///< P and Ṗ
};

}  // namespace

void use_multi_blade_coordinates(const System& system, const OperatingPoint& point, const std::vector<Rotor>& rotors,
                                 Linearization& linear) {
  if (rotors.empty()) return;
  Transformer transformer(system, point, linear);
  for (const Rotor& rotor : rotors) transformer.add(rotor);
  transformer.apply();
}

}  // namespace polyform::host::linearization

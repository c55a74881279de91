// Forces on bodies and joints that stand alone, evaluated through the SDK's force set.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "polyform/mechanics/force_set.hpp"
#include "tests/elements/field_set.hpp"
#include "tests/elements/random.hpp"
#include "tests/support/hand_built.hpp"

namespace polyform::test {

/// What all forces together do at an instant.
struct Load {
  std::vector<Spatial> wrenches;  ///< per body, at the frame origin
  std::vector<double> efforts;    ///< per joint velocity
  double potential_energy = 0, power = 0;
};

class ForceBench {
 public:
  BodyIndex add_body(const Pose& drawn) {
    poses_.push_back(drawn);
    return system_.add_body("body", drawn, 1, {}, {});
  }
  JointIndex add_joint(std::vector<Primitive> primitives) {
    return system_.add_joint("joint", BodyIndex::ground, BodyIndex::ground, {}, std::move(primitives));
  }
  /// Adds a code-defined joint, of which only the sizes matter.
  JointIndex add_code_joint(std::size_t nq, std::size_t nv) {
    const JointIndex index = add_joint({});
    system_.joint(index).nq = nq;
    system_.joint(index).nv = nv;
    code_joints_.push_back(index);
    return index;
  }
  /// Defines one more instance; groups of instances of a type are evaluated together. False when the type refused it.
  bool add(const ForceType& type, FieldSet fields, FieldSink& sink);
  bool add(const ForceType& type, FieldSet fields) {
    RecordingSink sink(type.fields());
    return add(type, std::move(fields), sink);
  }

  /// Evaluates all that was added before the first call.
  Load load(double t, std::span<const BodyMotion> bodies, std::span<const double> q = {},
            std::span<const double> v = {});

 private:
  struct Group {
    const ForceType* type;
    std::deque<FieldSet> fields;
    std::deque<std::vector<Marker>> markers;
    std::deque<std::vector<Pose>> drawn;
    std::deque<std::vector<JointShape>> shapes;
    std::vector<ElementInstance> instances;
    std::vector<JointIndex> joints;
  };
  Group& group_of(const ForceType&);

  HandBuilt system_;
  std::vector<Pose> poses_;
  std::vector<JointIndex> code_joints_;
  std::deque<Group> groups_;
  std::vector<ForceInstances> view_groups_;
  std::unique_ptr<ForceSet> set_;
};

/// The motions of all bodies at a time.
inline std::vector<BodyMotion> at(const std::vector<SmoothMotion>& motions, double t) {
  std::vector<BodyMotion> out;
  for (const SmoothMotion& m : motions) out.push_back(m.at(t));
  return out;
}

/// Power of the wrenches on the bodies.
inline double delivered(const Load& load, std::span<const BodyMotion> bodies) {
  double power = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) power += dot(load.wrenches[i], bodies[i].V);
  return power;
}

/// Turns and shifts everything.
inline std::vector<BodyMotion> in_other_frame(const std::vector<BodyMotion>& bodies, const Mat3& G, const Vec3& shift) {
  std::vector<BodyMotion> out;
  for (const BodyMotion& b : bodies) out.push_back({G * b.R, shift + G * b.p, {G * b.V.angular, G * b.V.linear}});
  return out;
}

inline TimeFunction constant(double c) {
  TimeFunction f;
  f.constant = c;
  return f;
}
inline TimeFunction sine(double amplitude, double phase) {
  TimeFunction f;
  f.kind = TimeFunction::Kind::sine;
  f.amplitude = amplitude;
  f.frequency = 0.3;
  f.phase = phase;
  return f;
}

}  // namespace polyform::test

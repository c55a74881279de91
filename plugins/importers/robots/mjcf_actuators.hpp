// Actuators of an MJCF model: what they do while their control is zero.
#pragma once

#include <array>
#include <string>

#include "mjcf_bodies.hpp"
#include "mjcf_tendons.hpp"

namespace polyform::importers {

class MjcfActuatorReader {
 public:
  /// acts: whether drives act at all.
  MjcfActuatorReader(MjcfSource& source, const MjcfBodies& bodies, const MjcfTendonReader& tendons, NameGiver& names,
                     Mechanism& m, bool acts)
      : source_(source), bodies_(bodies), tendons_(tendons), names_(names), m_(m), acts_(acts) {}

  void read();

 private:
  /// What the numbers of a drive say, as MuJoCo keeps them. All shortcuts write to the same ones, and so do defaults:
  /// one <position kp="5"/> there is the gain of a <velocity/> too.
  struct Drive {
    enum class Bias { none, affine, other };
    double gear = 1, gain = 1;
    std::array<double, 3> bias{};  ///< bias[0] + bias[1] length + bias[2] rate, where it is affine
    Bias type = Bias::none;
  };
  void read_one(const Element&);
  static void apply(const Element&, Drive&);
  void add(const Element&, const Drive&, const MjcfJoint&);
  void add(const Element&, const Drive&, const FixedTendon&);

  MjcfSource& source_;
  const MjcfBodies& bodies_;
  const MjcfTendonReader& tendons_;
  NameGiver& names_;
  Mechanism& m_;
  bool acts_;
};

}  // namespace polyform::importers

// Actuators of an MJCF model: what they do while their control is zero, and what the control adds.
#pragma once

#include <array>
#include <string>

#include "mjcf_bodies.hpp"
#include "mjcf_tendons.hpp"

namespace polyform::importers {

class MjcfActuatorReader {
 public:
  struct Parts {
    MjcfSource& source;
    Ledger& ledger;
    const MjcfBodies& bodies;
    const MjcfTendonReader& tendons;
    NameGiver& names;
    Mechanism& m;
    bool acts;            ///< whether drives act at all
    bool keeps_controls;  ///< as external signals
  };
  explicit MjcfActuatorReader(const Parts& parts) : parts_(parts) {}

  void read();

 private:
  /// What the numbers of a drive say, as MuJoCo keeps them. All shortcuts write to the same ones, and so do defaults:
  /// one <position kp="5"/> there is the gain of a <velocity/> too.
  struct Drive {
    enum class Bias { none, affine, other };
    double gear = 1, gain = 1;
    std::array<double, 3> bias{};  ///< bias[0] + bias[1] length + bias[2] rate, where it is affine
    Bias type = Bias::none;
    bool follows = true;  ///< its force is gain · control, at once
  };
  /// What it pulls at; neither if that is no sum of hinges and slides.
  struct Target {
    const MjcfJoint* joint = nullptr;
    const FixedTendon* tendon = nullptr;
  };
  void read_one(const Element&);
  Target target_of(const Element&);
  static void apply(const Element&, Drive&);
  void add_control(const Element&, const Drive&, const Target&);
  void add(const Element&, const Drive&, const MjcfJoint&);
  void add(const Element&, const Drive&, const FixedTendon&);

  Parts parts_;
};

}  // namespace polyform::importers

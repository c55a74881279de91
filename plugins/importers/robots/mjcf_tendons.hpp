// Tendons of an MJCF model: what their springs and dampers do.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mjcf_bodies.hpp"

namespace polyform::importers {

/// The name of a joint or signal as an argument of a formula, which stands in double quotes as a whole.
std::string name_in_formula(const std::string& name);

/// The length of a tendon that is a sum over joints: Σ factor · q, with q zero as drawn.
struct FixedTendon {
  struct Part {
    const MjcfJoint* joint;
    double factor;
  };
  std::vector<Part> parts;
  double at_drawn = 0;  ///< its length there

  /// Formulas of its length and its rate.
  std::string length() const;
  std::string rate() const;
  /// Adds the forces on its joints that a tension makes, which is a formula.
  void add_pull(Mechanism&, NameGiver&, const std::string& name, const std::string& tension) const;
};

class MjcfTendonReader {
 public:
  /// passive: whether springs and dampers act.
  MjcfTendonReader(MjcfSource& source, const MjcfBodies& bodies, NameGiver& names, Mechanism& m, bool passive)
      : source_(source), bodies_(bodies), names_(names), m_(m), passive_(passive) {}

  void read();
  /// By name in the file; nullptr if there is no such sum.
  const FixedTendon* fixed(const std::string& name) const;

 private:
  /// What a tendon's spring and damper are; lower and upper: between these lengths the spring is at rest.
  struct Spring {
    double stiffness = 0, damping = 0;
    bool is_given = false;  ///< the lengths; else those of the springs of the joints
    double lower = 0, upper = 0;
    bool acts() const { return stiffness > 0 || damping > 0; }
  };
  void read_fixed(const Element&);
  void read_spatial(const Element&);
  Spring spring_of(const Element&);
  double number(const Element&, const char* attribute, double otherwise);

  MjcfSource& source_;
  const MjcfBodies& bodies_;
  NameGiver& names_;
  Mechanism& m_;
  bool passive_;
  std::map<std::string, FixedTendon> fixed_;
  int unnamed_ = 0;
};

}  // namespace polyform::importers

// Armatures of MJCF: inertias along the coordinates of joints, as of rotors behind gears.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ledger.hpp"
#include "mechanism.hpp"

namespace polyform::importers {

class MjcfArmatures {
 public:
  /// names: of elements. All outlive the object.
  MjcfArmatures(Ledger& ledger, Mechanism& m, NameGiver& names) : ledger_(ledger), m_(m), names_(names) {}

  /// type: of the joint in the file. A rotor for a hinge or slide; for balls and free joints see finish().
  void add(double armature, const std::string& type, const Joint&, Place);
  /// Once all masses are known: those of balls and free joints on the world become inertias of their bodies.
  void finish();
  const std::map<std::string, double>& by_joint() const { return by_joint_; }

 private:
  struct OnBody {
    std::size_t body;
    double armature;
    bool is_free;
  };

  Ledger& ledger_;
  Mechanism& m_;
  NameGiver& names_;
  std::vector<OnBody> on_bodies_;
  std::map<std::string, double> by_joint_;
};

}  // namespace polyform::importers

// A problem with a known answer: a model and its expected results. apps/models/references/README.md describes the
// format.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"

namespace polyform::host::inline verification {

/// Largest errors allowed, by group of channels, absolute, in SI units.
using Tolerances = std::map<std::string, double>;

struct ReferenceChannel {
  std::string name;            ///< as in the results
  std::vector<double> values;  ///< one per time
  Place place;                 ///< in the file
};

/// Numbers of one body or joint.
struct KnownNumbers {
  std::vector<double> values;
  Place place;  ///< in the file
};
using KnownByName = std::map<std::string, KnownNumbers>;

/// Known accelerations at the start, by body or joint.
struct ReferenceStart {
  KnownByName linear, angular, modal;  ///< of bodies
  KnownByName joint;                   ///< of joints' velocity coordinates
  Tolerances tolerance;                ///< of linear, angular, modal, joint
};

struct Reference {
  std::string name;  ///< the file's, without extension
  std::string file;
  std::string model;   ///< path of the model file
  std::string source;  ///< where the values come from
  bool slow = false;   ///< only in the long set
  std::vector<double> times;
  std::vector<ReferenceChannel> channels;
  Tolerances tolerance;
  std::vector<std::pair<double, Tolerances>> tolerance_after;  ///< tolerances from a time on, in the order of time
  std::optional<ReferenceStart> start;
};

/// The tolerance of a group at a time. There is one for every group that the reference has channels of.
double tolerance_at(const Reference&, const std::string& group, double time);

/// The group of a channel, by its component: position, orientation, velocity, angular_velocity, modal, modal_velocity,
/// joint, joint_velocity, force, moment, energy, constraint; module for variables and states of modules.
std::string group_of(const std::string& channel);

/// Nothing if the file is no reference: the diagnostics say what is wrong with it, and where.
std::optional<Reference> read_reference(const std::string& file, Diagnostics&);
/// The reference files *.json of a folder, by name. Failure (bad_input) if there is no such folder or no file in it.
std::vector<std::string> reference_files(const std::string& folder);
/// models/references in the data folder: in the build tree and in an installation.
std::string shipped_references();

}  // namespace polyform::host::verification

// A problem with a known answer: a model and what must come out of it. The format is told in
// apps/models/references/README.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace polyform::host {

/// Largest errors allowed, by group of channels, absolute, in SI units.
using Tolerances = std::map<std::string, double>;

struct ReferenceChannel {
  std::string name;            ///< as in the results
  std::vector<double> values;  ///< one per time
};

/// Known accelerations at the start: numbers by body or joint.
struct ReferenceStart {
  std::map<std::string, std::vector<double>> linear, angular, modal;  ///< of bodies
  std::map<std::string, std::vector<double>> joint;                   ///< of joints' velocity coordinates
  Tolerances tolerance;                                               ///< of linear, angular, modal, joint
};

struct Reference {
  std::string name;    ///< the file's, without extension
  std::string model;   ///< path of the model file
  std::string source;  ///< where the values come from
  bool slow = false;   ///< not among those that are run at every change
  std::vector<double> times;
  std::vector<ReferenceChannel> channels;
  Tolerances tolerance;
  std::vector<std::pair<double, Tolerances>> tolerance_after;  ///< others after a time, in the order of time
  std::optional<ReferenceStart> start;
};

/// The tolerance of a group at a time. Failure (bad_input) where the reference gives none.
double tolerance_at(const Reference&, const std::string& group, double time);

/// Failure (bad_input), with the file and the key, for a file that is no reference.
Reference read_reference(const std::string& file);
/// The references *.json of a folder, by name. Failure (bad_input) when there is no such folder or nothing in it.
std::vector<Reference> read_references(const std::string& folder);
/// <folder of the executable>/../share/polyform/models/references: in the build tree and in an installation.
std::string shipped_references();

}  // namespace polyform::host

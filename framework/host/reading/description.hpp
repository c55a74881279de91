// A model as it is written: the result of reading, in the names, the order and the assembled configuration of the file.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/flexible_body.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/contract/joint.hpp"
#include "polyform/contract/module.hpp"

namespace polyform::host::inline reading {

/// A place in the model file, from 1; 0 if not known.
struct Place {
  int line = 0, column = 0;
};

/// Values of an element's declared fields, one per FieldSpec, with their places. Bodies and joints in FieldValue are
/// numbered as in Description::bodies and ::joints.
struct Fields {
  std::vector<FieldValue> values;
  std::vector<Place> places;
};

/// What every item of the file has. path: bodies[3], chains[0], …
struct Item {
  std::string name;
  std::string path;
  Place place;
};

/// The motion of a body at the start, where it is not that of the drawing: of its frame, ground axes.
struct BodyStart {
  Pose pose;
  std::optional<Spatial> velocity;  ///< angular, and linear of the frame's origin
};

struct BodyItem : Item {
  const FlexibleBodyType* flexible = nullptr;  ///< nullptr for a rigid body
  Pose pose;                                   ///< frame in ground as drawn
  double mass = 0;
  Vec3 center_of_mass;
  Sym3 inertia;
  std::optional<Vec3> velocity;          ///< of the mass centre (flexible: of the frame origin), ground axes
  std::optional<Vec3> angular_velocity;  ///< ground axes
  std::optional<BodyStart> start;        ///< read where no joint ties the body to ground
  Fields fields;                         ///< of the flexible type
  std::vector<GeometricShape> geometry;  ///< what contacts touch; drawn too
  std::vector<GeometricShape> pictures;  ///< what is drawn alone
};

struct JointItem : Item {
  const JointType* type = nullptr;
  BodyIndex base = BodyIndex::ground, moving = BodyIndex::ground;
  bool cut = false;
  std::vector<double> initial_position, initial_velocity;  ///< empty when not given; sizes not yet checked
  bool starts_from_state = false;  ///< the velocity is that of a state, which replaces what the model says of bodies
  Place initial_place;
  Fields fields;
};

template <class Type>
struct ElementItem : Item {
  const Type* type = nullptr;
  Fields fields;
};
using ForceItem = ElementItem<ForceType>;
using ConstraintItem = ElementItem<ConstraintType>;
using ModuleItem = ElementItem<ModuleType>;

/// A named part of the system; may nest.
struct SubsystemItem : Item {
  std::vector<BodyIndex> bodies;
  std::size_t parent = static_cast<std::size_t>(-1);  ///< index into Description::subsystems
};

struct OptionPlace {
  Place name, value;
};
/// Defaults for the command line; empty if the file is silent.
struct SimulationItem {
  std::optional<double> duration, step, max_step, relative_tolerance, absolute_tolerance, output_interval;
  std::optional<std::string> integrator;
  std::vector<std::pair<std::string, std::string>> integrator_options;  ///< values as YAML text
  std::vector<OptionPlace> integrator_option_places;                    ///< one per option
  Place integrator_place, duration_place, step_place, max_step_place, output_interval_place;
};
struct SolverItem {
  std::optional<std::string> name;
  Place place;
  std::vector<std::pair<std::string, std::string>> options;  ///< values as YAML text
  std::vector<OptionPlace> option_places;                    ///< one per option
};

/// What a model says of its start: joints, bodies and states in its own order.
struct ModelStart {
  struct Joint {
    std::vector<double> position, velocity;
    bool from_state = false;
  };
  struct Body {
    std::optional<Vec3> velocity, angular_velocity;
    std::optional<BodyStart> start;
  };
  std::vector<Joint> joints;
  std::vector<Body> bodies;
  std::unordered_map<std::string, double> row;
  double time = 0;
};

/// Owns all text, lists and tables that FieldValue and GeometricShape point to; move only.
/// Its members are the entries of a model file, and one store for each kind of value that the fields point to.
struct Description {
  Description() = default;
  Description(Description&&) = default;
  Description& operator=(Description&&) = default;
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  std::string file;  ///< as named on the command line
  std::string name;
  double start_time = 0;  ///< what the clock shows at the start, s
  /// The row of results that the model starts from, by the names of its columns; empty if it starts from none.
  std::unordered_map<std::string, double> start_row;
  /// The model's own start, where another state has taken its place.
  std::optional<ModelStart> own_start;
  std::map<std::string, double, std::less<>> parameters;  ///< of the model; of its parts there are none left
  Vec3 gravity{0, 0, -9.81};
  bool lenient = false;  ///< inertias that no body can have are used, with a warning
  std::vector<GeometricShape> ground_geometry, ground_pictures;  ///< as of a body
  std::vector<BodyItem> bodies;
  std::vector<JointItem> joints;
  std::vector<ForceItem> forces;
  std::vector<ConstraintItem> constraints;
  std::vector<ModuleItem> modules;
  std::vector<SubsystemItem> subsystems;
  SimulationItem simulation;
  SolverItem solver;

  std::vector<std::shared_ptr<const ModuleType>> coupled;  ///< types of the coupled modules, each with one instance
  std::deque<std::string> texts;
  std::deque<std::vector<double>> numbers;
  std::deque<std::vector<TimeFunction>> functions;
  std::deque<std::vector<BodyIndex>> body_lists;
  std::deque<std::vector<Vec3>> point_lists;
  std::deque<std::vector<std::array<std::uint32_t, 3>>> face_lists;  ///< of meshes
  std::deque<std::vector<JointIndex>> joint_lists;
  std::vector<std::shared_ptr<const void>> made;  ///< formulas, and types of elements that follow them
};

}  // namespace polyform::host::reading

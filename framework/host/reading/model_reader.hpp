// The sections of a model file, one function or class each; reader.cpp puts them together.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/reading/field_reader.hpp"
#include "framework/host/reading/formulas.hpp"
#include "framework/host/reading/inertia.hpp"
#include "framework/host/reading/parts.hpp"
#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline reading {

/// Adds fields behind others: those of one element behind those of another that it is made one with.
inline void append(Fields& all, const Fields& more) {
  all.values.insert(all.values.end(), more.values.begin(), more.values.end());
  all.places.insert(all.places.end(), more.places.begin(), more.places.end());
}

/// What the sections share while one file is read.
struct Reading {
  const Catalog& catalog;
  Report& report;
  Description& model;
  Names names;
  std::vector<DoubtfulInertia> doubtful{};
  std::map<JointIndex, Unturned> unturned{};  ///< of the joints that have such coordinates
  FormulaReader formulas{names, model};
  FieldReader fields{names, model, &formulas};
};

/// The head of a chain, read before all else since its names may be used anywhere in the file.
struct ChainHead {
  std::string name;
  std::size_t count = 0;  ///< 0 when name or count are wrong, which is reported
  std::size_t first_body = 0, first_joint = 0;
};

/// Names and numbers of all bodies and joints, also those of chains; sizes Description::bodies and ::joints. One head
/// per chain.
std::vector<ChainHead> collect_names(Reading&, std::span<const Value> bodies, std::span<const Value> joints,
                                     const Value* chains);

/// ", in line 3" for messages; "" for what stands in no file, as in a model that a program has built.
inline std::string in_line(Place place) {
  return place.line > 0 ? ", in line " + std::to_string(place.line) : std::string();
}

/// How many items of this size this computer can hold.
std::size_t items_in_memory(std::size_t bytes_each);

/// The entries of a body beyond its name; also of a chain's template, which has no position.
void read_body_entries(Reading&, MapReader&, BodyItem&, bool in_chain);
/// Of these the velocities, and the mass properties.
void read_velocities(MapReader&, BodyItem&);
void read_mass_properties(MapReader&, BodyItem&, std::vector<DoubtfulInertia>&);
/// The entry `initial` of a joint.
void read_initial(const Value&, JointItem&);
/// The entries of a joint beyond its name; a chain's template has no base, moving and position.
void read_joint_entries(Reading&, MapReader&, JointItem&, bool in_chain);
/// Checks one chain and writes its bodies and joints.
void read_chain(Reading&, const Value&, const ChainHead&);

void read_forces(Reading&, std::span<const Value>);
/// The type that stands for instances of a type with these values (TypeVariants); the type itself where none does.
const ForceType* type_of(const ForceType&, const Fields&);
class BodyGroupNames;
/// The entry `contacts`, one map or a list of them: an instance of a type for each pair of bodies that no joint
/// connects, and for bodies and ground; or one for all of them together.
void read_contacts(Reading&, const BodyGroupNames&, const Value&);
/// Warns where two entries make surfaces of the same two bodies touch: their forces add up.
void warn_of_repeated_contacts(Reading&);
void read_constraints(Reading&, std::span<const Value>);
/// Items of the lists `modules` and `subsystems`, and parts that are subsystems. A subsystem under the key `modules`,
/// which it had before, is read with a note.
void read_modules_and_subsystems(Reading&, std::span<const Value> modules, std::span<const Value> subsystems,
                                 std::span<const PartSubsystem> of_parts);
/// Whether an item of `modules` is of the type `coupled`, which the host has itself.
bool is_coupled(const Value&);
/// Members and constraints of such an item; its name has been read.
void read_coupled(Reading&, MapReader&, ModuleItem&);
void read_simulation(const Value&, SimulationItem&);
void read_solver(const Value&, SolverItem&);

/// Puts a type of the host's own in the place of those of elements whose fields hold formulas of the state, and adds
/// the element of the signals. After all elements are read; reports formulas where only functions of time can stand.
void follow_formulas(Reading&, const Value* signals);

/// The list that a section holds, or nothing after a report.
bool is_list(const Value&, std::string_view what);

/// Type of that name among those loaded, or nullptr after a report of a missing plugin. `kind` is e.g. "joint";
/// `built_in` is a type that needs no plugin.
template <class Type>
const Type* find_type(const Value& type, const Named<Type>& loaded, std::string_view kind,
                      std::string_view built_in = {});

/// Reports that no plugin offers a type.
void report_missing_type(const Value& type, std::string_view name, std::string_view kind,
                         const std::vector<std::string_view>& known);

/// A value as YAML text that reads back as the same value.
std::string flow_text(const Node&);
/// The shapes of a body: those that contacts touch, and those with `visual`, which are drawn alone. Of a wrong one,
/// what could be read. The description keeps what they point to.
void read_geometry(const Value&, Description&, std::vector<GeometricShape>& geometry,
                   std::vector<GeometricShape>& pictures);
/// The entries of a mesh: `file` or `vertices` and `faces`, `scale`, `convex`.
void read_mesh(MapReader&, Description&, GeometricShape&);
/// The entries of a height field: `heights` or `file`, and `spacing`.
void read_height_field(MapReader&, Description&, GeometricShape&);
/// The entry `ground` of a model: what is fixed in ground and no body.
void read_ground(const Value&, Description&);

template <class Type>
const Type* find_type(const Value& type, const Named<Type>& loaded, std::string_view kind, std::string_view built_in) {
  const std::optional<std::string> name = read_text(type, "the name of a type");
  if (!name) return nullptr;
  if (const Type* found = find(loaded, *name)) return found;
  std::vector<std::string_view> known;
  if (!built_in.empty()) known.push_back(built_in);
  for (const auto& [offered, object] : loaded) known.push_back(offered);
  report_missing_type(type, *name, kind, known);
  return nullptr;
}

}  // namespace polyform::host::reading

// The mechanism that the readers of all formats make of a file, and its text in the format of model files.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ledger.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform::importers {

/// A frame in another, by its matrix: what poses are multiplied as.
struct Frame {
  Mat3 axes = Mat3::identity();
  Vec3 origin;

  friend Frame operator*(const Frame& a, const Frame& b) { return {a.axes * b.axes, a.origin + a.axes * b.origin}; }
  Vec3 operator()(const Vec3& point) const { return origin + axes * point; }
  Frame inverse() const { return {transpose(axes), -transpose_times(axes, origin)}; }
};

/// Rz(yaw) Ry(pitch) Rx(roll).
Mat3 roll_pitch_yaw(const Vec3& rpy);

/// Mass, mass centre and inertia about it.
struct MassProperties {
  double mass = 0;
  Vec3 center;
  Sym3 inertia;

  /// The same as seen from outside of a frame that it is given in.
  MassProperties in(const Frame&) const;
  /// Both together.
  MassProperties& operator+=(const MassProperties&);
};

/// A shape of a body or of ground.
struct Shape {
  enum class Kind { box, cylinder, sphere, mesh, capsule, ellipsoid, plane };
  Kind kind = Kind::box;
  Frame frame;          ///< in the body
  Vec3 size;            ///< edges of a box, half axes of an ellipsoid; of a mesh its scale along each axis
  double radius = 0;    ///< of a mesh the farthest that it reaches along an axis
  double length = 0;    ///< of a capsule between the centres of its half balls
  std::string mesh{};   ///< the entries of a mesh as they are written: its file, or its vertices and faces
  bool visual = false;  ///< drawn alone: no contact touches it
  bool convex = false;  ///< a mesh that stands for its hull
};

/// What the shapes of a body touch, as a file says it.
struct Touch {
  unsigned types = 1, takes = 1;  ///< bits: two bodies touch if one has a type that the other takes
  std::size_t model = 0;          ///< of several in a file
  bool itself = true;             ///< whether bodies of one model touch each other
  double friction = 0;            ///< coefficient
  double restitution = 0;
  std::size_t shapes = 0;  ///< how many touch
  Place place{};

  bool meets(const Touch& other) const {
    return ((types & other.takes) != 0 || (takes & other.types) != 0) &&
           (model != other.model || (itself && other.itself));
  }
  /// The shapes of both as those of one body.
  Touch& operator|=(const Touch& other);
};

inline constexpr std::string_view ground = "ground";
/// What is told of a name that is not kept as it is.
inline constexpr std::string_view name_is_changed =
    "changed: another has it, or it has marks other than _ - . : / @ + # ( )";

struct Body {
  std::string name;
  Frame frame;  ///< in ground, as drawn
  MassProperties mass;
  std::vector<Shape> shapes;
  std::optional<Vec3> velocity{}, angular_velocity{};
  Place place{};
  std::optional<Touch> touch{};  ///< nothing: nothing touches it
  bool is_aid = false;           ///< of no thing in the file
};

/// Names of bodies are those of Mechanism::bodies, or `ground`.
struct Joint {
  std::string name, type, base, moving;
  Vec3 position;  ///< in ground, as drawn
  std::optional<Vec3> axis{}, axis2{};
  std::vector<double> initial_position{}, initial_velocity{};
  bool cut = false;
};

/// The list of a model that an element stands in.
enum class Section { forces, constraints, modules, signals };

/// A force, constraint, module or signal: its fields as they are written.
struct ModelElement {
  Section section = Section::forces;
  std::string name, type;
  std::vector<std::pair<std::string, std::string>> fields;
};

/// Which bodies do not touch each other by the rules of a format, because of the joints between them. What moves as one
/// never touches itself.
enum class Neighbours {
  joined,     ///< that a joint connects
  merged,     ///< that a joint connects, with all that fixed joints make one with them
  of_mujoco,  ///< as `merged`, by joints of the tree alone, and what is fixed to ground touches what it carries
};

struct Mechanism {
  Neighbours neighbours = Neighbours::merged;
  std::string name, source;  ///< source: for the comment at the head
  std::optional<Vec3> gravity;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<ModelElement> elements;
  std::vector<Shape> ground_shapes{};
  std::optional<Touch> ground_touch{};
  std::vector<std::pair<std::string, std::string>> apart{};  ///< bodies that do not touch each other
  std::vector<std::string> contacts{};                       ///< entries of `contacts` as they are written
};

/// How numbers and names are written as values.
std::string written(double);
std::string written(const Vec3&);
std::string written(std::span<const double>);
std::string written_name(std::string_view);

/// The text with `_` in place of what is no UTF-8 or cannot be seen.
std::string printable_text(std::string_view);

/// Gives each thing a name that a model may have and that no other has.
class NameGiver {
 public:
  NameGiver() = default;
  explicit NameGiver(std::initializer_list<std::string> taken) : taken_(taken) {}
  /// `wanted` where it may be, or else one that is like it.
  std::string give(std::string_view wanted);
  bool is_taken(const std::string& name) const { return taken_.contains(name); }

 private:
  std::unordered_set<std::string> taken_;
};

/// Principal moments, the smallest first, and their axes as the columns of a rotation.
struct PrincipalInertia {
  Vec3 moments;
  Mat3 axes;
  /// The inertia in the axes that the principal ones are given in.
  Sym3 whole() const { return rotate(axes, Sym3{moments.x, moments.y, moments.z, 0, 0, 0}); }
};
PrincipalInertia principal(const Sym3&);
/// Whether no distribution of mass has this inertia, by more than rounding.
bool is_impossible(const Sym3&);
/// Reports on the inertias: bodies that have an impossible one, or none.
void note_inertias(const Mechanism&, Ledger&);
/// Takes away bodies that a fixed joint carries: their mass and shapes go to the body that carries them. Markers of
/// elements on them are not known here, so bodies in `kept` stay. Tells the ledger how many went.
void merge_fixed(Mechanism&, const std::unordered_set<std::string>& kept, Ledger&);
/// Whether all numbers are finite; an error tells of a body or joint where they are not.
bool check_finite(const Mechanism&, DiagnosticSink&, std::string_view file);
/// The model file.
std::string model_text(const Mechanism&);

}  // namespace polyform::importers

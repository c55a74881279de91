// A model on its way out: read from the host's JSON text, with the tree in which formats nest it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.hpp"
#include "mechanism.hpp"
#include "polyform/helpers/xml_text.hpp"

namespace polyform::importers {

using Json = nlohmann::json;

struct ExportedJoint {
  std::string name, type;
  std::size_t base = 0, moving = 0;  ///< numbers of bodies; Exported::world for ground
  Vec3 position, axis{0, 0, 1}, axis2{1, 0, 0};
  const Json* json = nullptr;
};

/// What a joint feels from forces, constraints and modules that a format can say at the joint.
struct JointEffects {
  std::vector<double> stiffness, damping, rest;
  double rotor = 0;                      ///< inertia, as the joint feels it
  std::optional<std::size_t> follows{};  ///< number of the joint that it is coupled to
  std::vector<double> coefficients{};
  std::string coupling{};  ///< name of the constraint
  struct Ends {
    std::optional<double> lower{}, upper{};
  };
  std::map<std::size_t, Ends> ends{};        ///< of the way of a coordinate
  std::optional<double> turn{};              ///< greatest angle of a ball
  std::map<std::size_t, double> friction{};  ///< effort of dry friction of a coordinate

  bool is_limited() const { return !ends.empty() || turn; }
  bool is_limited(std::size_t coordinate) const { return ends.contains(coordinate); }
  Ends ends_of(std::size_t coordinate) const { return is_limited(coordinate) ? ends.at(coordinate) : Ends{}; }
  bool rubs() const { return !friction.empty(); }
  double friction_of(std::size_t coordinate) const {
    return friction.contains(coordinate) ? friction.at(coordinate) : 0;
  }
};

class Exported {
 public:
  Exported(std::string_view model, Ledger& ledger);

  static constexpr std::size_t world = static_cast<std::size_t>(-1);
  const std::string& name() const { return name_; }
  const Vec3& gravity() const { return gravity_; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<ExportedJoint>& joints() const { return joints_; }
  /// The joint that carries a body from ground in the tree; its base or its moving body is the body.
  std::size_t carrier(std::size_t body) const { return carrier_[body]; }
  bool has_carrier(std::size_t body) const { return carrier_[body] != world; }
  /// Bodies in an order in which each comes after the one that carries it.
  const std::vector<std::size_t>& order() const { return order_; }
  /// The body that carries a body, or `world`.
  std::size_t inboard(std::size_t body) const;
  bool in_tree(std::size_t joint) const { return in_tree_[joint]; }
  Frame frame(std::size_t body) const { return body == world ? Frame{} : bodies_[body].frame; }
  const std::string& name_of(std::size_t body) const;
  JointEffects& effects(std::size_t joint) { return effects_[joint]; }

  /// Gives another name to bodies that have the one that the format keeps for ground, or that hold a mark of its own.
  void rename_bodies(std::string_view of_ground, std::string_view mark = {});
  /// Tells of forces, constraints and modules that no joint has taken up, and of what no format has a word for.
  void tell_rest();
  /// Tells of moving bodies that other programs refuse, but for those that are left out.
  void tell_refused(const std::vector<bool>& left_out);

 private:
  void read_bodies(const Json&);
  void read_joints(const Json&);
  void find_tree();
  void read_effects();
  void read_element(const char* section, const Json&);
  bool read_limit(const Json&, JointEffects&);
  std::vector<double> numbers(const Json&, std::size_t count) const;

  Ledger& ledger_;
  Json model_;
  std::string name_;
  Vec3 gravity_;
  std::vector<Body> bodies_;
  std::vector<ExportedJoint> joints_;
  std::map<std::string, std::size_t> body_number_, joint_number_;
  std::vector<std::size_t> carrier_, order_;
  std::vector<bool> in_tree_;
  std::vector<JointEffects> effects_;
};

/// A name that is not taken yet, which it is then: `wanted`, or else with a number behind it.
std::string free_name(const std::string& wanted, std::set<std::string>& taken);
/// The text with underscores in the place of a mark.
std::string without_mark(std::string text, std::string_view mark);
/// Three or more numbers with blanks between.
std::string spaced(std::initializer_list<double>);
std::string spaced(const Vec3&);
/// Roll, pitch and yaw of a matrix, such that Rz(yaw) Ry(pitch) Rx(roll) is the matrix.
Vec3 angles_of(const Mat3&);
/// Whether a number list is all zero.
bool all_zero(const std::vector<double>&);

}  // namespace polyform::importers

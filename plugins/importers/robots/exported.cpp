#include "exported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace polyform::importers {

namespace {

Vec3 vector_of(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }
Mat3 axes_of(const Json& json) { return rotation_matrix(Quat{json.at(0), json.at(1), json.at(2), json.at(3)}); }

}  // namespace

std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string free = wanted;
  for (int k = 2; !taken.insert(free).second; ++k) free = fmt::format("{}_{}", wanted, k);
  return free;
}

std::string without_mark(std::string text, std::string_view mark) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += mark.size())
    text.replace(at, mark.size(), mark.size(), '_');
  return text;
}

std::string spaced(std::initializer_list<double> all) {
  std::string text;
  for (const double x : all) text += (text.empty() ? "" : " ") + written(x);
  return text;
}
std::string spaced(const Vec3& v) { return spaced({v.x, v.y, v.z}); }

Vec3 angles_of(const Mat3& r) {
  // Next to a pitch of a quarter turn the yaw is rounding, and only its difference with the roll counts: the roll is
  // computed from this yaw and makes up for it.
  const double yaw = std::atan2(r(1, 0), r(0, 0)), sine = std::sin(yaw), cosine = std::cos(yaw);
  return {std::atan2(sine * r(0, 2) - cosine * r(1, 2), cosine * r(1, 1) - sine * r(0, 1)),
          std::atan2(-r(2, 0), cosine * r(0, 0) + sine * r(1, 0)), yaw};
}

bool all_zero(const std::vector<double>& all) {
  return std::ranges::all_of(all, [](double x) { return x == 0; });
}

Exported::Exported(std::string_view model, Ledger& ledger) : ledger_(ledger), model_(Json::parse(model)) {
  name_ = model_.value("name", "model");
  gravity_ = vector_of(model_.at("gravity"));
  for (const Json& body : model_.at("bodies")) read_bodies(body);
  for (const Json& joint : model_.at("joints")) read_joints(joint);
  find_tree();
  read_effects();
}

void Exported::rename_bodies(std::string_view of_ground, std::string_view mark) {
  std::set<std::string> taken{std::string(of_ground)};
  for (const Body& body : bodies_) taken.insert(body.name);
  for (Body& body : bodies_) {
    const std::string name = mark.empty() ? body.name : without_mark(body.name, mark);
    if (name == body.name && name != of_ground) continue;
    body.name = free_name(name, taken);
    ledger_.add(Treatment::converted, "names of bodies", "changed: the format has another use for them", {});
  }
}

void Exported::tell_refused(const std::vector<bool>& left_out) {
  // What no joint moves may be without mass. A joint of a body that is left out moves the body that it carries.
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const bool is_held =
        carrier_[i] != world && joints_[carrier_[i]].type == "fixed" && (inboard(i) == world || !left_out[inboard(i)]);
    if (left_out[i] || is_held) continue;
    const MassProperties& mass = bodies_[i].mass;
    const Vec3 moments = principal(mass.inertia).moments;
    if (!(mass.mass > 0) || !(moments.x > 1e-12 * moments.z))
      ledger_.add(Treatment::not_honoured, "moving bodies without mass or with a moment of 0",
                  "written as they are; MuJoCo and Gazebo refuse them", {});
  }
}

void Exported::read_bodies(const Json& json) {
  Body& body = bodies_.emplace_back();
  body.name = json.at("name");
  body_number_.emplace(body.name, bodies_.size() - 1);
  if (json.at("type") != "rigid")
    throw std::runtime_error(fmt::format("body '{}' is of type {}: the format has rigid bodies alone", body.name,
                                         json.at("type").get<std::string>()));
  body.frame = {axes_of(json.at("orientation")), vector_of(json.at("position"))};
  const Json& j = json.at("inertia");
  body.mass = {json.at("mass"), vector_of(json.at("center_of_mass")),
               Sym3{j.at("xx"), j.at("yy"), j.at("zz"), j.at("xy"), j.at("xz"), j.at("yz")}};
  ledger_.add(Treatment::honoured, "bodies", "", {});
  if (is_impossible(body.mass.inertia))
    ledger_.add(Treatment::not_honoured, "inertias that no body can have",
                "written as they are; MuJoCo and Gazebo refuse them", {});
  if (json.contains("velocity") || json.contains("angular_velocity"))
    ledger_.add(Treatment::not_honoured, "initial velocities of bodies", "the format has no initial motion", {});
  if (json.contains("geometry"))
    for (const Json& g : json.at("geometry")) {
      Shape shape;
      shape.frame = {axes_of(g.at("orientation")), vector_of(g.at("position"))};
      const std::string type = g.at("type");
      if (type == "box") {
        shape.size = vector_of(g.at("size"));
      } else if (type == "cylinder" || type == "sphere" || type == "capsule") {
        shape.kind = type == "sphere"    ? Shape::Kind::sphere
                     : type == "capsule" ? Shape::Kind::capsule
                                         : Shape::Kind::cylinder;
        shape.radius = g.at("radius");
        shape.length = g.value("length", 0.0);
      } else if (type == "ellipsoid") {
        shape.kind = Shape::Kind::ellipsoid;
        shape.size = vector_of(g.at("semi_axes"));
      } else {
        ledger_.add(Treatment::not_honoured, "shapes of type " + type, "", {});
        continue;
      }
      // URDF has no word for these two, and its writer tells what becomes of them.
      if (type != "capsule" && type != "ellipsoid") ledger_.add(Treatment::honoured, "shapes", "", {});
      body.shapes.push_back(shape);
    }
}

void Exported::read_joints(const Json& json) {
  ExportedJoint& joint = joints_.emplace_back();
  joint.name = json.at("name");
  joint.type = json.at("type");
  joint_number_.emplace(joint.name, joints_.size() - 1);
  const auto body = [&](const char* key) {
    const std::string name = json.at(key);
    return name == ground ? world : body_number_.at(name);
  };
  joint.base = body("base");
  joint.moving = body("moving");
  if (json.contains("position")) joint.position = vector_of(json.at("position"));
  if (json.contains("axis")) joint.axis = vector_of(json.at("axis"));
  if (json.contains("axis2")) joint.axis2 = vector_of(json.at("axis2"));
  joint.json = &json;
  ledger_.add(Treatment::honoured, "joints of type " + joint.type, "", {});
  if (json.contains("initial"))
    ledger_.add(Treatment::not_honoured, "initial states of joints", "the format has the drawn position alone", {});
}

std::size_t Exported::inboard(std::size_t body) const {
  const ExportedJoint& joint = joints_[carrier_[body]];
  return joint.moving == body ? joint.base : joint.moving;
}

const std::string& Exported::name_of(std::size_t body) const {
  static const std::string world_name = "world";
  return body == world ? world_name : bodies_[body].name;
}

/// Searches breadth first from ground, then from the first body of each part that nothing connects with ground. A joint
/// with `cut` is passed only if no other leads on.
void Exported::find_tree() {
  carrier_.assign(bodies_.size(), world);
  in_tree_.assign(joints_.size(), false);
  std::vector<bool> reached(bodies_.size());
  const auto is_reached = [&](std::size_t body) { return body == world || reached[body]; };
  const auto pass = [&](bool cut_ones) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const ExportedJoint& joint = joints_[j];
      if (!cut_ones && joint.json->value("cut", false)) continue;
      if (is_reached(joint.base) == is_reached(joint.moving)) continue;
      const std::size_t next = is_reached(joint.base) ? joint.moving : joint.base;
      reached[next] = true;
      carrier_[next] = j;
      in_tree_[j] = true;
      order_.push_back(next);
      return true;
    }
    return false;
  };
  while (order_.size() < bodies_.size()) {
    if (pass(false) || pass(true)) continue;
    const auto root = std::ranges::find(reached, false) - reached.begin();
    reached[static_cast<std::size_t>(root)] = true;
    order_.push_back(static_cast<std::size_t>(root));
  }
}

std::vector<double> Exported::numbers(const Json& json, std::size_t count) const {
  if (json.is_number()) return std::vector<double>(count, json.get<double>());
  auto all = json.get<std::vector<double>>();
  if (all.size() == 1) all.resize(count, all.front());
  return all;
}

void Exported::read_element(const char* section, const Json& json) {
  const std::string type = json.at("type");
  const auto refuse = [&] {
    const std::string what = type == "signals" ? type : fmt::format("{} of type {}", section, type);
    ledger_.add(Treatment::not_honoured, what, "the format has no word for them", {});
  };
  if (!json.contains("joint")) return refuse();
  const std::size_t j = joint_number_.at(json.at("joint"));
  JointEffects& effects = effects_[j];
  if (type == "joint-spring-damper") {
    static const std::map<std::string, std::size_t> counts{{"revolute", 1},    {"prismatic", 1}, {"universal", 2},
                                                           {"cylindrical", 2}, {"planar", 3},    {"spherical", 3},
                                                           {"free", 6}};
    const auto count = counts.find(joints_[j].type);
    if (count == counts.end()) return refuse();
    const std::size_t n = count->second;
    const auto k = numbers(json.value("stiffness", Json(0.0)), n), d = numbers(json.value("damping", Json(0.0)), n),
               r = numbers(json.value("rest", Json(0.0)), n);
    if (effects.stiffness.empty()) {
      effects.stiffness = k;
      effects.damping = d;
      effects.rest = r;
      return;
    }
    if (k.size() != effects.stiffness.size() || d.size() != effects.damping.size()) return refuse();
    // Two springs in one joint pull as one.
    for (std::size_t i = 0; i < n; ++i) {
      const double both = effects.stiffness[i] + k[i];
      if (both > 0) effects.rest[i] = (effects.stiffness[i] * effects.rest[i] + k[i] * r[i]) / both;
      effects.stiffness[i] = both;
      effects.damping[i] += d[i];
    }
  } else if (type == "rotor") {
    const double ratio = json.value("ratio", 1.0);
    effects.rotor += ratio * ratio * json.value("inertia", 0.0);
    if (const double friction = json.value("friction", 0.0); friction != 0) {
      if (effects.damping.empty()) effects.damping = effects.stiffness = effects.rest = {0};
      effects.damping[0] += ratio * ratio * friction;
    }
  } else if (type == "joint-limit") {
    if (!read_limit(json, effects)) refuse();
  } else if (type == "dry-friction" && json.value("effort", Json(0.0)).is_number() && json.value("ratio", 1.0) == 1 &&
             json.value("coefficient", 0.0) == 0) {
    if (const double effort = json.value("effort", 0.0); effort > 0)
      effects.friction[json.value("coordinate", std::size_t{0})] += effort;
  } else if (type == "joint-coupling" && !effects.follows && json.value("coordinate", 0) == 0 &&
             json.value("other_coordinate", 0) == 0 && json.at("joint") != json.at("other_joint")) {
    effects.follows = joint_number_.at(json.at("other_joint"));
    effects.coefficients =
        json.contains("coefficients") ? numbers(json.at("coefficients"), 1) : std::vector<double>{0, 1};
    effects.coupling = json.at("name");
  } else {
    refuse();
  }
}

/// False where no format has a word for the limit, or a joint has none for a second one.
bool Exported::read_limit(const Json& json, JointEffects& effects) {
  const std::size_t coordinate = json.value("coordinate", std::size_t{0});
  const bool is_turn = json.contains("turn");
  if (json.contains("cone") || (is_turn ? effects.turn.has_value() : effects.is_limited(coordinate))) return false;
  if (is_turn) {
    effects.turn = json.at("turn").get<double>();
  } else {
    JointEffects::Ends& ends = effects.ends[coordinate];
    if (json.contains("lower")) ends.lower = json.at("lower").get<double>();
    if (json.contains("upper")) ends.upper = json.at("upper").get<double>();
  }
  if (json.value("law", "hard") != "hard")
    ledger_.add(Treatment::not_honoured, "stiffness and damping of limits", "the ends of the way are kept", {});
  else if (json.value("restitution", 0.0) != 0)
    ledger_.add(Treatment::not_honoured, "restitution of limits", "the ends of the way are kept", {});
  return true;
}

void Exported::read_effects() {
  effects_.resize(joints_.size());
  for (const char* section : {"forces", "constraints", "modules"})
    for (const Json& json : model_.at(section)) read_element(section, json);
}

void Exported::tell_rest() {
  if (model_.contains("ground"))
    ledger_.add(Treatment::not_honoured, "shapes of ground", "what is written has bodies alone", {},
                model_.at("ground").at("geometry").size());
  if (model_.contains("subsystems"))
    ledger_.add(Treatment::not_honoured, "subsystems", "the format has no word for them", {},
                model_.at("subsystems").size());
}

}  // namespace polyform::importers

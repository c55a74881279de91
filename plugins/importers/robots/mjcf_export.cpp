#include "mjcf_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "exported.hpp"
#include "robot_formats.hpp"
#include "xml_file.hpp"

namespace polyform::importers {
namespace {

constexpr double no_limit = 1e16;                  ///< as far as no joint goes
constexpr int deepest = XmlFile::most_levels - 2;  ///< within <mujoco> and <worldbody>

class MjcfWriter {
 public:
  MjcfWriter(Exported& model, Ledger& ledger) : model_(model), ledger_(ledger) {}

  std::string write() {
    std::vector<std::vector<std::size_t>> carried(model_.bodies().size() + 1);
    model_.rename_bodies("world");
    for (const ExportedJoint& joint : model_.joints()) joint_names_.insert(joint.name);
    find_between();
    for (const std::size_t body : model_.order())
      if (!between_[body]) carried[std::min(outer(body), model_.bodies().size())].push_back(body);
    text_ = fmt::format(
        "<mujoco model=\"{}\">\n  <compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n"
        "  <option gravity=\"{}\"/>\n  <worldbody>\n",
        xml_text(model_.name()), spaced(model_.gravity()));
    // Bodies nest as they hang on one another; a stack of our own holds any depth.
    struct Level {
      std::size_t body;
      bool close;
    };
    std::vector<Level> todo;
    const auto push = [&](std::size_t of) {
      for (auto body = carried[of].rbegin(); body != carried[of].rend(); ++body) todo.push_back({*body, false});
    };
    push(model_.bodies().size());
    int open = 0;
    while (!todo.empty()) {
      const Level level = todo.back();
      todo.pop_back();
      if (level.close) {
        text_ += "</body>\n";
        --open;
        continue;
      }
      if (++open > deepest)
        ledger_.add(Treatment::not_honoured, fmt::format("bodies nested deeper than {} levels", deepest),
                    "written as they are; MuJoCo and Polyform refuse to read them", {});
      open_body(level.body);
      todo.push_back({level.body, true});
      push(level.body);
    }
    text_ += "  </worldbody>\n";
    write_equalities();
    model_.tell_rest();
    model_.tell_refused(between_);
    return text_ + "</mujoco>\n";
  }

 private:
  static std::string pose(const Frame& f) {
    const Quat q = quaternion_of(f.axes);
    return fmt::format("pos=\"{}\" quat=\"{}\"", spaced(f.origin), spaced({q.w, q.x, q.y, q.z}));
  }

  /// MuJoCo turns a full inertia into principal axes: it loses digits, and refuses one of 0.
  static std::string inertia(const Sym3& j) {
    if (j.xy == 0 && j.xz == 0 && j.yz == 0) return fmt::format("diaginertia=\"{}\"", spaced({j.xx, j.yy, j.zz}));
    return fmt::format("fullinertia=\"{}\"", spaced({j.xx, j.yy, j.zz, j.xy, j.xz, j.yz}));
  }

  std::size_t inboard(std::size_t body) const {
    return model_.has_carrier(body) ? model_.inboard(body) : Exported::world;
  }
  /// The body that a body nests in.
  std::size_t outer(std::size_t body) const {
    std::size_t at = inboard(body);
    while (at != Exported::world && between_[at]) at = inboard(at);
    return at;
  }

  /// Bodies without mass and shapes between two joints, which MuJoCo refuses: their joint becomes one more joint of the
  /// body that they carry.
  void find_between() {
    const std::size_t n = model_.bodies().size();
    std::vector<std::size_t> carries(n);
    for (std::size_t body = 0; body < n; ++body)
      if (const std::size_t by = inboard(body); by != Exported::world) {
        const std::string& type = model_.joints()[model_.carrier(body)].type;
        carries[by] += type == "revolute" || type == "prismatic" || type == "fixed" ? 1 : 2;
      }
    for (std::size_t j = 0; j < model_.joints().size(); ++j)
      for (const std::size_t end : {model_.joints()[j].base, model_.joints()[j].moving})
        if (!model_.in_tree(j) && end != Exported::world) carries[end] += 2;
    between_.assign(n, false);
    for (std::size_t body = 0; body < n; ++body) {
      const Body& b = model_.bodies()[body];
      const Sym3& i = b.mass.inertia;
      const bool is_nothing = b.mass.mass == 0 && i.xx == 0 && i.yy == 0 && i.zz == 0 && b.shapes.empty();
      if (!is_nothing || carries[body] != 1 || !model_.has_carrier(body)) continue;
      const std::string& type = model_.joints()[model_.carrier(body)].type;
      if (type != "revolute" && type != "prismatic") continue;
      between_[body] = true;
      ledger_.add(Treatment::converted, "bodies without mass between two joints", "their joint moves the next body",
                  {});
    }
  }

  void open_body(std::size_t number) {
    const Body& body = model_.bodies()[number];
    text_ += fmt::format("<body name=\"{}\" {}>\n", xml_text(body.name),
                         pose(model_.frame(outer(number)).inverse() * body.frame));
    const Sym3& j = body.mass.inertia;
    if (body.mass.mass != 0 || j.xx != 0 || j.yy != 0 || j.zz != 0)
      text_ += fmt::format("  <inertial pos=\"{}\" mass=\"{}\" {}/>\n", spaced(body.mass.center),
                           written(body.mass.mass), inertia(j));
    std::vector<std::size_t> moving{number};  // the innermost first
    for (std::size_t at = inboard(number); at != Exported::world && between_[at]; at = inboard(at))
      moving.push_back(at);
    while (!moving.empty()) {
      write_joint(moving.back(), number);
      moving.pop_back();
    }
    for (const Shape& shape : body.shapes) {
      const char* const type = shape.kind == Shape::Kind::box         ? "box"
                               : shape.kind == Shape::Kind::sphere    ? "sphere"
                               : shape.kind == Shape::Kind::capsule   ? "capsule"
                               : shape.kind == Shape::Kind::ellipsoid ? "ellipsoid"
                                                                      : "cylinder";
      const std::string size = shape.kind == Shape::Kind::box         ? spaced(0.5 * shape.size)
                               : shape.kind == Shape::Kind::sphere    ? spaced({shape.radius})
                               : shape.kind == Shape::Kind::ellipsoid ? spaced(shape.size)
                                                                      : spaced({shape.radius, shape.length / 2});
      if (shape.kind == Shape::Kind::capsule || shape.kind == Shape::Kind::ellipsoid)
        ledger_.add(Treatment::honoured, "shapes", "", {});
      text_ += fmt::format("  <geom type=\"{}\" size=\"{}\" {} contype=\"0\" conaffinity=\"0\"/>\n", type, size,
                           pose(shape.frame));
    }
  }

  /// The joint that carries a body, as a joint of the body `in`. One element for each coordinate; the first one has the
  /// joint's name.
  void write_joint(std::size_t body, std::size_t in) {
    if (!model_.has_carrier(body)) {
      text_ += "  <freejoint/>\n";
      ledger_.add(Treatment::converted, "bodies that nothing holds", "on a free joint", {});
      return;
    }
    const std::size_t number = model_.carrier(body);
    const ExportedJoint& joint = model_.joints()[number];
    const bool reversed = joint.moving != body;
    const double sign = reversed ? -1 : 1;
    const Frame frame = model_.frame(in);
    const Vec3 position = transpose_times(frame.axes, joint.position - frame.origin);
    const auto one = [&](const char* type, const Vec3& axis, std::size_t coordinate) {
      const std::string name =
          coordinate == 0 ? joint.name : free_name(fmt::format("{}_{}", joint.name, coordinate), joint_names_);
      text_ +=
          fmt::format("  <joint name=\"{}\" type=\"{}\" pos=\"{}\" axis=\"{}\"{}/>\n", xml_text(name), type,
                      spaced(position), spaced(transpose_times(frame.axes, sign * axis)), effects(number, coordinate));
    };
    if (joint.type == "fixed") return;
    if (joint.type == "revolute") return one("hinge", joint.axis, 0);
    if (joint.type == "prismatic") return one("slide", joint.axis, 0);
    if (joint.type == "spherical") {
      if (reversed) ledger_.add(Treatment::converted, "spherical joints towards ground", "turned round", {});
      text_ += fmt::format("  <joint name=\"{}\" type=\"ball\" pos=\"{}\"{}/>\n", xml_text(joint.name),
                           spaced(position), effects(number, 0));
      return;
    }
    if (joint.type == "free" && model_.inboard(body) == Exported::world) {
      if (reversed) ledger_.add(Treatment::converted, "free joints towards ground", "turned round", {});
      if (const std::string e = effects(number, 0); e.empty())
        text_ += fmt::format("  <freejoint name=\"{}\"/>\n", xml_text(joint.name));
      else
        text_ += fmt::format("  <joint name=\"{}\" type=\"free\"{}/>\n", xml_text(joint.name), e);
      return;
    }
    const bool several = joint.type == "universal" || joint.type == "cylindrical" || joint.type == "planar";
    if (!several)
      throw std::runtime_error(
          fmt::format("joint '{}' is of type {}, which MJCF does not have here", joint.name, joint.type));
    ledger_.add(Treatment::converted, fmt::format("joints of type {}", joint.type), "a joint for each coordinate", {});
    struct Motion {
      const char* type;
      Vec3 axis;
    };
    std::vector<Motion> motions;
    if (joint.type == "universal") motions = {{"hinge", joint.axis}, {"hinge", joint.axis2}};
    if (joint.type == "cylindrical") motions = {{"slide", joint.axis}, {"hinge", joint.axis}};
    if (joint.type == "planar")
      motions = {{"slide", joint.axis2}, {"slide", cross(joint.axis, joint.axis2)}, {"hinge", joint.axis}};
    for (std::size_t k = 0; k < motions.size(); ++k) {
      const std::size_t coordinate = reversed ? motions.size() - 1 - k : k;
      one(motions[coordinate].type, motions[coordinate].axis, coordinate);
    }
  }

  std::string effects(std::size_t number, std::size_t coordinate) {
    const JointEffects& e = model_.effects(number);
    std::string text;
    const auto value = [&](const std::vector<double>& all) { return coordinate < all.size() ? all[coordinate] : 0.0; };
    const bool ball = model_.joints()[number].type == "spherical" || model_.joints()[number].type == "free";
    if (ball && std::ranges::adjacent_find(e.damping, std::not_equal_to<>()) != e.damping.end())
      ledger_.add(Treatment::not_honoured, "unequal dampings of a ball", "MJCF has one number", {});
    if (ball && std::ranges::adjacent_find(e.stiffness, std::not_equal_to<>()) != e.stiffness.end())
      ledger_.add(Treatment::not_honoured, "unequal stiffnesses of a free joint", "MJCF has one number", {});
    if (ball && !all_zero(e.rest))
      ledger_.add(Treatment::not_honoured, "rest positions of springs of balls", "MJCF has the drawn one alone", {});
    if (const double k = value(e.stiffness); k != 0) {
      text += fmt::format(" stiffness=\"{}\"", written(k));
      if (const double rest = ball ? 0 : value(e.rest); rest != 0)
        text += fmt::format(" springref=\"{}\"", written(rest));
      ledger_.add(Treatment::honoured, "springs in joints", "", {});
    }
    if (const double d = value(e.damping); d != 0) {
      text += fmt::format(" damping=\"{}\"", written(d));
      ledger_.add(Treatment::honoured, "dampers in joints", "", {});
    }
    if (model_.joints()[number].type == "free" && (e.rubs() || e.is_limited()))
      ledger_.add(Treatment::not_honoured, "limits and dry friction of free joints", "MJCF has none", {});
    if (const double effort = ball ? 0 : e.friction_of(coordinate); effort > 0) {
      text += fmt::format(" frictionloss=\"{}\"", written(effort));
      ledger_.add(Treatment::converted, "dry friction in joints", "MuJoCo lets it give way", {});
    }
    const JointEffects::Ends ends = e.ends_of(coordinate);
    const bool turns = model_.joints()[number].type == "spherical" && e.turn;
    if (turns || (!ball && e.is_limited(coordinate))) {
      text += fmt::format(" limited=\"true\" range=\"{} {}\"", written(turns ? 0 : ends.lower.value_or(-no_limit)),
                          written(turns ? *e.turn : ends.upper.value_or(no_limit)));
      ledger_.add(Treatment::converted, "limits of joints", "MuJoCo lets them give way", {});
    }
    if (e.rotor > 0 && coordinate == 0) {
      text += fmt::format(" armature=\"{}\"", written(e.rotor));
      ledger_.add(Treatment::converted, "rotors", "the armature of a joint", {});
    }
    return text;
  }

  std::string end(const char* key, std::size_t body) const {
    return body == Exported::world ? std::string() : fmt::format(" {}=\"{}\"", key, xml_text(model_.name_of(body)));
  }

  void write_equalities() {
    std::string all;
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const ExportedJoint& joint = model_.joints()[j];
      if (!model_.in_tree(j)) all += loop(j, joint);
      if (const JointEffects& e = model_.effects(j); e.follows) {
        if (!model_.in_tree(j) || !model_.in_tree(*e.follows) || e.coefficients.size() > 5) {
          ledger_.add(Treatment::not_honoured, "joint-coupling", "it is longer, or of joints that close loops", {});
          continue;
        }
        std::vector<double> c = e.coefficients;
        c.resize(5);
        ledger_.add(Treatment::converted, "joint-coupling", "an equality of joints, which MuJoCo lets give way", {});
        all += fmt::format("    <joint name=\"{}\" joint1=\"{}\" joint2=\"{}\" polycoef=\"{}\"/>\n",
                           equality(e.coupling), xml_text(joint.name), xml_text(model_.joints()[*e.follows].name),
                           spaced({c[0], c[1], c[2], c[3], c[4]}));
      }
    }
    if (!all.empty()) text_ += "  <equality>\n" + all + "  </equality>\n";
  }

  std::string connect(const std::string& name, std::size_t first, std::size_t second, const Vec3& point) {
    // MuJoCo gives the anchor in the first body, which cannot be the world.
    const Frame frame = model_.frame(first);
    return fmt::format("    <connect name=\"{}\"{}{} anchor=\"{}\"/>\n", equality(name), end("body1", first),
                       end("body2", second), spaced(transpose_times(frame.axes, point - frame.origin)));
  }

  std::string equality(const std::string& wanted) { return xml_text(free_name(wanted, equality_names_)); }

  std::string loop(std::size_t number, const ExportedJoint& joint) {
    const JointEffects& e = model_.effects(number);
    if (!all_zero(e.damping) || !all_zero(e.stiffness) || e.rotor > 0 || e.rubs() || e.is_limited())
      ledger_.add(Treatment::not_honoured, "springs, dampers, friction, limits and rotors of closing joints",
                  "MJCF has none", {});
    const std::size_t first = joint.base == Exported::world ? joint.moving : joint.base;
    const std::size_t second = first == joint.base ? joint.moving : joint.base;
    if (joint.type == "spherical") {
      ledger_.add(Treatment::converted, "closing joints", "equalities, which MuJoCo lets give way", {});
      return connect(joint.name, first, second, joint.position);
    }
    if (joint.type == "revolute") {
      ledger_.add(Treatment::converted, "closing joints", "equalities, which MuJoCo lets give way", {});
      return connect(joint.name, first, second, joint.position) +
             connect(joint.name + "_2", first, second, joint.position + joint.axis);
    }
    if (joint.type == "fixed") {
      ledger_.add(Treatment::converted, "closing joints", "equalities, which MuJoCo lets give way", {});
      return fmt::format("    <weld name=\"{}\"{}{}/>\n", equality(joint.name), end("body1", first),
                         end("body2", second));
    }
    if (joint.type != "free")
      ledger_.add(
          Treatment::not_honoured, fmt::format("closing joints of type {}", joint.type),
          "MJCF has none; the loop can be closed at a revolute, spherical or fixed joint, to which the model gives "
          "`cut: true`",
          {});
    return {};
  }

  Exported& model_;
  Ledger& ledger_;
  std::string text_;
  std::vector<bool> between_;  ///< by body
  std::set<std::string> joint_names_, equality_names_;
};

class MjcfExporter final : public Exporter {
 public:
  Status export_model(std::string_view model, ConversionSink& sink) const noexcept override {
    return guarded("", sink.diagnostics(), [&] {
      Ledger ledger;
      Exported exported(model, ledger);
      sink.text(MjcfWriter(exported, ledger).write());
      ledger.tell(sink);
      return true;
    });
  }
};

}  // namespace

const Exporter& mjcf_exporter() noexcept {
  static constexpr MjcfExporter exporter;
  return exporter;
}

}  // namespace polyform::importers

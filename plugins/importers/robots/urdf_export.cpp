#include "urdf_export.hpp"

#include <fmt/format.h>

#include <cmath>

#include "exported.hpp"
#include "robot_formats.hpp"

namespace polyform::importers {
namespace {

constexpr double no_limit = 1e16;  ///< as far as no joint goes

/// A link's frame lies where the joint that carries it lies, as URDF has it.
class UrdfWriter {
 public:
  UrdfWriter(Exported& model, Ledger& ledger) : model_(model), ledger_(ledger) {
    for (const ExportedJoint& joint : model.joints()) joint_names_.insert(joint.name);
  }

  std::string write() {
    if (const Vec3 g = model_.gravity(); g.x != 0 || g.y != 0 || g.z != -9.81)
      ledger_.add(Treatment::not_honoured, "gravity", "URDF does not tell it", {});
    std::string text = fmt::format("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", xml_text(model_.name()));
    const bool world = needs_world();
    if (world) text += fmt::format("  <link name=\"{}\"/>\n", xml_text(world_name_));
    for (const std::size_t body : model_.order()) text += link(body);
    for (const std::size_t body : model_.order())
      if (!model_.has_carrier(body))
        text += world ? floating_joint(body) : "";
      else if (world || model_.inboard(body) != Exported::world)
        text += joint(body);
    for (std::size_t j = 0; j < model_.joints().size(); ++j)
      if (!model_.in_tree(j))
        ledger_.add(Treatment::not_honoured, fmt::format("closing joints of type {}", model_.joints()[j].type),
                    "URDF has no closed loops", {});
    model_.tell_rest();
    model_.tell_refused(std::vector<bool>(model_.bodies().size()));
    return text + "</robot>\n";
  }

 private:
  /// A robot that one joint holds needs no link for the ground: the reader says how it is held.
  bool needs_world() {
    std::size_t roots = 0;
    std::string type;  // of the joint that holds the last one
    for (const std::size_t body : model_.order()) {
      if (model_.has_carrier(body) && model_.inboard(body) != Exported::world) continue;
      ++roots;
      type = model_.has_carrier(body) ? model_.joints()[model_.carrier(body)].type : "free";
    }
    const Frame none;
    const Frame at = roots == 1 ? model_.frame(model_.order().front()) : none;
    const bool at_origin = norm(at.origin) == 0 && std::equal(at.axes.m, at.axes.m + 9, none.axes.m);
    if (roots == 1 && (type == "fixed" || type == "free") && at_origin) {
      ledger_.add(Treatment::converted, fmt::format("the {} joint to ground", type),
                  fmt::format("left out: import with --base {}", type), {});
      return false;
    }
    for (const Body& body : model_.bodies())
      while (body.name == world_name_) world_name_ += "_";
    return true;
  }

  /// The frame of the link in ground.
  Frame frame(std::size_t body) const {
    if (body == Exported::world) return {};
    Frame frame = model_.frame(body);
    if (!model_.has_carrier(body)) return frame;
    const ExportedJoint& joint = model_.joints()[model_.carrier(body)];
    if (joint.type != "free" && joint.type != "fixed") frame.origin = joint.position;
    return frame;
  }

  static std::string origin(const Frame& f) {
    return fmt::format("<origin xyz=\"{}\" rpy=\"{}\"/>", spaced(f.origin), spaced(angles_of(f.axes)));
  }

  std::string link(std::size_t number) const {
    const Body& body = model_.bodies()[number];
    const Frame shift = frame(number).inverse() * body.frame;
    if (norm(shift.origin) != 0)
      ledger_.add(Treatment::converted, "body frames", "they lie where the joint lies that carries the body", {});
    const MassProperties mass = body.mass.in(shift);
    const Sym3& j = mass.inertia;
    std::string text = fmt::format("  <link name=\"{}\">\n", xml_text(body.name));
    text += fmt::format(
        "    <inertial>\n      <origin xyz=\"{}\"/>\n      <mass value=\"{}\"/>\n"
        "      <inertia ixx=\"{}\" iyy=\"{}\" izz=\"{}\" ixy=\"{}\" ixz=\"{}\" iyz=\"{}\"/>\n    </inertial>\n",
        spaced(mass.center), written(mass.mass), written(j.xx), written(j.yy), written(j.zz), written(j.xy),
        written(j.xz), written(j.yz));
    const auto visual = [&](const Frame& frame, const std::string& geometry) {
      text += fmt::format("    <visual>\n      {}\n      <geometry>{}</geometry>\n    </visual>\n",
                          origin(shift * frame), geometry);
    };
    const auto sphere = [](const Shape& shape) {
      return fmt::format("<sphere radius=\"{}\"/>", written(shape.radius));
    };
    for (const Shape& shape : body.shapes) {
      if (shape.kind == Shape::Kind::box) visual(shape.frame, fmt::format("<box size=\"{}\"/>", spaced(shape.size)));
      if (shape.kind == Shape::Kind::sphere) visual(shape.frame, sphere(shape));
      if (shape.kind == Shape::Kind::cylinder || shape.kind == Shape::Kind::capsule)
        visual(shape.frame,
               fmt::format("<cylinder radius=\"{}\" length=\"{}\"/>", written(shape.radius), written(shape.length)));
      if (shape.kind == Shape::Kind::ellipsoid)
        ledger_.add(Treatment::not_honoured, "shapes of type ellipsoid", "URDF has none", {});
      if (shape.kind != Shape::Kind::capsule) continue;
      for (const double end : {-0.5, 0.5})
        visual(shape.frame * Frame{Mat3::identity(), {0, 0, end * shape.length}}, sphere(shape));
      ledger_.add(Treatment::converted, "shapes of type capsule", "a cylinder and two spheres", {});
    }
    return text + "  </link>\n";
  }

  /// URDF has no link that nothing holds, but for one.
  std::string floating_joint(std::size_t body) {
    ledger_.add(Treatment::converted, "bodies that nothing holds", "on a floating joint", {});
    const std::string& name = model_.name_of(body);
    return fmt::format(
        "  <joint name=\"{}\" type=\"floating\">\n    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n"
        "    {}\n  </joint>\n",
        xml_text(free_name(name + "_free", joint_names_)), xml_text(world_name_), xml_text(name), origin(frame(body)));
  }

  std::string joint(std::size_t body) {
    const std::size_t number = model_.carrier(body);
    const ExportedJoint& joint = model_.joints()[number];
    const bool reversed = joint.moving != body;
    std::string type = joint.type;
    const JointEffects& of_joint = model_.effects(number);
    const JointEffects::Ends ends = of_joint.ends_of(0);
    const bool has_one = type == "revolute" || type == "prismatic", limited = has_one && of_joint.is_limited();
    if (type == "revolute")
      type = limited ? "revolute" : "continuous";
    else if (type == "free")
      type = "floating";
    else if (type != "prismatic" && type != "fixed" && type != "planar")
      throw std::runtime_error(fmt::format(
          "joint '{}' is of type {}, which URDF does not have; SDF and MJCF have more types", joint.name, joint.type));
    const std::size_t parent = model_.inboard(body);
    const Frame own = frame(body);
    std::string text = fmt::format("  <joint name=\"{}\" type=\"{}\">\n", xml_text(joint.name), type);
    text += fmt::format("    <parent link=\"{}\"/>\n    <child link=\"{}\"/>\n",
                        xml_text(parent == Exported::world ? world_name_ : model_.name_of(parent)),
                        xml_text(model_.name_of(body)));
    text += fmt::format("    {}\n", origin(frame(parent).inverse() * own));
    if (type == "continuous" || type == "revolute" || type == "prismatic" || type == "planar")
      text += fmt::format("    <axis xyz=\"{}\"/>\n",
                          spaced(transpose_times(own.axes, (reversed ? -1.0 : 1.0) * joint.axis)));
    if (type == "planar") ledger_.add(Treatment::not_honoured, "`axis2` of planar joints", "URDF does not tell it", {});
    if (type == "prismatic" || type == "revolute")
      text += fmt::format("    <limit lower=\"{0}\" upper=\"{1}\" effort=\"{2}\" velocity=\"{2}\"/>\n",
                          written(ends.lower.value_or(-no_limit)), written(ends.upper.value_or(no_limit)),
                          written(no_limit));
    if (limited) ledger_.add(Treatment::honoured, "limits of joints", "", {});
    if (!has_one && (of_joint.is_limited() || of_joint.rubs()))
      ledger_.add(Treatment::not_honoured, "limits and dry friction in joints of several coordinates", "URDF has none",
                  {});
    return text + effects(number, type) + "  </joint>\n";
  }

  std::string effects(std::size_t number, const std::string& type) {
    JointEffects& e = model_.effects(number);
    std::string text;
    const bool one = type == "continuous" || type == "revolute" || type == "prismatic";
    if (!all_zero(e.stiffness)) ledger_.add(Treatment::not_honoured, "springs in joints", "URDF has none", {});
    if (e.rotor > 0) ledger_.add(Treatment::not_honoured, "rotors", "URDF has none", {});
    if (one && (!all_zero(e.damping) || e.rubs())) {
      ledger_.add(Treatment::honoured, "dampers and dry friction in joints", "", {});
      text += fmt::format("    <dynamics damping=\"{}\" friction=\"{}\"/>\n",
                          written(e.damping.empty() ? 0 : e.damping.front()), written(e.friction_of(0)));
    } else if (!all_zero(e.damping)) {
      ledger_.add(Treatment::not_honoured, "dampers in joints of several coordinates", "URDF has none", {});
    }
    if (e.follows) {
      if (one && e.coefficients.size() <= 2 && model_.in_tree(*e.follows)) {
        ledger_.add(Treatment::converted, "joint-coupling", "a mimic joint", {});
        e.coefficients.resize(2);
        text += fmt::format("    <mimic joint=\"{}\" multiplier=\"{}\" offset=\"{}\"/>\n",
                            xml_text(model_.joints()[*e.follows].name), written(e.coefficients[1]),
                            written(e.coefficients[0]));
      } else {
        ledger_.add(Treatment::not_honoured, "joint-coupling", "a mimic joint follows in proportion alone", {});
      }
    }
    return text;
  }

  Exported& model_;
  Ledger& ledger_;
  std::string world_name_ = "world";
  std::set<std::string> joint_names_;
};

class UrdfExporter final : public Exporter {
 public:
  Status export_model(std::string_view model, ConversionSink& sink) const noexcept override {
    return guarded("", sink.diagnostics(), [&] {
      Ledger ledger;
      Exported exported(model, ledger);
      sink.text(UrdfWriter(exported, ledger).write());
      ledger.tell(sink);
      return true;
    });
  }
};

}  // namespace

const Exporter& urdf_exporter() noexcept {
  static constexpr UrdfExporter exporter;
  return exporter;
}

}  // namespace polyform::importers

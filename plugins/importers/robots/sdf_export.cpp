#include "sdf_export.hpp"

#include <fmt/format.h>

#include "exported.hpp"
#include "robot_formats.hpp"

namespace polyform::importers {
namespace {

constexpr std::string_view scope = "::";  ///< between the names of a model and of what it holds

class SdfWriter {
 public:
  SdfWriter(Exported& model, Ledger& ledger) : model_(model), ledger_(ledger) {}

  std::string write() {
    const std::string name = xml_text(model_.name().empty() ? "model" : model_.name());
    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n<sdf version=\"1.11\">\n<world name=\"{0}\">\n  <gravity>{1}</gravity>\n"
        "  <model name=\"{0}\">\n",
        name, spaced(model_.gravity()));
    model_.rename_bodies("world", scope);
    std::set<std::string> taken;
    for (const Body& body : model_.bodies()) {
      taken.insert(body.name);
      text += link(body);
    }
    for (const ExportedJoint& joint : model_.joints()) {
      joint_names_.push_back(free_name(without_mark(joint.name, scope), taken));
      if (joint_names_.back() != joint.name)
        ledger_.add(Treatment::converted, "names of joints",
                    "changed: SDF has no joint with the name of a link, and :: divides names", {});
    }
    for (std::size_t j = 0; j < model_.joints().size(); ++j) text += joint(j);
    model_.tell_rest();
    model_.tell_refused(std::vector<bool>(model_.bodies().size()));
    return text + "  </model>\n</world>\n</sdf>\n";
  }

 private:
  static std::string pose(const Frame& f, const char* relative_to = nullptr) {
    const Quat q = quaternion_of(f.axes);
    return fmt::format("<pose{} rotation_format=\"quat_xyzw\">{}</pose>",
                       relative_to == nullptr ? "" : fmt::format(" relative_to=\"{}\"", relative_to),
                       spaced({f.origin.x, f.origin.y, f.origin.z, q.x, q.y, q.z, q.w}));
  }

  std::string link(const Body& body) {
    const Sym3& j = body.mass.inertia;
    std::string text = fmt::format("    <link name=\"{}\">\n      {}\n", xml_text(body.name), pose(body.frame));
    text += fmt::format(
        "      <inertial>\n        <pose>{} 0 0 0</pose>\n        <mass>{}</mass>\n"
        "        <inertia><ixx>{}</ixx><iyy>{}</iyy><izz>{}</izz><ixy>{}</ixy><ixz>{}</ixz><iyz>{}</iyz></inertia>\n"
        "      </inertial>\n",
        spaced(body.mass.center), written(body.mass.mass), written(j.xx), written(j.yy), written(j.zz), written(j.xy),
        written(j.xz), written(j.yz));
    std::size_t number = 0;
    for (const Shape& shape : body.shapes) {
      text +=
          fmt::format("      <visual name=\"shape_{}\">\n        {}\n        <geometry>", ++number, pose(shape.frame));
      if (shape.kind == Shape::Kind::box)
        text += fmt::format("<box><size>{}</size></box>", spaced(shape.size));
      else if (shape.kind == Shape::Kind::sphere)
        text += fmt::format("<sphere><radius>{}</radius></sphere>", written(shape.radius));
      else if (shape.kind == Shape::Kind::ellipsoid)
        text += fmt::format("<ellipsoid><radii>{}</radii></ellipsoid>", spaced(shape.size));
      else
        text += fmt::format("<{0}><radius>{1}</radius><length>{2}</length></{0}>",
                            shape.kind == Shape::Kind::capsule ? "capsule" : "cylinder", written(shape.radius),
                            written(shape.length));
      if (shape.kind == Shape::Kind::capsule || shape.kind == Shape::Kind::ellipsoid)
        ledger_.add(Treatment::honoured, "shapes", "", {});
      text += "</geometry>\n      </visual>\n";
    }
    return text + "    </link>\n";
  }

  std::string axis(const char* tag, const Vec3& direction, std::size_t number, std::size_t coordinate) {
    JointEffects& e = model_.effects(number);
    std::string text =
        fmt::format("      <{}>\n        <xyz expressed_in=\"__model__\">{}</xyz>\n", tag, spaced(direction));
    const auto of = [&](const std::vector<double>& all) { return coordinate < all.size() ? all[coordinate] : 0; };
    if (of(e.damping) != 0 || of(e.stiffness) != 0 || e.friction_of(coordinate) > 0) {
      ledger_.add(Treatment::honoured, "springs, dampers and dry friction in joints", "", {});
      text += fmt::format(
          "        <dynamics><damping>{}</damping><friction>{}</friction><spring_stiffness>{}</spring_stiffness>"
          "<spring_reference>{}</spring_reference></dynamics>\n",
          written(of(e.damping)), written(e.friction_of(coordinate)), written(of(e.stiffness)), written(of(e.rest)));
    }
    if (const JointEffects::Ends ends = e.ends_of(coordinate); e.is_limited(coordinate)) {
      ledger_.add(Treatment::honoured, "limits of joints", "", {});
      text += "        <limit>";
      if (ends.lower) text += fmt::format("<lower>{}</lower>", written(*ends.lower));
      if (ends.upper) text += fmt::format("<upper>{}</upper>", written(*ends.upper));
      text += "</limit>\n";
    }
    if (e.follows && coordinate == 0) {
      if (e.coefficients.size() <= 2) {
        ledger_.add(Treatment::converted, "joint-coupling", "a mimic joint", {});
        e.coefficients.resize(2);
        text += fmt::format(
            "        <mimic "
            "joint=\"{}\"><multiplier>{}</multiplier><offset>{}</offset><reference>0</reference></mimic>\n",
            xml_text(joint_names_[*e.follows]), written(e.coefficients[1]), written(e.coefficients[0]));
      } else {
        ledger_.add(Treatment::not_honoured, "joint-coupling", "a mimic joint follows in proportion alone", {});
      }
    }
    return text + fmt::format("      </{}>\n", tag);
  }

  std::string joint(std::size_t number) {
    const ExportedJoint& joint = model_.joints()[number];
    JointEffects& e = model_.effects(number);
    if (joint.type == "free") {
      ledger_.add(Treatment::converted, "free joints", "left out: what no joint holds is free", {});
      if (!all_zero(e.damping) || !all_zero(e.stiffness))
        ledger_.add(Treatment::not_honoured, "springs and dampers in free joints", "SDF has none", {});
      if (e.is_limited() || e.rubs())
        ledger_.add(Treatment::not_honoured, "limits and dry friction of free joints", "SDF has none", {});
      return {};
    }
    static const std::map<std::string, std::string> types{{"revolute", "revolute"},
                                                          {"prismatic", "prismatic"},
                                                          {"spherical", "ball"},
                                                          {"fixed", "fixed"},
                                                          {"universal", "universal"}};
    const auto type = types.find(joint.type);
    if (type == types.end())
      throw std::runtime_error(
          fmt::format("joint '{}' is of type {}, which SDF does not have", joint.name, joint.type));
    // The child's frame carries the joint's. What moves is the child, unless that is the world.
    const bool reversed = joint.moving == Exported::world;
    const std::size_t parent = reversed ? joint.moving : joint.base, child = reversed ? joint.base : joint.moving;
    std::string text = fmt::format("    <joint name=\"{}\" type=\"{}\">\n      {}\n", xml_text(joint_names_[number]),
                                   type->second, pose({Mat3::identity(), joint.position}, "__model__"));
    text += fmt::format("      <parent>{}</parent>\n      <child>{}</child>\n", xml_text(model_.name_of(parent)),
                        xml_text(model_.name_of(child)));
    const double sign = reversed ? -1 : 1;
    if (type->second == "universal") {
      text += axis("axis", sign * (reversed ? joint.axis2 : joint.axis), number, reversed ? 1 : 0);
      text += axis("axis2", sign * (reversed ? joint.axis : joint.axis2), number, reversed ? 0 : 1);
    } else if (type->second == "revolute" || type->second == "prismatic") {
      text += axis("axis", sign * joint.axis, number, 0);
    } else if (!all_zero(e.damping) || !all_zero(e.stiffness)) {
      ledger_.add(Treatment::not_honoured, "springs and dampers in ball joints", "SDF has none", {});
    }
    if (e.turn) ledger_.add(Treatment::not_honoured, "limits of ball joints", "SDF has none", {});
    if (e.rotor > 0) ledger_.add(Treatment::not_honoured, "rotors", "SDF has none", {});
    return text + "    </joint>\n";
  }

  Exported& model_;
  Ledger& ledger_;
  std::vector<std::string> joint_names_;
};

class SdfExporter final : public Exporter {
 public:
  Status export_model(std::string_view model, ConversionSink& sink) const noexcept override {
    return guarded("", sink.diagnostics(), [&] {
      Ledger ledger;
      Exported exported(model, ledger);
      sink.text(SdfWriter(exported, ledger).write());
      ledger.tell(sink);
      return true;
    });
  }
};

}  // namespace

const Exporter& sdf_exporter() noexcept {
  static constexpr SdfExporter exporter;
  return exporter;
}

}  // namespace polyform::importers

// URDF: what becomes of its parts, untidy files, errors.
#include <cmath>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string link(const std::string& name, double mass = 1, const std::string& more = "") {
  const std::string m = std::to_string(mass);
  return "<link name=\"" + name + "\"><inertial><origin xyz=\"0 0 -0.5\"/><mass value=\"" + m +
         "\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>" + more +
         "</link>\n";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& more = "<axis xyz=\"0 1 0\"/>") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + more + "</joint>\n";
}
std::string robot(const std::string& content) { return "<robot name=\"r\">\n" + content + "</robot>\n"; }

const std::string model_folder = POLYFORM_MODELS;

}  // namespace

TEST_CASE("a pendulum of URDF swings as the closed form says, in every formulation") {
  const std::string text =
      robot(link("base") + link("rod", 2) +
            joint("hinge", "revolute", "base", "rod", "<axis xyz=\"0 1 0\"/><dynamics damping=\"0.3\"/>"));
  const auto system = imported_system(text);
  const double inertia = 0.1 + 2 * 0.25, angle = 0.4, rate = 1.5;
  const double expected = (-2 * 9.81 * 0.5 * std::sin(angle) - 0.3 * rate) / inertia;
  std::size_t tried = 0;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Coordinates a = accelerations(*system, *formulation, {{"hinge", {angle}}}, {{"hinge", {rate}}});
    CHECK(a.at("hinge")[0] == Approx(expected).epsilon(1e-13));
    ++tried;
  }
  CHECK(tried >= 6);
}

TEST_CASE("the shipped arm is imported: names are kept, and every element and attribute is told of") {
  const std::string bytes = bytes_of(model_folder + "/arm.urdf");
  const host::Conversion got = imported(bytes);
  const auto system = system_from_text(got.text);
  CHECK(system->description().bodies.size() == 8);
  CHECK(count_of(got, Treatment::honoured, "link") == 8);
  CHECK(count_of(got, Treatment::honoured, "joint") == 7);
  CHECK(count_of(got, Treatment::not_honoured, "joint/mimic") == 1);
  CHECK(count_of(got, Treatment::converted, "link without mass") == 1);
  CHECK(count_of(got, Treatment::not_honoured, "joint/limit@effort") == 5);
  CHECK(count_of(got, Treatment::not_honoured, "transmission") == 1);
  // An independent count: of tags and of equal signs outside of comments.
  std::string text = bytes;
  for (std::size_t at; (at = text.find("<!--")) != std::string::npos;) text.erase(at, text.find("-->") + 3 - at);
  text.erase(0, text.find("?>") + 2);
  std::size_t elements = 0, attributes = 0, told_elements = 0, told_attributes = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    elements += text[i] == '<' && text[i + 1] != '/';
    attributes += text[i] == '=' && text[i + 1] == '"';
  }
  for (const host::FoundThing& thing : got.findings) {
    if (thing.what.find(' ') != std::string::npos) continue;  // of the model, not of the file
    (thing.what.find('@') == std::string::npos ? told_elements : told_attributes) += thing.count;
  }
  CHECK(told_elements == elements);
  CHECK(told_attributes == attributes);
}

TEST_CASE("a mimic joint is independent, or coupled when asked") {
  const std::string text =
      robot(link("base") + link("a") + link("b") + joint("first", "revolute", "base", "a") +
            joint("second", "revolute", "a", "b",
                  "<axis xyz=\"0 1 0\"/><mimic joint=\"first\" multiplier=\"-2\" offset=\"0.3\"/>"));
  const auto coupled = imported_system(text, {{"mimic", "coupled"}});
  const auto independent = imported_system(text);
  CHECK(coupled->count_constraints().degrees_of_freedom == 1);
  CHECK(independent->count_constraints().degrees_of_freedom == 2);
  CHECK(count_of(imported(text), Treatment::not_honoured, "joint/mimic") == 1);
  // The start fulfils the offset, and accelerations are in proportion.
  const ConstStateView start = coupled->initial_state();
  const SystemView& view = coupled->view();
  std::map<std::string, double> q;
  for (const JointData& j : view.joints)
    if (j.nq == 1) q[std::string(j.name)] = start.q[j.q_offset];
  CHECK(q.at("first") == Approx(0).margin(1e-12));
  CHECK(q.at("second") == Approx(0.3).epsilon(1e-12));
  for (const Formulation* formulation : formulations_for(*coupled)) {
    INFO(formulation->name());
    const Coordinates a = accelerations(*coupled, *formulation);
    CHECK(a.at("second")[0] == Approx(-2 * a.at("first")[0]).epsilon(1e-9));
  }
}

TEST_CASE("untidy files are taken as the format's own tools take them") {
  SECTION("an inertia that no body can have") {
    const std::string text =
        robot(link("base") +
              "<link name=\"odd\"><inertial><mass value=\"1\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"5\" ixy=\"0\" "
              "ixz=\"0\" iyz=\"0\"/></inertial></link>" +
              joint("hinge", "revolute", "base", "odd"));
    const host::Conversion got = imported(text);
    CHECK(count_of(got, Treatment::converted, "inertia that no body can have") == 1);
    CHECK(got.text.find("\nlenient: true\n") != std::string::npos);
    CHECK(system_from_text(got.text) != nullptr);
  }
  SECTION("several roots") {
    const host::Conversion got = imported(robot(link("one") + link("two")), {{"base", "free"}});
    CHECK(count_of(got, Treatment::converted, "further root link") == 1);
    const auto system = system_from_text(got.text);
    CHECK(system->count_constraints().degrees_of_freedom == 12);
    CHECK(system->description().joints[0].name == "@root");
    CHECK(system->description().joints[1].name == "@root_two");
  }
  SECTION("links without inertial, and a tree of fixed joints that is merged") {
    const std::string text =
        robot(link("base") + "<link name=\"frame\"/>" + link("tip") + joint("a", "revolute", "base", "frame") +
              joint("b", "fixed", "frame", "tip", "<origin xyz=\"0 0 -1\" rpy=\"0.3 0 0\"/>"));
    const auto whole = imported_system(text), merged = imported_system(text, {{"merge_fixed", "true"}});
    CHECK(whole->description().bodies.size() == 3);
    CHECK(merged->description().bodies.size() == 2);
    const Coordinates q{{"a", {0.7}}}, v{{"a", {0.4}}};
    CHECK(accelerations(*whole, reference_formulation(), q, v).at("a")[0] ==
          Approx(accelerations(*merged, reference_formulation(), q, v).at("a")[0]).epsilon(1e-13));
  }
  SECTION("names that a model cannot have") {
    const host::Conversion got =
        imported(robot(link("a[1]") + link("ground") + joint("x,y", "revolute", "a[1]", "ground")));
    CHECK(count_of(got, Treatment::converted, "link@name") == 2);
    CHECK(count_of(got, Treatment::converted, "joint@name") == 1);
    CHECK(system_from_text(got.text) != nullptr);
  }
  SECTION("joints of every type") {
    std::string content = link("base");
    for (const char* type : {"revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"})
      content += link(type) + joint(std::string("to_") + type, type, "base", type);
    const auto system = imported_system(robot(content));
    CHECK(system->count_constraints().degrees_of_freedom == 1 + 1 + 1 + 0 + 6 + 3 + 3);
  }
}

TEST_CASE("a joint of URDF with an axis of length zero is fixed, and what follows from that is told") {
  const std::string effects =
      "<axis xyz=\"0 0 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"2\" velocity=\"3\"/><dynamics damping=\"0.4\"/>";
  for (const char* type : {"revolute", "continuous", "prismatic", "planar"}) {
    INFO(type);
    const std::string text =
        robot(link("base") + link("a") + link("b") + joint("still", type, "base", "a", effects) +
              joint("mover", "revolute", "a", "b", "<axis xyz=\"0 1 0\"/><mimic joint=\"still\" offset=\"0.3\"/>"));
    const host::Conversion got = imported(text, {{"mimic", "coupled"}, {"limits", "keep"}});
    CHECK(got.text.find("name: \"still\", type: fixed") != std::string::npos);
    CHECK(count_of(got, Treatment::converted, "joint/axis@xyz") == 1);
    CHECK(count_of(got, Treatment::converted, "joint/limit@lower") == 1);
    CHECK(count_of(got, Treatment::converted, "joint/dynamics@damping") == 1);
    CHECK(count_of(got, Treatment::converted, "joint/mimic") == 1);
    const auto system = system_from_text(got.text);
    CHECK(system->count_constraints().degrees_of_freedom == 0);
  }
}

TEST_CASE("errors of URDF name the place") {
  CHECK(refusal("<robot name=\"r\">\n  <link name=\"a\">\n</robot>").find("robot:3:") != std::string::npos);
  CHECK(refusal("<robot").find("malformed") != std::string::npos);
  CHECK(refusal(robot(link("a") + link("a"))).find("robot:3:7: error: there is another link of the name 'a'") !=
        std::string::npos);
  CHECK(refusal(robot(link("a") + link("b") + joint("j", "hinge", "a", "b"))).find("there is no joint type 'hinge'") !=
        std::string::npos);
  CHECK(refusal(robot(link("a") + joint("j", "fixed", "a", "b"))).find("there is no link 'b'") != std::string::npos);
  CHECK(refusal(robot(link("a") + link("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a")))
            .find("in a cycle") != std::string::npos);
  CHECK(
      refusal(robot(link("a") + link("b") + link("c") + joint("j", "fixed", "a", "c") + joint("k", "fixed", "b", "c")))
          .find("no closed loops") != std::string::npos);
  CHECK(refusal(robot("<link name=\"a\"><inertial><mass value=\"1,5\"/></inertial></link>")).find("finite number") !=
        std::string::npos);
  CHECK(refusal(robot("<link name=\"a\"><inertial><mass value=\"nan\"/></inertial></link>")).find("finite number") !=
        std::string::npos);
  CHECK(refusal(robot("<xacro:macro name=\"m\"/>")).find("xacro FILE > robot.urdf") != std::string::npos);
  CHECK(refusal(robot("")).find("has no links") != std::string::npos);
  CHECK(refusal(robot(link("a")), {{"basis", "free"}}).find("basis") != std::string::npos);
}

TEST_CASE("limits of URDF change nothing unless they are asked for, and joints drawn beyond them begin at their end") {
  const std::string robot =
      "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
      "iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><joint name=\"j\" "
      "type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><limit lower=\"-3\" upper=\"-0.1\" effort=\"1\" "
      "velocity=\"1\"/><dynamics friction=\"2\"/></joint></robot>";
  const host::Conversion plain = imported(robot);
  CHECK(plain.text.find("forces:") == std::string::npos);
  CHECK(count_of(plain, Treatment::not_honoured, "joint/limit@lower") == 1);
  CHECK(count_of(plain, Treatment::not_honoured, "joint/dynamics@friction") == 1);
  const host::Conversion kept = imported(robot, {{"limits", "keep"}, {"friction", "keep"}});
  CHECK(count_of(kept, Treatment::converted, "joint that is drawn beyond its limits") == 1);
  const auto system = system_from_text(kept.text);
  CHECK(system->initial_state().q[0] == -0.1);
}

TEST_CASE("versions of URDF that are read are no loss") {
  const auto lost = [](const std::string& version) {
    return count_of(imported("<robot name=\"r\" version=\"" + version + "\"><link name=\"a\"/></robot>"),
                    Treatment::not_honoured, "robot@version");
  };
  for (const char* version : {"1", "1.0", "1.1", "1.2"}) CHECK(lost(version) == 0);
  CHECK(lost("1.3") == 1);
}

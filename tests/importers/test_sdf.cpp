// SDF: frames, loops, springs, defaults.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string model(const std::string& content, const std::string& version = "1.9") {
  return "<sdf version=\"" + version + "\"><model name=\"m\">" + content + "</model></sdf>";
}
std::string solid(double mass = 1) {
  return "<inertial><mass>" + std::to_string(mass) +
         "</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz>"
         "</inertia></inertial>";
}
const host::BodyItem& body(const host::System& system, const std::string& name) {
  for (const host::BodyItem& b : system.description().bodies)
    if (b.name == name) return b;
  FAIL("no body " << name);
  return system.description().bodies.front();
}
Vec3 axis_of(const host::System& system, const std::string& name) {
  for (const host::JointItem& joint : system.description().joints)
    if (joint.name == name) {
      const auto specs = joint.type->fields();
      for (std::size_t i = 0; i < specs.size(); ++i)
        if (specs[i].name == "axis") return joint.fields.values[i].vector;
    }
  FAIL("no joint " << name);
  return {};
}
void check(const Vec3& a, const Vec3& b) {
  CHECK(a.x == Approx(b.x).margin(1e-14));
  CHECK(a.y == Approx(b.y).margin(1e-14));
  CHECK(a.z == Approx(b.z).margin(1e-14));
}

}  // namespace

TEST_CASE("poses of SDF are found through frames, joints and nested models") {
  const auto system = imported_system(model(
      "<pose>0 0 10 0 0 1.5707963267948966</pose>"
      "<frame name=\"mark\" attached_to=\"a\"><pose>1 0 0 0 0 0</pose></frame>"
      "<link name=\"a\"><pose degrees=\"true\">0 1 0 0 0 90</pose>" +
      solid() +
      "</link>"
      "<link name=\"b\"><pose relative_to=\"mark\">0 0 1 0 0 0</pose>" +
      solid() +
      "</link>"
      "<joint name=\"j\" type=\"revolute\"><pose relative_to=\"mark\">0 0 2 0 0 0</pose><parent>a</parent>"
      "<child>b</child><axis><xyz expressed_in=\"__model__\">1 0 0</xyz></axis></joint>"
      "<link name=\"c\"><pose relative_to=\"j\">0 1 0 0 0 0</pose>" +
      solid() +
      "</link>"
      "<joint name=\"k\" type=\"prismatic\"><parent>mark</parent><child>c</child><axis><xyz>1 0 0</xyz></axis></joint>"
      "<model name=\"inner\" placement_frame=\"foot\"><pose relative_to=\"b\">0 0 5 0 0 0</pose>"
      "<link name=\"foot\"><pose>0 0 7 0 0 0</pose>" +
      solid() +
      "</link></model>"
      "<joint name=\"n\" type=\"fixed\"><parent>b</parent><child>inner::foot</child></joint>"));
  // The model is turned by a quarter: its x axis is y of ground. Link a stands at (0, 1, 0) in it, so at (−1, 0, 10).
  check(body(*system, "a").pose.position, {-1, 0, 10});
  // mark: 1 along x of a, which is a half turn from ground's x.
  check(body(*system, "b").pose.position, {-2, 0, 11});
  check(axis_of(*system, "j"), {0, 1, 0});
  // c: from the joint at (−2, 0, 12) by 1 along y of its axes, which are those of a.
  check(body(*system, "c").pose.position, {-2, -1, 12});
  check(axis_of(*system, "k"), {-1, 0, 0});
  // The foot of the inner model, not its origin, lies 5 above b.
  check(body(*system, "inner::foot").pose.position, {-2, 0, 16});
}

TEST_CASE("axes of SDF before 1.5 are those of the model, later ones of the joint") {
  const std::string content = "<link name=\"a\"><pose>0 0 0 0 0 1.5707963267948966</pose>" + solid() +
                              "</link><joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child>"
                              "<axis><xyz>1 0 0</xyz></axis></joint>";
  check(axis_of(*imported_system(model(content, "1.4")), "j"), {1, 0, 0});
  check(axis_of(*imported_system(model(content, "1.6")), "j"), {0, 1, 0});
}

TEST_CASE("what SDF leaves out has the values of its specification") {
  const host::Conversion got = imported(
      "<sdf version=\"1.9\"><world name=\"w\"><model name=\"m\"><link name=\"a\"/>"
      "</model></world></sdf>");
  const auto system = system_from_text(got.text);
  CHECK(body(*system, "a").mass == 1);
  CHECK(body(*system, "a").inertia.xx == 1);
  check(system->description().gravity, {0, 0, -9.8});
  CHECK(system->count_constraints().degrees_of_freedom == 6);
  CHECK(count_of(got, Treatment::converted, "link without inertial") == 1);
  CHECK(imported_system(model("<static>true</static><link name=\"a\"/>"))->count_constraints().degrees_of_freedom == 0);
  CHECK(imported_system(model("<static>true</static><link name=\"a\"/>"), {{"base", "free"}})
            ->count_constraints()
            .degrees_of_freedom == 6);
  CHECK(imported_system(model("<link name=\"a\"/>"), {{"base", "fixed"}})->count_constraints().degrees_of_freedom == 0);
}

TEST_CASE("springs, screws and links without weight of SDF act as the closed forms say") {
  const auto spring = imported_system(model(
      "<link name=\"a\">" + solid(2) +
      "</link><joint name=\"j\" type=\"prismatic\"><parent>world</parent>"
      "<child>a</child><axis><xyz>1 0 0</xyz><dynamics><damping>3</damping><spring_stiffness>50</spring_stiffness>"
      "<spring_reference>0.1</spring_reference></dynamics></axis></joint>"));
  CHECK(accelerations(*spring, reference_formulation(), {{"j", {0.3}}}, {{"j", {0.7}}}).at("j")[0] ==
        Approx((-50 * 0.2 - 3 * 0.7) / 2).epsilon(1e-13));
  // A screw along the weight: m s̈ + (J / lead²) s̈ = m g.
  const auto screw =
      imported_system(model("<link name=\"a\">" + solid(2) +
                            "</link><joint name=\"j\" type=\"screw\"><parent>world</parent><child>a</child>"
                            "<axis><xyz>0 0 1</xyz></axis><screw_thread_pitch>0.2</screw_thread_pitch></joint>"));
  const double lead = 0.2 / (2 * 3.14159265358979323846);
  for (const Formulation* formulation : formulations_for(*screw)) {
    INFO(formulation->name());
    const Coordinates a = accelerations(*screw, *formulation);
    CHECK(a.at("j")[0] == Approx(-2 * 9.81 / (2 + 0.1 / (lead * lead))).epsilon(1e-9));
    CHECK(a.at("j")[0] == Approx(lead * a.at("j")[1]).epsilon(1e-9));
  }
  const auto lifted = imported_system(model("<link name=\"a\"><gravity>false</gravity>" + solid(2) + "</link>"));
  for (const auto& [name, values] : accelerations(*lifted, reference_formulation()))
    for (const double x : values) CHECK(std::abs(x) < 1e-12);
}

TEST_CASE("the shipped gripper closes its loop, and its other side follows") {
  const auto system = imported_system(bytes_of(std::string(POLYFORM_MODELS) + "/gripper.sdf"), {{"mimic", "coupled"}});
  CHECK(system->loops() == 1);
  CHECK(system->count_constraints().degrees_of_freedom == 1);
  const Coordinates expected = accelerations(*system, reference_formulation());
  // A parallelogram: the finger does not turn, so crank and rocker turn alike.
  CHECK(expected.at("left_hinge")[0] == Approx(expected.at("left_drive")[0]).epsilon(1e-9));
  CHECK(expected.at("right_drive")[0] == Approx(expected.at("left_drive")[0]).epsilon(1e-9));
  CHECK(expected.at("left_drive")[0] != 0);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    check_equal(accelerations(*system, *formulation), expected, 1e-9);
  }
}

TEST_CASE("errors of SDF name the place") {
  // libsdformat refuses such an axis too.
  CHECK(refusal(model("<link name=\"a\"/>\n<joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child>"
                      "<axis><xyz>0 0 0</xyz></axis></joint>"))
            .find("error: the axis has no length") != std::string::npos);
  CHECK(refusal(model("<link name=\"a\"><pose>1 2 3</pose></link>")).find("<pose> holds 3 numbers, expected 6") !=
        std::string::npos);
  CHECK(refusal(model("<link name=\"a\"><pose relative_to=\"b\">0 0 0 0 0 0</pose></link>")).find("no frame 'b'") !=
        std::string::npos);
  CHECK(
      refusal(
          model("<link name=\"a\"><pose relative_to=\"f\"/></link><frame name=\"f\"><pose relative_to=\"a\"/></frame>"))
          .find("depends on itself") != std::string::npos);
  CHECK(refusal(
            model("<link name=\"a\"/><joint name=\"j\" type=\"hinge\"><parent>world</parent><child>a</child></joint>"))
            .find("no joint type 'hinge'") != std::string::npos);
  CHECK(refusal(model("<link name=\"a\"/><joint name=\"j\" type=\"fixed\"><parent>b</parent><child>a</child></joint>"))
            .find("no link or frame 'b'") != std::string::npos);
  CHECK(refusal(model("")).find("has no links") != std::string::npos);
}

TEST_CASE("models of other files stand where an SDF file includes them") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("sdf_include_{}", ::getpid());
  std::filesystem::create_directories(folder / "models/leg/parts");
  const auto write = [&](const char* name, const std::string& text) {
    const std::string path = (folder / name).string();
    std::ofstream(path) << text;
    return path;
  };
  write("models/leg/model.config",
        "<model><name>leg</name><sdf version=\"1.5\">old.sdf</sdf><sdf version=\"1.9\">parts/new.sdf</sdf></model>");
  write("models/leg/parts/new.sdf",
        "<sdf version=\"1.9\"><model name=\"leg\"><pose>9 9 9 0 0 0</pose><link name=\"thigh\"><pose>0 0 -1 0 0 "
        "0</pose>" +
            solid(2) + "</link></model></sdf>");
  const std::string file = write(
      "robot.sdf",
      "<sdf version=\"1.9\"><model name=\"robot\"><link name=\"hull\">" + solid(5) +
          "</link><include><uri>model://leg</uri><name>left</name><pose>1 2 3 0 0 0</pose></include><include>"
          "<uri>models/leg</uri><name>right</name></include><include><uri>model://absent</uri></include><joint "
          "name=\"hip\" type=\"revolute\"><parent>hull</parent><child>left::thigh</child><axis><xyz>0 1 0</xyz></axis>"
          "</joint></model></sdf>");
  const auto system = imported_system(bytes_of(file), {}, file);
  CHECK(system->description().bodies.size() == 3);
  check(body(*system, "left::thigh").pose.position, {1, 2, 2});
  check(body(*system, "right::thigh").pose.position, {9, 9, 8});
  CHECK(body(*system, "left::thigh").mass == 2);
  const host::Conversion got = imported(bytes_of(file), {}, file);
  bool told = false;
  for (const host::FoundThing& thing : got.findings)
    told = told || (thing.what.find("include") != std::string::npos && thing.treatment == Treatment::not_honoured);
  CHECK(told);
  // Merged, the links are the model's own; without relative_to the place is one in the model.
  const std::string merged =
      write("merged.sdf",
            "<sdf version=\"1.10\"><model name=\"m\"><link name=\"l\"/><include merge=\"true\">"
            "<uri>models/leg</uri></include><include merge=\"true\"><uri>models/leg/two.sdf</uri>"
            "<pose>0 0 7 0 0 0</pose></include></model></sdf>");
  write("models/leg/two.sdf",
        "<sdf version=\"1.9\"><model name=\"two\"><link name=\"calf\"/><link name=\"foot\"><pose>0 1 0 0 0 0</pose>"
        "</link></model></sdf>");
  const auto both = imported_system(bytes_of(merged), {}, merged);
  check(body(*both, "thigh").pose.position, {9, 9, 8});
  check(body(*both, "calf").pose.position, {0, 0, 7});
  check(body(*both, "foot").pose.position, {0, 1, 7});
  const std::string itself = write("itself.sdf",
                                   "<sdf version=\"1.9\"><model name=\"m\"><link name=\"l\"/><include>"
                                   "<uri>itself.sdf</uri><name>again</name></include></model></sdf>");
  CHECK(refusal(bytes_of(itself), {}, itself).find("files include each other in a circle") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("an automatic inertia of SDF is that of the collisions") {
  const auto mass_of = [](const std::string& inertial, const std::string& collisions) {
    return imported_system("<sdf version=\"1.11\"><model name=\"m\"><link name=\"a\"><inertial auto=\"true\">" +
                           inertial + "</inertial>" + collisions + "</link></model></sdf>");
  };
  const std::string box =
      "<collision name=\"c\"><pose>1 0 0 0 0 1.5707963267948966</pose><geometry><box><size>1 2 3</size></box></geometry>"
      "</collision>";
  const auto one = mass_of("<density>500</density>", box);
  const host::BodyItem& body = one->description().bodies.front();
  CHECK(body.mass == Approx(3000));
  CHECK(body.center_of_mass.x == Approx(1));
  CHECK(body.inertia.xx == Approx(3000.0 / 12 * (1 + 9)));
  CHECK(body.inertia.yy == Approx(3000.0 / 12 * (4 + 9)));
  const auto two =
      mass_of("<mass>7</mass>", box +
                                    "<collision name=\"d\"><density>250</density><geometry><sphere><radius>0.5"
                                    "</radius></sphere></geometry></collision>");
  const double ball = 250 * 4.0 / 3 * 3.14159265358979 / 8;
  CHECK(two->description().bodies.front().mass == Approx(7));
  CHECK(two->description().bodies.front().center_of_mass.x == Approx(6000 / (6000 + ball)));
  const auto none = mass_of("", "");
  CHECK(none->description().bodies.front().mass == 1);
}

TEST_CASE("dry friction of SDF acts, and its limits do where they are asked for") {
  const std::string arm =
      "<sdf version=\"1.11\"><model name=\"m\"><link name=\"a\"/><joint name=\"j\" type=\"revolute\"><parent>world"
      "</parent><child>a</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><effort>3</effort></limit><dynamics>"
      "<friction>0.5</friction></dynamics></axis></joint></model></sdf>";
  const host::Conversion plain = imported(arm);
  CHECK(plain.text.find("type: dry-friction, joint: \"j\", effort: 0.5") != std::string::npos);
  CHECK(plain.text.find("joint-limit") == std::string::npos);
  CHECK(imported(arm, {{"friction", "drop"}}).text.find("forces:") == std::string::npos);
  CHECK(imported(arm, {{"limits", "keep"}}).text.find("type: joint-limit, joint: \"j\", lower: -1}") !=
        std::string::npos);
}

TEST_CASE("each axis of a universal joint of SDF has limits and friction of its own") {
  const auto axis = [](const std::string& tag, const std::string& xyz, const std::string& more) {
    return "<" + tag + "><xyz>" + xyz + "</xyz>" + more + "</" + tag + ">";
  };
  const auto cross = [&](const std::string& first, const std::string& second) {
    return model("<link name=\"a\">" + solid() +
                 "</link><joint name=\"j\" type=\"universal\"><parent>world</parent><child>a</child>" +
                 axis("axis", "1 0 0", first) + axis("axis2", "0 1 0", second) + "</joint>");
  };
  const host::Conversion got =
      imported(cross("<limit><lower>-1</lower><upper>0.5</upper></limit>",
                     "<limit><lower>0.25</lower></limit><dynamics><friction>0.5</friction></dynamics>"),
               {{"limits", "keep"}});
  INFO(got.text);
  CHECK(got.text.find("type: joint-limit, joint: \"j\", coordinate: 0, lower: -1, upper: 0.5}") != std::string::npos);
  CHECK(got.text.find("type: joint-limit, joint: \"j\", coordinate: 1, lower: 0.25}") != std::string::npos);
  CHECK(got.text.find("type: dry-friction, joint: \"j\", effort: 0.5, coordinate: 1}") != std::string::npos);
  CHECK(got.text.find("position: [0, 0.25]") != std::string::npos);
  CHECK(got.count(Treatment::not_honoured) == 0);
}

TEST_CASE("SDF says true and false in letters of any case, and nothing says what is usual") {
  const auto lifts = [](const std::string& gravity) {
    return imported(model("<link name=\"a\"><gravity>" + gravity + "</gravity>" + solid() + "</link>"))
               .text.find("a_lift") != std::string::npos;
  };
  CHECK(lifts("false"));
  CHECK(lifts("False"));
  CHECK(lifts(" 0 "));
  CHECK_FALSE(lifts("TRUE"));
  CHECK_FALSE(lifts(""));
  const std::string link = "<link name=\"a\">" + solid() + "</link>";
  CHECK(imported(model("<static>True</static>" + link)).text.find("type: fixed") != std::string::npos);
  const auto turned =
      imported_system(model("<link name=\"a\"><pose degrees=\"True\">0 0 0 0 0 90</pose>" + solid() + "</link>"));
  CHECK(body(*turned, "a").pose.orientation.z == Approx(std::sqrt(0.5)));
  CHECK(refusal(model("<link name=\"a\"><gravity>off</gravity>" + solid() + "</link>"))
            .find("'off' is neither true nor false") != std::string::npos);
  CHECK(refusal(model("<link name=\"a\"><pose rotation_format=\"quat\">0 0 0 0 0 0</pose>" + solid() + "</link>"))
            .find("expected one of: euler_rpy, quat_xyzw") != std::string::npos);
}

TEST_CASE("the way of a joint of SDF ends at no end where the file says inf") {
  const auto limited = [](const std::string& limit) {
    return imported(
               model("<link name=\"a\">" + solid() +
                     "</link><joint name=\"j\" type=\"revolute\"><parent>world</parent><child>a</child><axis><xyz>0 1 "
                     "0</xyz><limit>" +
                     limit + "<effort>inf</effort><velocity>inf</velocity></limit></axis></joint>"),
               {{"limits", "keep"}})
        .text;
  };
  CHECK(limited("<lower>-inf</lower><upper>inf</upper>").find("joint-limit") == std::string::npos);
  CHECK(limited("<lower>-inf</lower><upper>0.5</upper>").find("joint: \"j\", upper: 0.5}") != std::string::npos);
}

TEST_CASE("a model of SDF whose canonical link leads back to itself is refused") {
  const std::string joint = "<joint name=\"j\" type=\"fixed\"><parent>world</parent><child>__model__</child></joint>";
  for (const char* named : {"mark", "__model__"})
    CHECK(refusal(std::string("<sdf version=\"1.9\"><model name=\"m\" canonical_link=\"") + named +
                  "\"><frame name=\"mark\"/><link name=\"a\">" + solid() + "</link>" + joint + "</model></sdf>")
              .find("depends on itself") != std::string::npos);
}

TEST_CASE("a cone of SDF has the mass and the inertia of the solid") {
  const double r = 0.3, length = 0.4, mass = 500 * std::acos(-1.0) * r * r * length / 3;
  const auto system = imported_system(
      "<sdf version=\"1.11\"><model name=\"m\"><link name=\"a\"><inertial auto=\"true\"><density>500</density></inertial>"
      "<collision name=\"c\"><geometry><cone><radius>0.3</radius><length>0.4</length></cone></geometry></collision>"
      "</link></model></sdf>");
  const host::BodyItem& a = body(*system, "a");
  CHECK(a.mass == Approx(mass).epsilon(1e-13));
  CHECK(a.center_of_mass.z == Approx(-length / 4).epsilon(1e-13));
  // About the mass centre: 3/80 m (4 r² + h²) across, 3/10 m r² along.
  CHECK(a.inertia.xx == Approx(3 * mass / 80 * (4 * r * r + length * length)).epsilon(1e-13));
  CHECK(a.inertia.zz == Approx(0.3 * mass * r * r).epsilon(1e-13));
}

TEST_CASE("frames of SDF in a circle are refused where nothing names them too") {
  const std::string link = "<link name=\"a\">" + solid() + "</link>";
  const auto told = [&](const std::string& frames) { return refusal(model(link + frames)); };
  CHECK(told("<frame name=\"x\"><pose relative_to=\"y\"/></frame><frame name=\"y\"><pose relative_to=\"x\"/></frame>")
            .find("the pose of 'x' depends on itself") != std::string::npos);
  CHECK(told("<frame name=\"x\" attached_to=\"nothing\"/>").find("no frame 'nothing'") != std::string::npos);
  imported(model(link + "<frame name=\"x\" attached_to=\"a\"/><frame name=\"y\"><pose relative_to=\"x\"/></frame>"));
}

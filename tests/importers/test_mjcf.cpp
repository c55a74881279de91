// MJCF: masses from shapes, classes, orientations, several joints of a body, equalities, drives.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;
using std::numbers::pi;

namespace {

std::string mujoco(const std::string& world, const std::string& more = "") {
  return "<mujoco>" + more + "<worldbody>" + world + "</worldbody></mujoco>";
}
const host::BodyItem& first_body(const host::System& system) { return system.description().bodies.front(); }
std::unique_ptr<host::System> with_geom(const std::string& geom, const std::string& more = "") {
  return imported_system(mujoco("<body name=\"b\"><freejoint/>" + geom + "</body>", more));
}

}  // namespace

TEST_CASE("masses of geoms are those of solid shapes") {
  const auto check = [](const std::string& geom, double mass, const Vec3& inertia) {
    INFO(geom);
    const auto system = with_geom(geom);
    CHECK(first_body(*system).mass == Approx(mass).epsilon(1e-13));
    CHECK(first_body(*system).inertia.xx == Approx(inertia.x).epsilon(1e-13));
    CHECK(first_body(*system).inertia.yy == Approx(inertia.y).epsilon(1e-13));
    CHECK(first_body(*system).inertia.zz == Approx(inertia.z).epsilon(1e-13));
  };
  check("<geom type=\"box\" size=\"0.1 0.2 0.3\" density=\"500\"/>", 24, {24 * 0.13 / 3, 24 * 0.1 / 3, 24 * 0.05 / 3});
  check("<geom size=\"0.1\" mass=\"2\"/>", 2, {0.008, 0.008, 0.008});
  check("<geom type=\"ellipsoid\" size=\"0.1 0.2 0.3\" mass=\"5\"/>", 5, {0.13, 0.1, 0.05});
  check("<geom type=\"cylinder\" size=\"0.1 0.3\" mass=\"2\"/>", 2,
        {0.5 * 0.01 + 2 * 0.03, 0.5 * 0.01 + 2 * 0.03, 0.01});
  // A capsule of no length is a ball; a long one is close to a rod.
  const auto short_one = with_geom("<geom type=\"capsule\" size=\"0.1 1e-12\" mass=\"2\"/>");
  CHECK(first_body(*short_one).inertia.xx == Approx(0.008).epsilon(1e-10));
  const auto capsule = with_geom("<geom type=\"capsule\" size=\"0.1\" fromto=\"0 0 0 0 0.4 0\" density=\"1000\"/>");
  const double cylinder = 1000 * pi * 0.01 * 0.4, ball = 1000 * 4.0 / 3 * pi * 0.001;
  CHECK(first_body(*capsule).mass == Approx(cylinder + ball));
  CHECK(first_body(*capsule).center_of_mass.y == Approx(0.2));
  CHECK(first_body(*capsule).inertia.yy == Approx(cylinder * 0.005 + ball * 0.004));
  // A mesh: a box of 2 x 4 x 6 about (1, 2, 3), inline.
  const std::string mesh =
      "<asset><mesh name=\"m\" vertex=\"0 0 0  2 0 0  2 4 0  0 4 0  0 0 6  2 0 6  2 4 6  0 4 6\" face=\"0 2 1 0 3 2 "
      "4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7\"/></asset>";
  const auto box = with_geom("<geom type=\"mesh\" mesh=\"m\" density=\"1\"/>", mesh);
  CHECK(first_body(*box).mass == Approx(48).epsilon(1e-13));
  CHECK(first_body(*box).center_of_mass.z == Approx(3).epsilon(1e-13));
  CHECK(first_body(*box).inertia.xx == Approx(48.0 / 12 * (16 + 36)).epsilon(1e-13));
  CHECK(std::abs(first_body(*box).inertia.xy) < 1e-11);
}

TEST_CASE("settings of the compiler count for masses") {
  const std::string two =
      "<body><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 2 3\"/>"
      "<geom size=\"0.1\" mass=\"3\"/></body>";
  const auto mass_of = [&](const std::string& compiler) {
    return first_body(*imported_system(mujoco(two, "<compiler " + compiler + "/>"))).mass;
  };
  CHECK(mass_of("") == 1);
  CHECK(mass_of("inertiafromgeom=\"true\"") == 3);
  CHECK(mass_of("settotalmass=\"8\"") == 8);
  CHECK(mass_of("boundmass=\"5\"") == 5);
  CHECK(mass_of("inertiafromgeom=\"true\" inertiagrouprange=\"1 2\"") == 1);  // no geom counts: its own
  const std::string odd = "<body><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 7\"/></body>";
  CHECK(first_body(*imported_system(mujoco(odd, "<compiler balanceinertia=\"true\"/>"))).inertia.zz == Approx(3));
}

TEST_CASE("orientations of MJCF are read in all five ways") {
  const auto x_axis = [](const std::string& orientation, const std::string& compiler = "") {
    const auto system =
        imported_system(mujoco("<body " + orientation + "><geom size=\"1\"/></body>", "<compiler " + compiler + "/>"));
    return rotation_matrix(first_body(*system).pose.orientation).column(0);
  };
  const auto check = [](const Vec3& a, const Vec3& b) {
    CHECK(a.x == Approx(b.x).margin(1e-14));
    CHECK(a.y == Approx(b.y).margin(1e-14));
    CHECK(a.z == Approx(b.z).margin(1e-14));
  };
  check(x_axis("quat=\"0.70710678118654757 0 0 0.70710678118654757\""), {0, 1, 0});
  check(x_axis("axisangle=\"0 0 2 90\""), {0, 1, 0});
  check(x_axis("axisangle=\"0 0 1 1.5707963267948966\"", "angle=\"radian\""), {0, 1, 0});
  check(x_axis("xyaxes=\"0 3 0 -1 5 0\""), {0, 1, 0});
  check(x_axis("zaxis=\"1 0 0\""), {0, 0, -1});
  check(x_axis("euler=\"90 0 90\""), {0, 0, 1});                      // about x, then about the new z
  check(x_axis("euler=\"90 0 90\"", "eulerseq=\"XYZ\""), {0, 1, 0});  // about x, then about the fixed z
}

TEST_CASE("classes give what elements leave out") {
  const host::Conversion got = imported(mujoco(
      "<body childclass=\"heavy\"><joint name=\"a\" class=\"stiff\"/><geom/>"
      "<body pos=\"1 0 0\"><joint name=\"b\"/><geom class=\"main\" mass=\"0.5\"/></body></body>",
      "<default><geom size=\"0.1\" mass=\"1\"/><joint damping=\"0.25\"/><default class=\"heavy\"><geom mass=\"4\"/>"
      "<default class=\"stiff\"><joint stiffness=\"7\" axis=\"0 1 0\"/></default></default></default>"));
  const auto system = system_from_text(got.text);
  CHECK(system->description().bodies[0].mass == 4);
  CHECK(system->description().bodies[1].mass == 0.5);
  CHECK(got.text.find("stiffness: 7, damping: 0.25") != std::string::npos);
  CHECK(got.text.find("stiffness: 0, damping: 0.25") != std::string::npos);
  CHECK(refusal(mujoco("<body><geom class=\"no\" size=\"1\"/></body>")).find("no class 'no'") != std::string::npos);
}

TEST_CASE("several joints of a body, rotors, springs and drives act as the closed forms say") {
  // Two slides and a hinge in one plane.
  const auto plane =
      imported_system(mujoco("<body><joint name=\"x\" type=\"slide\" axis=\"1 0 0\" armature=\"3\"/><joint name=\"z\" "
                             "type=\"slide\" axis=\"0 0 1\"/>"
                             "<joint name=\"turn\" axis=\"0 1 0\" stiffness=\"2\" springref=\"90\"/><geom type=\"box\" "
                             "size=\"0.1 0.1 0.1\" mass=\"2\"/>"
                             "</body>",
                             "<option gravity=\"1 0 -5\"/>"));
  for (const Formulation* formulation : formulations_for(*plane)) {
    INFO(formulation->name());
    const Coordinates a = accelerations(*plane, *formulation);
    CHECK(a.at("x")[0] == Approx(2.0 / 5).epsilon(1e-12));
    CHECK(a.at("z")[0] == Approx(-5).epsilon(1e-12));
    CHECK(a.at("turn")[0] == Approx(2 * pi / 2 / (2 * 0.02 / 3)).epsilon(1e-12));
  }
  // A position drive with its control at zero is a spring towards it: kp gear² (q + ref).
  const auto driven = imported_system(
      "<mujoco><option gravity=\"0 0 0\"/><worldbody><body><joint name=\"j\" ref=\"30\"/><geom size=\"1\" mass=\"10\"/>"
      "</body></worldbody><actuator><position joint=\"j\" kp=\"3\" gear=\"2\"/><motor "
      "joint=\"j\"/></actuator></mujoco>");
  CHECK(accelerations(*driven, reference_formulation(), {{"j", {0.2}}}).at("j")[0] ==
        Approx(-3 * 4 * (0.2 + pi / 6) / 4).epsilon(1e-12));
}

TEST_CASE("controls of actuators are told as lost, or kept as external signals with gear and gain") {
  const std::string file =
      "<mujoco><option gravity=\"0 0 0\"/><worldbody><body><joint name=\"j\"/><geom size=\"1\" mass=\"10\"/></body>"
      "<body><joint name=\"k\"/><geom size=\"1\" mass=\"10\"/></body><body name=\"ball\"><joint type=\"ball\" "
      "name=\"b\"/><geom size=\"1\" mass=\"10\"/></body></worldbody><tendon><fixed name=\"t\"><joint joint=\"k\" "
      "coef=\"-2\"/></fixed></tendon><actuator><motor name=\"m\" joint=\"j\" gear=\"50\"/><position name=\"p\" "
      "joint=\"j\" kp=\"3\" gear=\"2\"/><motor name=\"pull\" tendon=\"t\" gear=\"5\"/><motor name=\"turn\" joint=\"b\"/>"
      "<intvelocity name=\"i\" joint=\"k\" kp=\"0\"/></actuator></mujoco>";
  const auto lost = imported(file);
  CHECK(count_of(lost, Treatment::not_honoured, "control of actuator/motor") == 3);
  CHECK(count_of(lost, Treatment::not_honoured, "control of actuator/position") == 1);
  CHECK(lost.text.find("signals:") == std::string::npos);
  const auto kept = imported(file, {{"controls", "keep"}});
  CHECK(count_of(kept, Treatment::not_honoured, "control of actuator/motor") == 1);  // of the ball
  CHECK(count_of(kept, Treatment::not_honoured, "control of actuator/intvelocity") == 1);
  CHECK(count_of(kept, Treatment::not_honoured, "control of actuator/position") == 0);
  std::string text = kept.text;
  const double control = 0.3;
  std::size_t signals = 0;
  for (std::size_t at = text.find("initial: 0}"); at != std::string::npos; at = text.find("initial: 0}"), ++signals)
    text.replace(at, std::string("initial: 0").size(), "initial: 0.3");
  CHECK(signals == 3);
  const auto system = system_from_text(text);
  const double inertia = 4;  // 2/5 m r²
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Coordinates a = accelerations(*system, *formulation, {{"j", {0.2}}});
    CHECK(a.at("j")[0] == Approx((50 * control + 2 * 3 * (control - 2 * 0.2)) / inertia).epsilon(1e-12));
    CHECK(a.at("k")[0] == Approx(-2 * 5 * control / inertia).epsilon(1e-12));
  }
}

// MuJoCo counts the compensation of weights among its passive forces.
TEST_CASE("a body of MJCF is lifted unless passive forces are switched off") {
  const auto lifted = [](const std::string& flags) {
    const std::string body = "<body gravcomp=\"0.5\"><joint axis=\"0 1 0\"/><geom size=\"0.1\" pos=\"1 0 0\"/></body>";
    return imported(mujoco(body, "<option><flag " + flags + "/></option>"));
  };
  CHECK(lifted("").text.find("point-force") != std::string::npos);
  const host::Conversion off = lifted("passive=\"disable\"");
  CHECK(off.text.find("point-force") == std::string::npos);
  CHECK(count_of(off, Treatment::converted, "worldbody/body@gravcomp") == 1);
}

TEST_CASE("equalities of MJCF close loops and couple joints") {
  // A parallelogram of two cranks and a coupler, hinged by a connect.
  const std::string loop =
      "<mujoco><worldbody><body name=\"crank\"><joint name=\"a\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.01\" "
      "fromto=\"0 0 0 0 0 1\"/><body name=\"coupler\" pos=\"0 0 1\"><joint name=\"b\" axis=\"0 1 0\"/><geom "
      "type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 2 0 0\"/></body></body><body name=\"rocker\" pos=\"2 0 0\"><joint "
      "name=\"c\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 0 0 1\"/></body></worldbody>"
      "<equality><connect body1=\"coupler\" body2=\"rocker\" anchor=\"2 0 0\"/></equality></mujoco>";
  const auto system = imported_system(loop);
  CHECK(system->loops() == 1);
  CHECK(system->count_constraints().degrees_of_freedom == 1);
  const auto coupled = imported_system(
      "<mujoco><worldbody><body><joint name=\"a\" axis=\"0 1 0\"/><geom size=\"0.1\" pos=\"1 0 "
      "0\"/></body><body><joint "
      "name=\"b\" axis=\"0 1 0\"/><geom size=\"0.1\" pos=\"1 0 0\"/></body><body><joint name=\"c\"/><geom "
      "size=\"1\"/></body></worldbody><equality><joint joint1=\"a\" joint2=\"b\" polycoef=\"0 3 0 0 0\"/><joint "
      "joint1=\"c\"/><joint joint1=\"b\" active=\"false\"/></equality></mujoco>");
  CHECK(coupled->count_constraints().degrees_of_freedom == 1);
  for (const Formulation* formulation : formulations_for(*coupled)) {
    INFO(formulation->name());
    const Coordinates a = accelerations(*coupled, *formulation);
    CHECK(a.at("a")[0] == Approx(3 * a.at("b")[0]).epsilon(1e-10));
    CHECK(std::abs(a.at("c")[0]) < 1e-12);
  }
}

namespace {

/// The pose of a body by its name.
const Observation::Body& body_named(const host::System& system, host::ObservationStore& store, std::string_view name) {
  const auto bodies = system.view().bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies[i].name == name) return store.now().bodies[i];
  throw std::runtime_error("no such body");
}

}  // namespace

// MuJoCo takes relpose for where the anchor of the second body lies in the first one.
TEST_CASE("a weld of MJCF holds the body at its relpose, in every formulation") {
  const auto welded = [](const std::string& weld) {
    return imported_system(mujoco(
        "<body name=\"a\" pos=\"0 0 1\"><joint name=\"ja\" axis=\"0 1 0\"/><inertial mass=\"1\" pos=\"0.2 0 0\" "
        "diaginertia=\"0.1 0.2 0.15\"/></body><body name=\"b\" pos=\"0.5 0 1\"><freejoint name=\"jb\"/><inertial "
        "mass=\"2\" pos=\"0.1 0 0\" diaginertia=\"0.1 0.2 0.15\"/></body>",
        "<equality><weld body1=\"a\" body2=\"b\" " + weld + "/></equality>"));
  };
  const std::string turned = "0.92387953251128674 0 0.38268343236508978 0";  // 45 degrees about y
  const double s = std::sqrt(0.5);
  const auto check = [&](const host::System& system, const Vec3& at) {
    CHECK(system.count_constraints().degrees_of_freedom == 1);
    for (const Formulation* formulation : formulations_for(system)) {
      INFO(formulation->name());
      const host::SolverPointer solver = solver_for(system, *formulation);
      std::vector<double> y(solver->state_size());
      REQUIRE(solver->encode(system.initial_state(), y) == Status::ok);
      host::ObservationStore store(system.view());
      REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
      const Pose &a = body_named(system, store, "a").pose, &b = body_named(system, store, "b").pose;
      const Mat3 R = rotation_matrix(a.orientation);
      const Vec3 apart = transpose_times(R, b.position - a.position);
      CHECK(norm(apart - at) < 1e-9);
      const Vec3 x = transpose_times(R, rotation_matrix(b.orientation).column(0));
      CHECK(norm(x - Vec3{s, 0, -s}) < 1e-9);
      // One pendulum of both bodies about the y axis of the hinge.
      const Vec3 c = at + Vec3{0.1 * s, 0, -0.1 * s};
      const double inertia = 0.2 + 0.04 + 0.2 + 2 * (c.x * c.x + c.z * c.z);
      const double moment = 9.81 * (0.2 * R.column(0).x + 2 * (R * Vec3{c.x, 0, c.z}).x);
      CHECK(body_named(system, store, "a").angular_acceleration.y == Approx(moment / inertia).epsilon(1e-8));
    }
  };
  check(*welded("relpose=\"0.6 0.1 0 " + turned + "\""), {0.6, 0.1, 0});
  check(*welded("anchor=\"0.3 0.2 0\" relpose=\"0.6 0.1 0 " + turned + "\""), {0.6 - 0.3 * s, -0.1, 0.3 * s});
  // As drawn: no quaternion, or the drawn pose.
  for (const char* weld : {"", "relpose=\"1 1 1 0 0 0 0\"", "relpose=\"0.5 0 0 2 0 0 0\""})
    CHECK(welded(weld)->view().bodies.size() == 2);
}

TEST_CASE("a connect of MJCF brings sites together that are drawn apart, or says that it cannot") {
  const auto text = [](const std::string& site) {
    return mujoco(
        "<body name=\"a\" pos=\"0 0 1\"><joint name=\"ja\" axis=\"0 1 0\"/><geom size=\"0.1\"/><site name=\"s1\" "
        "pos=\"0.3 0 0.1\"/></body><body name=\"b\" pos=\"0.5 0 1\"><joint name=\"jb\" axis=\"0 1 0\"/><geom "
        "size=\"0.1\"/><site name=\"s2\" pos=\"" +
            site + "\"/></body>",
        "<equality><connect name=\"c\" site1=\"s1\" site2=\"s2\"/></equality>");
  };
  const auto system = imported_system(text("-0.25 0 0.05"));
  const host::SolverPointer solver = solver_for(*system, reference_formulation());
  std::vector<double> y(solver->state_size());
  REQUIRE(solver->encode(system->initial_state(), y) == Status::ok);
  host::ObservationStore store(system->view());
  REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
  const Pose &a = body_named(*system, store, "a").pose, &b = body_named(*system, store, "b").pose;
  const Vec3 one = a.position + rotation_matrix(a.orientation) * Vec3{0.3, 0, 0.1};
  const Vec3 two = b.position + rotation_matrix(b.orientation) * Vec3{-0.25, 0, 0.05};
  CHECK(norm(one - two) < 1e-9);
  // Hinges in one plane bring no points together that lie beside each other.
  const host::Conversion got = imported(text("-0.2 0.1 0"));
  CHECK(got.text.find("c_shift") != std::string::npos);
}

TEST_CASE("the shipped leg runs, and all solvers agree") {
  const std::string file = std::string(POLYFORM_MODELS) + "/leg.xml";
  const auto system = imported_system(bytes_of(file), {}, file);
  CHECK(system->loops() == 1);
  const Coordinates expected = accelerations(*system, reference_formulation());
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    check_equal(accelerations(*system, *formulation), expected, 1e-8);
  }
}

TEST_CASE("files of MJCF that include each other in a circle are named") {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("mjcf_circle_{}", ::getpid());
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    const std::string path = (folder / name).string();
    std::ofstream(path) << text;
    return path;
  };
  const std::string itself = write("itself.xml", "<mujoco>\n<include file=\"itself.xml\"/></mujoco>");
  const std::string a = write("a.xml", "<mujoco><worldbody><include file=\"b.xml\"/></worldbody></mujoco>");
  const std::string b = write("b.xml", "<mujocoinclude>\n <include file=\"./a.xml\"/></mujocoinclude>");
  const auto refused = [](const std::string& file) { return refusal(bytes_of(file), {}, file); };
  CHECK(refused(itself).find(itself + ":2:1: error: files include each other in a circle: " + itself + " includes " +
                             itself) != std::string::npos);
  CHECK(refused(itself).find("error:") == refused(itself).rfind("error:"));
  CHECK(refused(a).find(a + " includes " + b + " includes ") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("errors of MJCF name the place") {
  CHECK(refusal("<mujoco>\n<worldbody><body><joint axis=\"0 0 0\"/></body></worldbody></mujoco>")
            .find("robot:2:18: error: the axis has no length") != std::string::npos);
  CHECK(refusal(mujoco("<body><joint type=\"screw\"/><geom size=\"1\"/></body>")).find("no joint type 'screw'") !=
        std::string::npos);
  CHECK(refusal(mujoco("<body><geom type=\"box\" size=\"1\"/></body>")).find("needs 3 sizes") != std::string::npos);
  CHECK(refusal(mujoco("<body><geom type=\"mesh\" mesh=\"m\"/></body>")).find("no mesh 'm'") != std::string::npos);
  CHECK(refusal("<mujoco><include file=\"not_there.xml\"/></mujoco>").find("cannot be read") != std::string::npos);
  CHECK(refusal("<mujoco/>").find("has no bodies") != std::string::npos);
  const std::string replicated = mujoco("<replicate count=\"3\"><body><geom size=\"1\"/></body></replicate>");
  CHECK(refusal(replicated).find("but those that MuJoCo makes from `replicate`, which are not read") !=
        std::string::npos);
}

TEST_CASE("the range of a ball of MJCF limits its whole rotation") {
  const auto ball = [](const std::string& range) {
    return "<mujoco><worldbody><body name=\"b\"><joint name=\"j\" type=\"ball\" limited=\"true\" range=\"" + range +
           "\"/><geom size=\"1\"/></body></worldbody></mujoco>";
  };
  const std::string kept = imported(ball("0 60"), {{"limits", "keep"}}).text;
  INFO(kept);
  CHECK(kept.find("type: joint-limit, joint: \"j\", turn: 1.047197551196597") != std::string::npos);
  CHECK(imported(ball("0 180"), {{"limits", "keep"}}).text.find("joint-limit") == std::string::npos);
  CHECK(imported(ball("-10 60"), {{"limits", "keep"}}).count(Treatment::not_honoured) > 0);
  CHECK(imported(ball("0 60")).text.find("joint-limit") == std::string::npos);
}

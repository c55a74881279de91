// Accelerations of imported files against those of MuJoCo, which reads the same files.
#include <mujoco/mujoco.h>

#include <cmath>
#include <fstream>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// MuJoCo turns inertias to their principal axes by an iteration that ends at some 1e-11.
constexpr double rounding = 1e-9;

struct Free {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

/// Positions from the drawn ones and velocities of hinges and slides, some numbers of their own each.
void set_state(const host::System& system, Coordinates& q, Coordinates& v) {
  double x = 0.15;
  for (const JointData& joint : system.view().joints)
    if (joint.nq == 1) {
      q[std::string(joint.name)] = {x};
      v[std::string(joint.name)] = {0.9 - 2 * x};
      x = x > 0.5 ? -0.4 : x + 0.11;
    }
}

/// Accelerations of hinges and slides, and of the origins of free bodies.
Coordinates of_mujoco(const std::string& bytes, const char* ending, const Coordinates& q, const Coordinates& v) {
  const std::string file = std::string(MUJOCO_FOLDER) + "/model" + ending;
  std::ofstream(file) << bytes;
  char message[1000] = "";
  const std::unique_ptr<mjModel, Free> m(mj_loadXML(file.c_str(), nullptr, message, sizeof message));
  INFO(message);
  REQUIRE(m);
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  m->opt.iterations = 1000;
  m->opt.tolerance = 0;
  const std::unique_ptr<mjData, Free> d(mj_makeData(m.get()));
  for (int j = 0; j < m->njnt; ++j) {
    const char* const name = mj_id2name(m.get(), mjOBJ_JOINT, j);
    if (name == nullptr) continue;
    if (const auto given = q.find(name); given != q.end()) d->qpos[m->jnt_qposadr[j]] += given->second[0];
    if (const auto given = v.find(name); given != v.end()) d->qvel[m->jnt_dofadr[j]] = given->second[0];
  }
  mj_forward(m.get(), d.get());
  Coordinates out;
  for (int j = 0; j < m->njnt; ++j)
    if (const char* const name = mj_id2name(m.get(), mjOBJ_JOINT, j); name != nullptr && m->jnt_type[j] >= mjJNT_SLIDE)
      out[name] = {d->qacc[m->jnt_dofadr[j]]};
  return out;
}

void check_file(const std::string& bytes, const char* ending, bool moved, double tolerance,
                const host::ImportOptions& options = {}) {
  INFO(bytes);
  const auto system = imported_system(bytes, options, std::string(POLYFORM_MODELS) + "/model" + ending);
  Coordinates q, v;
  if (moved) set_state(*system, q, v);
  const Coordinates expected = of_mujoco(bytes, ending, q, v);
  REQUIRE_FALSE(expected.empty());
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    check_equal(accelerations(*system, *formulation, q, v), expected, tolerance);
  }
}

std::string mujoco(const std::string& world, const std::string& more = "", const std::string& after = "") {
  return "<mujoco>" + more + "<worldbody>" + world + "</worldbody>" + after + "</mujoco>";
}

}  // namespace

TEST_CASE("arms with masses from all shapes have MuJoCo's accelerations") {
  check_file(mujoco("<body pos=\"0 0 1\" euler=\"10 20 30\"><joint name=\"a\" axis=\"1 2 3\" pos=\"0.1 0 0\"/><geom "
                    "type=\"capsule\" size=\"0.05\" fromto=\"0 0 0 0.3 0.1 0\"/><body pos=\"0.3 0.1 0\" zaxis=\"1 1 "
                    "0\"><joint name=\"b\" axis=\"0 1 0\" damping=\"0.2\" stiffness=\"3\" springref=\"20\"/><geom "
                    "type=\"box\" size=\"0.1 0.05 0.02\" euler=\"5 6 7\" pos=\"0.1 0 0\"/><geom type=\"ellipsoid\" "
                    "size=\"0.03 0.04 0.05\" quat=\"1 2 3 4\"/><body xyaxes=\"0 1 0 0 0 1\" pos=\"0 0.2 0\"><joint "
                    "name=\"c\" type=\"slide\" axis=\"1 1 0\" armature=\"0.5\"/><geom type=\"cylinder\" size=\"0.03 "
                    "0.1\" axisangle=\"1 0 0 40\"/><geom size=\"0.06\" mass=\"0.3\"/></body></body></body>"),
             ".xml", true, rounding);
}

TEST_CASE("bodies with several joints, classes and settings have MuJoCo's accelerations") {
  const std::string world =
      "<body childclass=\"arm\" pos=\"0 0 2\"><joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/><joint name=\"y\" "
      "type=\"slide\" axis=\"0 1 0.2\"/><joint name=\"r\" axis=\"0 0 1\" ref=\"25\"/><joint name=\"s\" axis=\"0 1 0\" "
      "pos=\"0 0 0.1\" class=\"soft\"/><geom fromto=\"0 0 0 0 0 -0.5\"/><body pos=\"0 0 -0.5\"><joint name=\"t\" "
      "axis=\"1 0 0\"/><geom type=\"box\" size=\"0.1 0.2 0.05\"/></body></body>";
  const std::string defaults =
      "<default><geom density=\"700\"/><default class=\"arm\"><geom type=\"capsule\" size=\"0.04\"/><joint "
      "damping=\"0.3\" armature=\"0.02\"/><default class=\"soft\"><joint stiffness=\"5\" springref=\"0.3\" "
      "damping=\"0\"/></default></default></default>";
  check_file(mujoco(world, defaults), ".xml", true, rounding);
  check_file(mujoco(world,
                    "<compiler angle=\"radian\" settotalmass=\"17\" inertiafromgeom=\"true\" "
                    "eulerseq=\"zyx\" boundmass=\"1\"/><option gravity=\"1 2 -3\"/>" +
                        defaults),
             ".xml", true, rounding);
}

TEST_CASE("free bodies, balls, drives and inertials have MuJoCo's accelerations") {
  check_file(
      mujoco("<body pos=\"0 0 1\" quat=\"1 0.2 0.3 0.4\"><freejoint/><inertial pos=\"0.1 0 0.02\" mass=\"3\" "
             "fullinertia=\"0.1 0.12 0.15 0.01 0.02 -0.01\"/><body pos=\"0.2 0 0\"><joint name=\"a\" axis=\"0 1 "
             "0\"/><inertial pos=\"0 0 0.1\" mass=\"1\" euler=\"10 20 30\" diaginertia=\"0.01 0.02 0.025\"/><body "
             "pos=\"0 0 0.3\"><joint type=\"ball\" damping=\"0.1\"/><geom type=\"capsule\" size=\"0.02\" "
             "fromto=\"0 0 0 0.1 0.2 0.3\"/><body pos=\"0.1 0.2 0.3\"><joint name=\"b\" axis=\"1 0 0\"/><geom "
             "type=\"box\" size=\"0.05 0.02 0.03\" pos=\"0.1 0.1 0\"/></body></body></body></body>",
             "",
             "<actuator><position joint=\"a\" kp=\"4\" gear=\"3\"/><velocity joint=\"b\" kv=\"0.5\"/><general "
             "joint=\"a\" biastype=\"affine\" biasprm=\"0.3 -2 -0.1\"/><motor joint=\"b\"/></actuator>"),
      ".xml", true, rounding);
}

namespace {

/// Two arms of which the second carries the geoms in question, so that their mass counts.
std::string with_geoms(const std::string& geoms, const std::string& more = "") {
  return mujoco(
      "<body pos=\"0 0 1\"><joint name=\"a\" axis=\"1 2 0\"/><geom size=\"0.1\" pos=\"0.3 0 0\"/><body "
      "pos=\"0.5 0 0\" euler=\"20 0 30\"><joint name=\"b\" axis=\"0 1 1\"/>" +
          geoms + "</body></body>",
      more);
}

/// MuJoCo keeps vertices in single precision.
constexpr double single = 1e-6;

/// An angle of two arms, a prism that is not convex.
const std::string angle_mesh =
    "<asset><mesh name=\"m\" scale=\"0.2 0.3 0.4\" vertex=\"0 0 0 3 0 0 3 1 0 1 1 0 1 2 0 0 2 0 0 0 .5 3 0 .5 3 1 .5 1 1 "
    ".5 1 2 .5 0 2 .5\" face=\"3 1 0 3 2 1 4 3 0 5 4 0 6 7 9 7 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 "
    "4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11\"/><mesh name=\"points\" vertex=\"0 0 0 .3 0 0 0 .4 0 0 0 .5 .05 .05 "
    ".05\"/></asset>";

}  // namespace

TEST_CASE("meshes have MuJoCo's masses, convex or not, by either rule") {
  const std::string exact = "<compiler exactmeshinertia=\"true\"/>";
  const std::string geom = "<geom type=\"mesh\" mesh=\"m\" euler=\"10 0 40\" pos=\"0.2 0.1 0\"/>";
  check_file(with_geoms(geom, angle_mesh), ".xml", true, single);
  check_file(with_geoms(geom, exact + angle_mesh), ".xml", true, single);
  // Points without faces stand for the smallest convex body around them.
  check_file(with_geoms("<geom type=\"mesh\" mesh=\"points\"/>", angle_mesh), ".xml", true, single);
}

TEST_CASE("shapes that stand for meshes are those of MuJoCo") {
  for (const char* type : {"", "type=\"sphere\"", "type=\"capsule\"", "type=\"cylinder\"", "type=\"ellipsoid\"",
                           "type=\"box\" fitscale=\"1.5\""})
    check_file(
        with_geoms(std::string("<geom mesh=\"m\" euler=\"10 0 40\" pos=\"0.2 0.1 0\" ") + type + "/>", angle_mesh),
        ".xml", true, single);
}

TEST_CASE("bodies without geoms that count keep their inertial, and bounds count in principal axes") {
  const std::string inertial = "<inertial pos=\"0.3 0.1 0\" mass=\"3\" diaginertia=\".1 .2 .25\" euler=\"0 0 45\"/>";
  const std::string all = "<compiler inertiafromgeom=\"true\" inertiagrouprange=\"0 1\"/>";
  check_file(with_geoms(inertial, all), ".xml", true, rounding);
  check_file(with_geoms(inertial + "<geom size=\"0.2\" group=\"3\"/>", all), ".xml", true, rounding);
  check_file(with_geoms(inertial + "<geom size=\"0.2\" group=\"1\"/>", all), ".xml", true, rounding);
  check_file(with_geoms(inertial, "<compiler boundinertia=\"0.22\"/>"), ".xml", true, rounding);
  check_file(with_geoms("<geom type=\"capsule\" size=\"0.1\" fromto=\"0 0 0 .1 .2 .4\"/>",
                        "<compiler boundinertia=\"0.3\" boundmass=\"20\"/>"),
             ".xml", true, rounding);
  const std::string seen =
      "<geom size=\".1\" pos=\".1 0 0\"/><geom size=\".2\" pos=\"1 0 0\" contype=\"0\" "
      "conaffinity=\"0\"/>";
  check_file(with_geoms(seen), ".xml", true, rounding);
  check_file(with_geoms(seen, "<compiler discardvisual=\"true\"/>"), ".xml", true, rounding);
}

TEST_CASE("global coordinates are those of MuJoCo") {
  check_file(mujoco("<body pos=\"1 0 1\" euler=\"10 20 30\"><joint name=\"a\" axis=\"1 2 3\" pos=\"0.9 0 1\"/><geom "
                    "type=\"capsule\" size=\"0.05\" fromto=\"1 0 1 1.3 0.1 1.2\"/><body><joint name=\"b\" axis=\"0 1 "
                    "0\" pos=\"1.3 0.1 1.2\"/><geom type=\"box\" size=\"0.1 0.05 0.02\" euler=\"5 6 7\" pos=\"1.5 0.1 "
                    "1.1\"/><geom size=\".1\" pos=\"1.6 0 1\"/><body><joint name=\"c\" axis=\"0 1 1\"/><inertial "
                    "pos=\"2 0 1\" mass=\"1\" diaginertia=\".1 .2 .15\" euler=\"0 30 0\"/></body></body></body>",
                    "<compiler coordinate=\"global\"/>"),
             ".xml", true, rounding);
}

TEST_CASE("defaults of drives are one set of numbers, whatever shortcut gives them") {
  const std::string arm = "<body><joint name=\"j\" axis=\"0 1 0\"/><geom size=\".1\" pos=\".1 0 0\"/></body>";
  const auto check = [&](const std::string& defaults, const std::string& drives) {
    check_file(mujoco(arm, "<default>" + defaults + "</default>", "<actuator>" + drives + "</actuator>"), ".xml", true,
               rounding);
  };
  check("<position gear=\"3\" kp=\"5\"/>", "<velocity joint=\"j\" kv=\"2\"/>");
  check("<position gear=\"3\" kp=\"5\"/>", "<velocity joint=\"j\"/>");
  check("<general gear=\"2\" biastype=\"affine\" biasprm=\"1 -30 -1\"/>",
        "<motor joint=\"j\"/><position joint=\"j\"/><velocity joint=\"j\"/><general joint=\"j\" biastype=\"none\"/>"
        "<general jointinparent=\"j\"/>");
  check("<motor gear=\"2\"/><default class=\"c\"><cylinder bias=\"1 -2 -3\"/></default>",
        "<general joint=\"j\" class=\"c\"/><cylinder joint=\"j\" bias=\"3 0 -1\"/>");
}

TEST_CASE("springs and dampers by time constants and damping ratios are those of MuJoCo") {
  check_file(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0" springdamper=".1 .7" armature=".02" springref=".1"/>
      <geom type="capsule" fromto="0 0 0 .5 0 .1" size=".05"/>
      <body name="b" pos=".5 0 .1"><joint name="j2" type="slide" axis="0 0 1" springdamper=".2 1" stiffness="3"/>
        <joint name="j3" axis="1 0 0" pos="0 .1 0" stiffness="3"/><geom size=".1" pos=".1 .2 0"/>
        <body name="c" pos="0 .3 0"><joint name="j4" axis="1 1 0" springdamper=".3 .5" damping="7"/>
          <geom type="box" size=".1 .05 .02" pos=".1 0 0"/></body></body></body>
    </worldbody></mujoco>)",
             ".xml", true, rounding);
}

TEST_CASE("armatures of balls and free joints on the world are those of MuJoCo") {
  check_file(mujoco("<body pos=\"0 0 1\"><joint type=\"free\" armature=\"2\"/><geom type=\"box\" size=\".1 .2 .3\" "
                    "pos=\".3 0 .1\"/><body pos=\".5 0 0\"><joint name=\"a\" axis=\"0 1 0\" armature=\".5\"/><geom "
                    "size=\".1\" pos=\".3 0 0\"/></body></body><body pos=\"0 0 3\"><joint type=\"ball\" "
                    "armature=\"2\"/><geom type=\"box\" size=\".1 .2 .3\" pos=\".3 0 .1\"/><body pos=\".5 0 "
                    "0\"><joint name=\"b\" axis=\"0 1 0\"/><geom size=\".1\" pos=\".3 0 0\"/></body></body>"),
             ".xml", true, rounding);
}

TEST_CASE("loops and couplings come to MuJoCo's accelerations, which give way") {
  // Its constraints are soft: the largest stiffness that it allows leaves some 1e-4.
  const std::string stiff = " solref=\"0.0001 1\" solimp=\"0.9999 0.9999 0.001\"";
  check_file(
      mujoco("<body name=\"crank\"><joint name=\"a\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" "
             "fromto=\"0 0 0 0.1 0 0.5\"/><body name=\"coupler\" pos=\"0.1 0 0.5\"><joint name=\"b\" axis=\"0 1 "
             "0\"/><geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0.8 0 0.1\"/></body></body><body "
             "name=\"rocker\" pos=\"1 0 0\"><joint name=\"c\" axis=\"0 1 0\"/><geom type=\"capsule\" size=\"0.02\" "
             "fromto=\"0 0 0 -0.1 0 0.6\"/></body>",
             "",
             "<equality><connect body1=\"coupler\" body2=\"rocker\" anchor=\"0.8 0 0.1\"" + stiff + "/></equality>"),
      ".xml", false, 2e-3);
  check_file(mujoco("<body><joint name=\"a\" axis=\"0 1 0\"/><geom size=\"0.1\" pos=\"0.5 0 0\"/></body><body><joint "
                    "name=\"b\" axis=\"0 1 0\"/><geom size=\"0.08\" pos=\"1 0 0\"/></body>",
                    "", "<equality><joint joint1=\"a\" joint2=\"b\" polycoef=\"0 -2 0 0 0\"" + stiff + "/></equality>"),
             ".xml", false, 2e-3);
}

TEST_CASE("tendons pull as MuJoCo's do") {
  const std::string arm =
      "<body pos=\"0 0 1\"><joint name=\"a\" axis=\"0 1 0\" ref=\"10\"/><geom type=\"capsule\" size=\"0.05\" "
      "fromto=\"0 0 0 0.4 0.1 0\"/><site name=\"one\" pos=\"0.2 0.05 0.1\"/><body pos=\"0.4 0.1 0\"><joint name=\"b\" "
      "axis=\"1 1 0\" springref=\"20\"/><geom type=\"box\" size=\"0.1 0.05 0.2\"/><site name=\"two\" pos=\"0.1 0 "
      "0.2\"/></body></body><site name=\"post\" pos=\"0 0.3 0.2\"/>";
  check_file(mujoco(arm, "<default><tendon damping=\"0.3\"/></default>",
                    "<tendon><fixed name=\"sum\" stiffness=\"7\"><joint joint=\"a\" coef=\"1.5\"/><joint joint=\"b\" "
                    "coef=\"-0.7\"/></fixed><fixed stiffness=\"4\" springlength=\"0.2\" damping=\"0\"><joint "
                    "joint=\"b\" coef=\"2\"/></fixed><spatial stiffness=\"60\" springlength=\"0.35\"><site "
                    "site=\"one\"/><site site=\"two\"/></spatial><spatial stiffness=\"20\" damping=\"1\" "
                    "springlength=\"0\"><site site=\"two\"/><site site=\"post\"/></spatial></tendon>"),
             ".xml", true, rounding);
  const std::string stiff = " solref=\"0.0001 1\" solimp=\"0.9999 0.9999 0.001\"";
  check_file(mujoco("<body><joint name=\"a\" axis=\"0 1 0\"/><geom size=\"0.1\" pos=\"0.5 0 0\"/></body><body><joint "
                    "name=\"b\" axis=\"0 1 0\"/><geom size=\"0.08\" pos=\"1 0 0\"/></body>",
                    "",
                    "<tendon><fixed name=\"t\"><joint joint=\"a\" coef=\"2\"/><joint joint=\"b\" coef=\"3\"/></fixed>"
                    "</tendon><equality><tendon tendon1=\"t\"" +
                        stiff + "/></equality>"),
             ".xml", false, 2e-3);
}

TEST_CASE("the shipped arm has MuJoCo's accelerations, where its joints are independent") {
  std::string bytes = bytes_of(std::string(POLYFORM_MODELS) + "/arm.urdf");
  // MuJoCo knows no mimic joints and no links without mass on fixed joints but by merging them, which it does.
  check_file(bytes, ".urdf", true, rounding, {{"mimic", "independent"}});
}

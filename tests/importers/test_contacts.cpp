// Contacts of files, and what is listed where they, limits, classes or inertias cannot be kept.
#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const std::string two_balls =
    "<mujoco><worldbody><body name=\"a\" pos=\"0 0 1\"><joint name=\"z\" type=\"slide\" axis=\"0 0 1\"/><geom "
    "size=\".1\"/></body><body name=\"b\" pos=\"0 0 .85\"><geom size=\".1\"/></body></worldbody></mujoco>";

std::size_t not_honoured(const host::Conversion& c) { return c.count(Treatment::not_honoured); }

double acceleration_of_z(const host::System& system) {
  const Formulation& formulation = *formulations_for(system).front();
  return accelerations(system, formulation, {}, {}).at("z").front();
}

}  // namespace

TEST_CASE("bodies of MJCF that overlap are pushed apart, or the list tells that they are not") {
  CHECK(not_honoured(imported(two_balls)) == 2);
  CHECK(acceleration_of_z(*imported_system(two_balls)) == Approx(-9.81));
  const host::ImportOptions keep{{"contacts", "keep"}};
  CHECK(not_honoured(imported(two_balls, keep)) == 0);
  CHECK(acceleration_of_z(*imported_system(two_balls, keep)) > 0);
}

TEST_CASE("bodies that MJCF excludes or that a joint connects do not touch") {
  std::string apart = two_balls;
  apart.insert(apart.find("</mujoco>"), "<contact><exclude body1=\"a\" body2=\"b\"/></contact>");
  CHECK(not_honoured(imported(apart)) == 0);
  CHECK(imported(apart, {{"contacts", "keep"}}).text.find("contacts:") == std::string::npos);
}

TEST_CASE("what is merged with a body that does not touch another one is told of") {
  const std::string text =
      "<mujoco><worldbody><body name=\"a\"><freejoint/><geom size=\"1\"/><body name=\"part\"><geom size=\"1\"/></body>"
      "</body><body name=\"b\"><freejoint/><geom size=\"1\"/></body></worldbody><contact><exclude body1=\"part\" "
      "body2=\"b\"/></contact></mujoco>";
  CHECK(not_honoured(imported(text, {{"contacts", "keep"}})) == 0);
  CHECK(not_honoured(imported(text, {{"contacts", "keep"}, {"merge_fixed", "true"}})) == 1);
}

TEST_CASE("collisions of URDF and SDF touch with contacts=keep, and visuals are drawn alone") {
  const std::string ball = "<geometry><sphere radius=\"1\"/></geometry>";
  const std::string urdf =
      "<robot name=\"r\"><link name=\"a\"><visual>" + ball + "</visual></link><link name=\"b\"><collision>" + ball +
      "</collision></link><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
  const auto system = imported_system(urdf, {{"contacts", "keep"}});
  CHECK(system->description().bodies[0].geometry.empty());
  CHECK(system->description().bodies[0].pictures.size() == 1);
  CHECK(system->description().bodies[1].geometry.size() == 1);
  CHECK(not_honoured(imported(urdf)) == 1);
}

TEST_CASE("which neighbours touch is the rule of each format") {
  const std::string ball = "<geometry><sphere radius=\"1\"/></geometry>", hit = "<collision>" + ball + "</collision>";
  // The base is welded to ground, and the second link to a third one: all are neighbours of the first.
  const std::string urdf = "<robot name=\"r\"><link name=\"a\">" + hit + "</link><link name=\"b\"/><link name=\"c\">" +
                           hit +
                           "</link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child "
                           "link=\"b\"/></joint><joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child "
                           "link=\"c\"/></joint></robot>";
  CHECK(not_honoured(imported(urdf, {{"contacts", "keep"}})) == 0);
  CHECK(imported(urdf, {{"contacts", "keep"}}).text.find("contacts:") == std::string::npos);
  // MuJoCo lets what is welded to the world touch what it carries, and a model cannot have contacts of joined bodies.
  const std::string mjcf =
      "<mujoco><worldbody><body name=\"a\"><geom size=\"1\"/><body name=\"b\"><joint/><geom "
      "size=\"1\"/></body></body></worldbody></mujoco>";
  const host::Conversion kept = imported(mjcf, {{"contacts", "keep"}});
  CHECK(count_of(kept, Treatment::not_honoured, "contact of bodies that a joint connects") == 1);
  // In SDF the links of a joint do not touch, and others do where the model says so.
  const auto sdf = [&](const std::string& of_model) {
    return "<sdf version=\"1.9\"><model name=\"m\">" + of_model + "<link name=\"a\"><collision name=\"x\">" +
           "<geometry><sphere><radius>1</radius></sphere></geometry>" +
           "</collision></link><link name=\"b\"/><link name=\"c\"><collision name=\"x\"><geometry><sphere><radius>1"
           "</radius></sphere></geometry></collision></link><joint name=\"j\" type=\"fixed\"><parent>a</parent><child>b"
           "</child></joint><joint name=\"k\" type=\"ball\"><parent>b</parent><child>c</child></joint></model></sdf>";
  };
  CHECK(imported(sdf(""), {{"contacts", "keep"}}).text.find("contacts:") == std::string::npos);
  CHECK(imported(sdf("<self_collide>true</self_collide>"), {{"contacts", "keep"}}).text.find("contacts:") !=
        std::string::npos);
}

TEST_CASE("an SDF without an axis honours its version") {
  CHECK(not_honoured(imported("<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"/></model></sdf>")) == 0);
}

TEST_CASE("an unknown class of MJCF is told once, and a quaternion of no length is none") {
  const auto with = [](const std::string& body, const std::string& geom) {
    return "<mujoco><worldbody><body " + body + "><freejoint/><geom size=\"1\" " + geom +
           "/></body></worldbody></mujoco>";
  };
  const std::string told = refusal(with("", "class=\"x\""));
  const std::size_t first = told.find("there is no class");
  REQUIRE(first != std::string::npos);
  CHECK(told.find("there is no class", first + 1) == std::string::npos);
  CHECK(imported_system(with("quat=\"0 0 0 0\"", ""))->description().bodies[0].pose.orientation.w == 1);
}

TEST_CASE("a joint that follows another at its limit begins where that one puts it") {
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& more) {
    return "<link name=\"" + name + "\"/><joint name=\"j" + name + "\" type=\"revolute\"><parent link=\"" + parent +
           "\"/><child link=\"" + name + "\"/><axis xyz=\"0 1 0\"/>" + more + "</joint>";
  };
  const std::string urdf =
      "<robot name=\"r\"><link name=\"o\"/>" + joint("a", "o", "<limit lower=\"0.5\" upper=\"1\"/>") +
      joint("b", "a", "<limit lower=\"-3\" upper=\"3\"/><mimic joint=\"ja\" multiplier=\"2\"/>") + "</robot>";
  const std::string text = imported(urdf, {{"limits", "keep"}, {"mimic", "coupled"}}).text;
  CHECK(text.find("initial: {position: [0.5]}") != std::string::npos);
  CHECK(text.find("initial: {position: [1]}") != std::string::npos);
}

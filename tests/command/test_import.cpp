// polyform import and export through the command line, and files of other programs in place of models.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Matchers::Contains;
using Json = nlohmann::json;

namespace {

const std::string models = POLYFORM_MODELS;
const std::string pendulum =
    "<robot name=\"p\">\n<link name=\"base\"/>\n<link name=\"rod\"><inertial><origin xyz=\"0 0 -0.5\"/><mass "
    "value=\"2\"/><inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" "
    "iyz=\"0\"/></inertial></link>\n<joint name=\"hinge\" type=\"revolute\"><parent link=\"base\"/><child "
    "link=\"rod\"/><axis xyz=\"0 1 0\"/>\n  <limit effort=\"1\"/></joint>\n</robot>\n";

}  // namespace

TEST_CASE("import writes a model that runs, and lists what became of the file") {
  const Workshop shop;
  const Outcome outcome = shop.run({"import", models + "/arm.urdf", "-o", "arm.yaml"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err,
             Contains("not honoured:") && Contains("5  joint/limit@lower: a joint moves beyond its limits; with the"));
  CHECK_THAT(outcome.err, Contains("joint/mimic"));
  CHECK_THAT(shop.read("arm.yaml"), Contains("name: \"flange_mount\""));
  CHECK(shop.run({"run", "arm.yaml", "--duration", "0.05", "--quiet"}).code == 0);
  const Outcome printed = shop.run({"import", models + "/arm.urdf"});
  CHECK(printed.out == shop.read("arm.yaml"));
}

TEST_CASE("the list of an import is one object on request") {
  const Workshop shop;
  const Outcome outcome = shop.run({"import", models + "/leg.xml", "-o", "leg.yaml", "--json"});
  CHECK(outcome.code == 0);
  const Json object = Json::parse(outcome.err);
  CHECK(object.at("format") == "mjcf");
  CHECK(object.at("bodies") == 6);
  CHECK(object.at("not_honoured") > 0);
  std::size_t sum = 0;
  for (const Json& finding : object.at("findings"))
    if (finding.at("treatment") == "not honoured") sum += finding.at("count").get<std::size_t>();
  CHECK(sum == object.at("not_honoured"));
  // An output that cannot be written is told before the list, and alone.
  const Outcome refused = shop.run({"import", models + "/leg.xml", "-o", "/dev/null", "--json"});
  CHECK(refused.code == 2);
  CHECK(refused.err.starts_with("error: cannot write results to /dev/null"));
}

TEST_CASE("strict imports refuse losses and write nothing") {
  const Workshop shop;
  shop.write("p.urdf", pendulum);
  const Outcome outcome = shop.run({"import", "p.urdf", "-o", "p.yaml", "--strict"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("--strict: 1 thing of p.urdf would not be honoured: joint/limit@effort"));
  CHECK_FALSE(std::filesystem::exists(shop.path("p.yaml")));
}

TEST_CASE("every command that takes a file of another program refuses losses with --strict") {
  const Workshop shop;
  shop.write("p.urdf", pendulum);
  const Outcome run = shop.run({"run", "p.urdf", "--duration", "0.05", "--output", "p.csv", "--strict", "--strict"});
  CHECK(run.code == 2);
  CHECK_THAT(run.err, Contains("p.urdf: error: strict: 1 thing would not be honoured: joint/limit@effort (1)"));
  CHECK_FALSE(std::filesystem::exists(shop.path("p.csv")));
  CHECK(shop.run({"check", "p.urdf", "--import-option", "strict=true"}).code == 2);
  CHECK(shop.run({"check", "p.urdf", "--import-option", "strict=false"}).code == 0);
  CHECK(shop.run({"export", "--sdf", "p.urdf", "-o", "p.sdf", "--strict"}).code == 2);
  shop.write("lossless.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>");
  CHECK(shop.run({"check", "lossless.urdf", "--strict"}).code == 0);
}

TEST_CASE("commands take files of other programs, and name what is lost") {
  const Workshop shop;
  shop.write("p.urdf", pendulum);
  const Outcome check = shop.run({"check", "p.urdf"});
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Contains("degrees of freedom  1"));
  CHECK_THAT(check.err, Contains("p.urdf: warning: not honoured of this file: joint/limit@effort (1)"));
  CHECK_THAT(shop.run({"check", "p.urdf", "--import-option", "base=free"}).out, Contains("degrees of freedom  7"));
  CHECK(shop.run({"run", "p.urdf", "--duration", "0.05", "--quiet"}).code == 0);
  CHECK(shop.run({"evaluate", models + "/gripper.sdf"}).code == 0);
  CHECK(shop.run({"study", "p.urdf", "--vary", "bodies.rod.mass=1,2", "--quantity", "e=final(hinge.q)", "--duration",
                  "0.05", "--output", "s.csv", "--quiet"})
            .code == 0);
}

TEST_CASE("export writes what the formats can say, and lists the rest") {
  const Workshop shop;
  for (const std::string format : {"urdf", "sdf", "mjcf"}) {
    INFO(format);
    const Outcome outcome = shop.run({"export", "--" + format, models + "/arm.urdf", "-o", "arm." + format});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("arm.urdf (" + format + "): "));
    CHECK(shop.run({"check", "arm." + format}).code == 0);
  }
  CHECK_THAT(shop.run({"export", "--udrf", models + "/arm.urdf"}).err, Contains("Did you mean '--urdf'?"));
  CHECK_THAT(shop.run({"export", models + "/arm.urdf"}).err, Contains("the format is missing"));
  CHECK_THAT(shop.run({"export", models + "/arm.urdf", "-o", "a.fmu"}).err, Contains("--fmi 2"));
  CHECK(shop.run({"export", models + "/arm.urdf", "-o", "by_its_name.sdf"}).code == 0);
  CHECK(shop.run({"import", "by_its_name.sdf", "--strict"}).code == 0);
  CHECK_THAT(shop.run({"export", "--fmi", "2", "--sdf", models + "/arm.urdf", "-o", "a.fmu"}).err,
             Contains("an FMU is a format by itself"));
  const Outcome beam = shop.run({"export", "--sdf", models + "/flexible_pendulum.yaml"});
  CHECK(beam.code == 2);
  CHECK_THAT(beam.err, Contains("rigid bodies alone"));
}

TEST_CASE("what cannot be imported is told with its place") {
  const Workshop shop;
  shop.write("cut.urdf", pendulum.substr(0, 100));
  const Outcome cut = shop.run({"import", "cut.urdf"});
  CHECK(cut.code == 2);
  CHECK_THAT(cut.err, Contains("cut.urdf:") && Contains("the XML is malformed"));
  CHECK(shop.run({"run", "cut.urdf"}).code == 2);
  shop.write("two.urdf", pendulum + "<robot name=\"second\"><link name=\"l\"/></robot>\n");
  const Outcome two = shop.run({"import", "two.urdf"});
  CHECK(two.code == 2);
  CHECK_THAT(two.err, Contains("<robot> stands behind the end of <robot>"));
  const Outcome ignored = shop.run({"check", models + "/simple_pendulum.yaml", "--import-option", "base=free"});
  CHECK(ignored.code == 2);
  CHECK_THAT(ignored.err, Contains("--import-option base=free: this is a model file"));
  shop.write("m.yaml", "polyform: 1\n");
  CHECK_THAT(shop.run({"import", "m.yaml"}).err, Contains("not of a format that is imported"));
  CHECK(shop.run({"import", "not_there.urdf"}).code == 2);
  shop.write("page.html", "<html/>");
  CHECK(shop.run({"run", "page.html"}).code == 3);
}

TEST_CASE("a model that is written elsewhere finds the meshes of the robot, and runs as the robot does") {
  const Workshop shop;
  std::filesystem::create_directories(shop.path("robot"));
  std::filesystem::create_directories(shop.path("models"));
  shop.write("robot/part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  std::string robot = pendulum;
  robot.insert(robot.find("</inertial>") + 11,
               "<visual><geometry><mesh filename=\"part.obj\" scale=\"0.125 0.125 0.125\"/></geometry></visual>");
  shop.write("robot/p.urdf", robot);
  const Outcome outcome = shop.run({"import", "robot/p.urdf", "-o", "models/p.yaml"});
  CHECK(outcome.code == 0);
  CHECK_THAT(shop.read("models/p.yaml"), Contains("{type: mesh, file: \"../robot/part.obj\", scale: 0.125, position"));
  for (const char* const model : {"models/p.yaml", "robot/p.urdf"})
    CHECK(shop.run({"run", model, "--duration", "0.05", "--quiet", "--report", "p.html"}).code == 0);
}

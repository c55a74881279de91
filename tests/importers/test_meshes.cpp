// Meshes of visuals: which files are found, what the model says of them, and what the list says of others.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

namespace fs = std::filesystem;

/// A folder of files, gone when the test ends.
class MeshFolder {
 public:
  MeshFolder() : root_(fs::temp_directory_path() / fmt::format("polyform_meshes_{}", ::getpid())) {
    fs::remove_all(root_);
  }
  ~MeshFolder() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  MeshFolder(const MeshFolder&) = delete;
  MeshFolder& operator=(const MeshFolder&) = delete;

  std::string write(const std::string& name, const std::string& content) const {
    const fs::path path = root_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string operator/(const std::string& name) const { return (root_ / name).string(); }

 private:
  fs::path root_;
};

/// A tetrahedron with edges of 1 along the axes, and the same without the face that looks at (1, 1, 1).
const std::string closed_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const std::string open_obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
const std::string one_facet =
    "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 3 0\n"
    "endloop\nendfacet\nendsolid s\n";

std::string urdf_with(const std::string& visuals) {
  return "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
         "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>" +
         visuals + "</link></robot>";
}
std::string visual_of(const std::string& file, const std::string& more = "") {
  return "<visual>" + more + "<geometry><mesh filename=\"" + file + "\"/></geometry></visual>";
}
std::string sdf_with(const std::string& mesh) {
  return "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"><visual name=\"v\"><pose>1 0 0 0 0 0</pose><geometry>"
         "<mesh>" +
         mesh + "</mesh></geometry></visual></link></model></sdf>";
}

/// The shapes of the only body of what is imported from a file.
std::vector<GeometricShape> shapes_in(const host::System& system) {
  const auto& body = system.description().bodies.front();
  std::vector<GeometricShape> shapes = body.geometry;
  shapes.insert(shapes.end(), body.pictures.begin(), body.pictures.end());
  return shapes;
}

/// What the list says of things that are not honoured.
std::string losses(const host::Conversion& got) {
  std::string text;
  for (const host::FoundThing& thing : got.findings)
    if (thing.treatment == Treatment::not_honoured) text += fmt::format("{}: {}\n", thing.what, thing.remark);
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("meshes of a URDF file are shapes of the body, with scale and place") {
  const MeshFolder folder;
  folder.write("parts/a.OBJ", closed_obj);
  folder.write("parts/facet.stl", one_facet);
  const std::string file = folder / "robot.urdf";
  const std::string text = urdf_with(
      "<visual><origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><geometry><mesh filename=\"parts/a.OBJ\" "
      "scale=\"0.1 0.2 -0.3\"/></geometry></visual>" +
      visual_of("parts/facet.stl"));
  const host::Conversion got = imported(text, {}, file);
  INFO(got.text);
  CHECK(losses(got).empty());
  CHECK(count_of(got, Treatment::converted, "link/visual/geometry/mesh") == 2);
  const auto system = system_from_text(got.text);
  const std::vector<GeometricShape> shapes = shapes_in(*system);
  REQUIRE(shapes.size() == 2);
  CHECK(shapes[0].kind == GeometricShape::Kind::mesh);
  CHECK(shapes[0].pose.position.y == 2);
  CHECK(shapes[0].pose.orientation.z == Approx(std::sqrt(0.5)).epsilon(1e-14));
  REQUIRE(shapes[0].vertices.size() == 4);
  CHECK(shapes[0].vertices[2].y == 0.2);
  CHECK(shapes[0].vertices[3].z == -0.3);
  CHECK_FALSE(shapes[0].convex);
  CHECK(shapes[1].vertices.size() == 3);  // open surfaces are good for pictures
}

TEST_CASE("packages are found above the file, beside a folder above it, and in given folders") {
  const MeshFolder folder;
  folder.write("ws/arm_description/meshes/a.obj", closed_obj);
  folder.write("ws/hand_description/b.obj", closed_obj);
  folder.write("elsewhere/tool/c.obj", closed_obj);
  const std::string file = folder / "ws/arm_description/urdf/robot.urdf";
  fs::create_directories(fs::path(file).parent_path());
  const std::string text =
      urdf_with(visual_of("package://arm_description/meshes/a.obj") + visual_of("package://hand_description/b.obj") +
                visual_of("model://hand_description/b.obj") + visual_of("package://tool/c.obj"));
  const host::Conversion without = imported(text, {}, file);
  CHECK(has(losses(without), "mesh: not shown: its file is not found; the option packages=FOLDER"));
  CHECK(count_of(without, Treatment::not_honoured, "link/visual/geometry/mesh") == 1);
  CHECK(shapes_in(*system_from_text(without.text)).size() == 3);
  for (const char* const where : {"elsewhere", "elsewhere/tool", "elsewhere/tool/"}) {
    INFO(where);
    const host::Conversion with = imported(text, {{"packages", "/nowhere:" + (folder / where)}}, file);
    CHECK(losses(with).empty());
    CHECK(shapes_in(*system_from_text(with.text)).size() == 4);
  }
}

TEST_CASE("a model names meshes from its own folder where that is told") {
  const MeshFolder folder;
  folder.write("robot/a.obj", closed_obj);
  const std::string text = urdf_with(visual_of("a.obj")), file = folder / "robot/robot.urdf";
  CHECK(has(imported(text, {}, file).text, "file: \"" + fs::canonical(folder / "robot/a.obj").string() + "\""));
  CHECK(has(imported(text, {{"model_folder", folder / "models"}}, file).text, "file: \"../robot/a.obj\""));
  CHECK(has(imported(text, {{"model_folder", folder / "robot"}}, file).text, "file: \"a.obj\""));
}

TEST_CASE("meshes that are not shown are listed with the reason, and the robot is imported") {
  const MeshFolder folder;
  folder.write("a.dae", "<COLLADA/>");
  folder.write("broken.stl", "solid s\nvertex 0 0\n");
  folder.write("good.obj", closed_obj);
  const std::string large = folder.write("large.stl", one_facet);
  fs::resize_file(large, (std::uintmax_t{20} << 20) + 1);
  const std::string file = folder / "robot.urdf";
  const auto told = [&](const std::string& visual, const std::string& reason) {
    INFO(visual);
    const host::Conversion got = imported(urdf_with(visual), {}, file);
    INFO(losses(got));
    CHECK(has(losses(got), "link/visual/geometry/mesh: " + reason));
    CHECK(shapes_in(*system_from_text(got.text)).empty());
  };
  told(visual_of("a.dae"), "not shown: meshes are read from STL, OBJ and glTF files, and this is '.dae'");
  told(visual_of("broken.stl"), "not shown: its file cannot be read: a corner has three coordinates");
  told(visual_of("nothing.stl"), "not shown: its file is not found");
  told(visual_of("http://example.org/a.stl"), "not shown: what lies on the network is not read");
  told(visual_of(""), "not shown: its file is not found");
  told(visual_of("large.stl"), "not shown: its file is larger than 20 MiB");
  told("<visual><geometry><mesh filename=\"good.obj\" scale=\"1 0 1\"/></geometry></visual>", "a shape without extent");
  told("<visual><geometry><mesh filename=\"good.obj\" scale=\"1 1e200 1\"/></geometry></visual>",
       "not shown: its numbers are too large");
}

TEST_CASE("meshes that are too large together for one page are left out from there on") {
  const MeshFolder folder;
  std::string obj = closed_obj;
  while (obj.size() < (std::size_t{9} << 20)) obj += "# nothing but a long comment that takes room in the file\n";
  folder.write("a.obj", obj);
  const host::Conversion got =
      imported(urdf_with(visual_of("a.obj") + visual_of("a.obj") + visual_of("a.obj")), {}, folder / "robot.urdf");
  CHECK(has(losses(got), "not shown: the meshes of the robot together are larger than 20 MiB"));
  CHECK(shapes_in(*system_from_text(got.text)).size() == 2);
}

TEST_CASE("meshes of SDF visuals are shapes, and parts of meshes are listed") {
  const MeshFolder folder;
  folder.write("ball/meshes/a.obj", closed_obj);
  const std::string file = folder / "ball/model.sdf";
  for (const char* const uri : {"meshes/a.obj", "model://ball/meshes/a.obj", "file://meshes/a.obj"}) {
    INFO(uri);
    const host::Conversion got =
        imported(sdf_with(std::string("<uri>") + uri + "</uri><scale>2 2 2</scale>"), {}, file);
    CHECK(count_of(got, Treatment::converted, "model/link/visual/geometry/mesh") == 1);
    const auto system = system_from_text(got.text);
    REQUIRE(shapes_in(*system).size() == 1);
    CHECK(shapes_in(*system)[0].vertices[1].x == 2);
    CHECK(shapes_in(*system)[0].pose.position.x == 1);
  }
  const host::Conversion part =
      imported(sdf_with("<uri>meshes/a.obj</uri><submesh><name>lid</name></submesh>"), {}, file);
  CHECK(has(losses(part), "model/link/visual/geometry/mesh: not shown: a part of a mesh"));
}

TEST_CASE("meshes of MJCF geoms are shapes, by file or as triangles, where the geom has them") {
  const MeshFolder folder;
  folder.write("assets/a.obj", closed_obj);
  const std::string head = "<mujoco><compiler meshdir=\"assets\" angle=\"radian\"/>";
  const auto corner = [&](const std::string& assets, const std::string& geom, bool by_file) {
    const host::Conversion got = imported(
        head + "<asset>" + assets + "</asset><worldbody><body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"m\" " +
            geom + "/></body></worldbody></mujoco>",
        {}, folder / "robot.xml");
    INFO(got.text);
    CHECK(has(got.text, "type: mesh, file:") == by_file);
    CHECK(count_of(got, Treatment::converted, "picture of a mesh") == 1);
    const auto system = system_from_text(got.text);
    REQUIRE(shapes_in(*system).size() == 1);
    const GeometricShape shape = shapes_in(*system)[0];
    // Where the corner (0, 0, 1) of the file stands in the body.
    return shape.pose.position + rotation_matrix(shape.pose.orientation) * shape.vertices[3];
  };
  const auto check = [](const Vec3& found, const Vec3& expected) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(found[i] == Approx(expected[i]).margin(1e-12));
  };
  check(corner("<mesh name=\"m\" file=\"a.obj\"/>", "pos=\"1 2 3\"", true), {1, 2, 4});
  check(corner("<mesh name=\"m\" file=\"a.obj\" scale=\"1 2 3\" refpos=\"1 1 0\"/>", "", true), {-1, -2, 3});
  // refquat: a quarter turn about x takes z of the mesh to -y of the file, so z of the file is y of the mesh.
  const std::string turned = "refquat=\"0.7071067811865476 0.7071067811865476 0 0\"";
  check(corner("<mesh name=\"m\" file=\"a.obj\" scale=\"2 2 2\" " + turned + "/>", "", true), {0, 2, 0});
  check(corner("<mesh name=\"m\" file=\"a.obj\" scale=\"1 2 3\" " + turned + "/>", "", false), {0, 2, 0});
  check(corner("<mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 2 1 0 1 3 0 3 2 1 2 3\"/>", "", false),
        {0, 0, 1});
  const host::Conversion hidden =
      imported(head +
                   "<asset><mesh name=\"m\" file=\"a.obj\"/></asset><worldbody><body><freejoint/><geom "
                   "type=\"mesh\" mesh=\"m\" group=\"3\"/></body></worldbody></mujoco>",
               {}, folder / "robot.xml");
  CHECK(shapes_in(*system_from_text(hidden.text)).empty());
}

TEST_CASE("contacts warn of open meshes of bodies, and run with them") {
  const MeshFolder folder;
  folder.write("open.obj", open_obj);
  folder.write("closed.obj", closed_obj);
  const auto warnings = [&](const std::string& mesh) {
    std::string text = imported(urdf_with(visual_of(mesh)), {{"base", "free"}}, folder / "robot.urdf").text;
    const std::string drawn_alone = ", visual: true";
    REQUIRE(has(text, drawn_alone));
    text.erase(text.find(drawn_alone), drawn_alone.size());
    text +=
        "ground: {geometry: [{type: plane, position: [0, 0, -3]}]}\ncontacts: {all: true, stiffness: 1.0e+5, "
        "restitution: 0.5}\n";
    host::Diagnostics diagnostics;
    bool missing_plugin = false;
    host::read_model_text(text, "robot", registry().catalog(), diagnostics, missing_plugin, {});
    CHECK_FALSE(diagnostics.failed());
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
    return all;
  };
  CHECK(has(warnings("open.obj"), "a mesh of the body 'a' is not closed"));
  CHECK_FALSE(has(warnings("closed.obj"), "not closed"));
}

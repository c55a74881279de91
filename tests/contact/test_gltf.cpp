// Triangles of glTF files: those of the scene, at the places of its nodes, and what is refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/helpers/triangle_mesh.hpp"

using namespace polyform;

namespace {

template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
  std::string out;
  for (const T number : numbers) out.append(reinterpret_cast<const char*>(&number), sizeof number);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : digits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

/// The corners (0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), and the faces of their tetrahedron, seen from outside.
const std::string corners = bytes_of<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
const std::string faces = bytes_of<std::uint16_t>({0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3});

/// A file of one mesh in a buffer of its own. nodes: its nodes; more: other keys of the file.
std::string gltf_with(const std::string& nodes, const std::string& buffer, const std::string& more = "",
                      const std::string& primitive = R"("attributes": {"POSITION": 0}, "indices": 1)") {
  return fmt::format(R"({{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}], "nodes": [{}],
    "meshes": [{{"primitives": [{{{}}}]}}],
    "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}},
                  {{"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}}],
    "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 24}}],
    "buffers": [{{"byteLength": 72{}}}]{}}})",
                     nodes, primitive, buffer, more);
}
std::string in_text(const std::string& bytes) {
  return R"(, "uri": "data:application/octet-stream;base64,)" + base64(bytes) + "\"";
}
std::string tetrahedron(const std::string& node) { return gltf_with(node, in_text(corners + faces)); }

std::string glb_of(std::string json, std::string buffer) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  buffer.resize((buffer.size() + 3) / 4 * 4, '\0');
  const auto size = [](std::size_t bytes) { return bytes_of<std::uint32_t>({static_cast<std::uint32_t>(bytes)}); };
  return "glTF" + size(2) + size(28 + json.size() + buffer.size()) + size(json.size()) + "JSON" + json +
         size(buffer.size()) + std::string("BIN\0", 4) + buffer;
}

TriangleMesh read_good(const std::string& bytes, const char* ending = ".gltf") {
  MeshFault fault;
  auto mesh = read_mesh(bytes, ending, fault);
  INFO(fault.what);
  REQUIRE(mesh);
  return std::move(*mesh);
}

/// What a closed surface encloses, and the mean point of it.
struct Inside {
  double volume = 0;
  Vec3 middle{};
};
Inside inside(const TriangleMesh& mesh) {
  Inside out;
  for (const auto& f : mesh.faces) {
    const Vec3 a = mesh.vertices[f[0]], b = mesh.vertices[f[1]], c = mesh.vertices[f[2]];
    const double part = dot(a, cross(b, c)) / 6;
    out.volume += part;
    out.middle += part / 4 * (a + b + c);
  }
  out.middle = (1 / out.volume) * out.middle;
  return out;
}
void check_inside(const TriangleMesh& mesh, double volume, const Vec3& middle) {
  CHECK(is_closed(mesh));
  const Inside got = inside(mesh);
  CHECK(got.volume == Approx(volume).epsilon(1e-12));
  CHECK(norm(got.middle - middle) < 1e-12);
}

void check_refused(const std::string& bytes, const std::string& what, const char* ending = ".gltf") {
  MeshFault fault;
  const bool is_read = read_mesh(bytes, ending, fault).has_value();
  INFO("wanted: " << what << "\ngot: " << fault.what);
  CHECK_FALSE(is_read);
  CHECK(fault.what.find(what) != std::string::npos);
}

}  // namespace

TEST_CASE("a glTF file gives the triangles of its scene, as text and as .glb") {
  const std::string bytes = corners + faces, plain = R"({"mesh": 0})";
  check_inside(read_good(tetrahedron(plain)), 1.0 / 6, {0.25, 0.25, 0.25});
  check_inside(read_good(glb_of(gltf_with(plain, ""), bytes), ".GLB"), 1.0 / 6, {0.25, 0.25, 0.25});
  CHECK(read_good(tetrahedron(plain)).vertices.size() == 4);
}

TEST_CASE("nodes of a glTF file move, turn, stretch and mirror what they hold") {
  // A quarter turn about z takes (x, y, z) to (-y, x, z).
  const std::string turned = R"({"mesh": 0, "translation": [1, 2, 3], "scale": [2, 1, 4],
                                 "rotation": [0, 0, 0.7071067811865476, 0.7071067811865476]})";
  check_inside(read_good(tetrahedron(turned)), 8.0 / 6, {1 - 0.25, 2 + 0.5, 3 + 1});
  const std::string as_matrix = R"({"mesh": 0, "matrix": [0, 2, 0, 0, -1, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1]})";
  check_inside(read_good(tetrahedron(as_matrix)), 8.0 / 6, {1 - 0.25, 2 + 0.5, 3 + 1});
  // A child is placed in the axes of its parent; what is mirrored still faces outside.
  const std::string child = R"({"children": [1], "scale": [-3, 1, 1]}, {"mesh": 0, "translation": [1, 0, 0]})";
  check_inside(read_good(tetrahedron(child)), 3.0 / 6, {-3 * 1.25, 0.25, 0.25});
  // Two nodes hold the same mesh.
  const TriangleMesh twice =
      read_good(tetrahedron(R"({"mesh": 0, "children": [1]}, {"mesh": 0, "translation": [5, 0, 0]})"));
  check_inside(twice, 2.0 / 6, {2.75, 0.25, 0.25});
}

TEST_CASE("a glTF file may have strips, fans, triangles without indices, and whole numbers for lengths") {
  // The strip and the fan of four corners are two triangles that share a side, and face the same way.
  for (const int mode : {5, 6}) {
    const TriangleMesh mesh = read_good(gltf_with(
        R"({"mesh": 0})",
        in_text(bytes_of<float>({0, 0, 0, 1, 0, 0, mode == 5 ? 0.f : 1.f, 1, 0, mode == 5 ? 1.f : 0.f, 1, 0}) + faces),
        "", fmt::format(R"("attributes": {{"POSITION": 0}}, "mode": {})", mode)));
    REQUIRE(mesh.faces.size() == 2);
    double area = 0;
    for (const auto& f : mesh.faces)
      area += cross(mesh.vertices[f[1]] - mesh.vertices[f[0]], mesh.vertices[f[2]] - mesh.vertices[f[0]]).z / 2;
    CHECK(area == 1);
  }
  const TriangleMesh first =
      read_good(gltf_with(R"({"mesh": 0})", in_text(corners + faces), "", R"("attributes": {"POSITION": 0})"));
  CHECK(first.faces.size() == 1);
  // Corners as normalized bytes: 127 is 1, and each takes 4 bytes.
  std::string file = tetrahedron(R"({"mesh": 0})");
  const std::string packed = bytes_of<std::int8_t>({0, 0, 0, 9, 127, 0, 0, 9, 0, 127, 0, 9, 0, 0, 127, 9});
  file = gltf_with(R"({"mesh": 0})", in_text(packed + std::string(32, '\0') + faces),
                   R"(, "extensionsRequired": ["KHR_mesh_quantization"])");
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = file.find(from);
    REQUIRE(at != std::string::npos);
    file.replace(at, from.size(), to);
  };
  replace("\"componentType\": 5126", "\"normalized\": true, \"componentType\": 5120");
  replace("\"byteLength\": 48", "\"byteStride\": 4, \"byteLength\": 48");
  check_inside(read_good(file), 1.0 / 6, {0.25, 0.25, 0.25});
}

TEST_CASE("glTF files that cannot be read are told with the reason") {
  const std::string plain = R"({"mesh": 0})", whole = tetrahedron(plain);
  MeshFault fault;
  CHECK_FALSE(read_mesh("{\n\"nodes\": [\n,]}", ".gltf", fault));
  CHECK((fault.what == "it is no JSON text" && fault.line == 3));
  check_refused("[]", "it is no JSON object");
  check_refused("{\"a\": 1e999}", "too large");
  check_refused("{}", "it has no triangles");
  check_refused(gltf_with(plain, R"(, "uri": "part.bin")"),
                "its numbers are in another file, 'part.bin'; save it as .glb, which holds them");
  check_refused(gltf_with(plain, in_text(corners + faces), R"(, "extensionsRequired": ["KHR_draco_mesh_compression"])"),
                "it needs the extension 'KHR_draco_mesh_compression'; save it without");
  check_refused(gltf_with(plain, in_text(corners)), "accessors[1] reaches beyond the end of its buffer");
  check_refused(gltf_with(plain, R"(, "uri": "data:;base64,A*")"), "a buffer is no base64 text");
  check_refused(tetrahedron(R"({"mesh": 3})"), "meshes[3] is named, and there are 1");
  check_refused(tetrahedron(R"({"mesh": -1})"), "'mesh' is no whole number");
  check_refused(tetrahedron(R"({"mesh": 0, "children": [0]})"), "nodes[0] stands in two places of the tree");
  check_refused(tetrahedron(R"({"mesh": 0, "scale": [1, 1]})"), "'scale' has not 3 numbers");
  check_refused(tetrahedron(R"({"mesh": 0, "rotation": [0, 0, 0, 0]})"), "a 'rotation' is zero");
  check_refused(gltf_with(plain, in_text(corners + bytes_of<std::uint16_t>({0, 2, 9, 0, 1, 3, 0, 3, 2, 1, 2, 3}))),
                "a triangle names vertex 9, and there are 4");
  check_refused(gltf_with(plain, in_text(bytes_of<float>({0, 0, 0, NAN, 0, 0, 0, 1, 0, 0, 0, 1}) + faces)),
                "vertex 1 is not finite");
  check_refused(whole, "it does not begin as a .glb file does", ".glb");
  const std::string glb = glb_of(gltf_with(plain, ""), corners + faces);
  check_refused(glb.substr(0, 11), "it does not begin as a .glb file does", ".glb");
  check_refused(glb.substr(0, glb.size() - 4), "the file ends within a chunk", ".glb");
  std::string old = glb;
  old[4] = 1;
  check_refused(old, "its glTF version is 1, and version 2 is read", ".glb");
  // Wherever a file is cut or changed, it is read or refused.
  for (std::size_t i = 0; i < glb.size(); ++i) {
    std::string changed = glb;
    changed[i] = static_cast<char>(changed[i] ^ 0x15);
    read_mesh(changed, ".glb", fault);
    read_mesh(glb.substr(0, i), ".glb", fault);
  }
}

#include "polyform/helpers/triangle_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "gltf_mesh.hpp"

namespace polyform {

namespace {

using Face = std::array<std::uint32_t, 3>;

/// Of the files that read_mesh reads.
constexpr std::array<std::string_view, 4> mesh_endings{".stl", ".obj", ".glb", ".gltf"};

/// The words of a text between blanks, with the number of the line that they stand in.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// Goes to the next line that has words; false at the end.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      if (line_.find_first_not_of(blanks) != std::string_view::npos) return true;
    }
    return false;
  }
  /// The next word of the line; empty at its end.
  std::string_view word() {
    const std::size_t begin = std::min(line_.find_first_not_of(blanks), line_.size());
    line_.remove_prefix(begin);
    const std::string_view found = line_.substr(0, std::min(line_.find_first_of(blanks), line_.size()));
    line_.remove_prefix(found.size());
    return found;
  }
  std::size_t number() const { return number_; }

 private:
  static constexpr std::string_view blanks = " \t\r";
  std::string_view rest_, line_;
  std::size_t number_ = 0;
};

std::optional<double> number_of(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double x = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
  if (error != std::errc() || end != word.data() + word.size() || word.empty() || !std::isfinite(x))
    return std::nullopt;
  return x;
}

std::optional<Vec3> read_corner(Lines& lines, MeshFault& fault) {
  Vec3 p;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string_view word = lines.word();
    const std::optional<double> x = number_of(word);
    if (!x) {
      fault = {word.empty() ? std::string("a corner has three coordinates")
                            : fmt::format("'{}' is no coordinate", word.substr(0, 40)),
               lines.number()};
      return std::nullopt;
    }
    p[k] = *x;
  }
  return p;
}

/// Corners at the same place become one; triangles of which two corners are one go.
TriangleMesh joined(std::span<const Vec3> corners) {
  struct Less {
    bool operator()(const Vec3& a, const Vec3& b) const {
      return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z};
    }
  };
  std::map<Vec3, std::uint32_t, Less> known;
  TriangleMesh mesh;
  Face face{};
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const auto [at, is_new] = known.emplace(corners[i], static_cast<std::uint32_t>(mesh.vertices.size()));
    if (is_new) mesh.vertices.push_back(corners[i]);
    face[i % 3] = at->second;
    if (i % 3 == 2 && face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) mesh.faces.push_back(face);
  }
  return mesh;
}

constexpr std::size_t stl_head = 84, stl_triangle = 50;

std::optional<TriangleMesh> read_binary_stl(std::string_view bytes, std::size_t count, MeshFault& fault) {
  std::vector<Vec3> corners;
  corners.reserve(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    float numbers[9];
    std::memcpy(numbers, bytes.data() + stl_head + stl_triangle * i + 12, sizeof numbers);
    for (std::size_t k = 0; k < 9; k += 3) {
      const Vec3 p{numbers[k], numbers[k + 1], numbers[k + 2]};
      if (!std::isfinite(dot(p, p))) {
        fault = {fmt::format("triangle {} has a corner that is not finite", i + 1), 0};
        return std::nullopt;
      }
      corners.push_back(p);
    }
  }
  return joined(corners);
}

std::optional<TriangleMesh> read_text_stl(std::string_view bytes, MeshFault& fault) {
  std::vector<Vec3> corners;
  Lines lines(bytes);
  while (lines.next()) {
    const std::string_view word = lines.word();
    if (word == "endfacet" && corners.size() % 3 != 0) {
      fault = {"a facet has three corners", lines.number()};
      return std::nullopt;
    }
    if (word != "vertex") continue;
    const std::optional<Vec3> p = read_corner(lines, fault);
    if (!p) return std::nullopt;
    corners.push_back(*p);
  }
  if (corners.size() % 3 == 0) return joined(corners);
  fault = {"the file ends within a facet", lines.number()};
  return std::nullopt;
}

std::optional<TriangleMesh> read_stl(std::string_view bytes, MeshFault& fault) {
  std::uint32_t count = 0;
  if (bytes.size() >= stl_head) std::memcpy(&count, bytes.data() + stl_head - sizeof count, sizeof count);
  if (count > 0 && bytes.size() >= stl_head + stl_triangle * std::size_t{count})
    return read_binary_stl(bytes, count, fault);
  if (bytes.starts_with("solid")) return read_text_stl(bytes, fault);
  fault = {bytes.size() < stl_head
               ? std::string("it begins with no 'solid' and is too short for a binary STL file")
               : fmt::format("a binary STL file of {} triangles has {} bytes at least, and this one has {}", count,
                             stl_head + stl_triangle * std::size_t{count}, bytes.size()),
           0};
  return std::nullopt;
}

std::optional<TriangleMesh> read_obj(std::string_view bytes, MeshFault& fault) {
  TriangleMesh mesh;
  std::vector<std::uint32_t> corners;
  Lines lines(bytes);
  while (lines.next()) {
    const std::string_view kind = lines.word();
    if (kind == "v") {
      const std::optional<Vec3> p = read_corner(lines, fault);
      if (!p) return std::nullopt;
      mesh.vertices.push_back(*p);
    }
    if (kind != "f") continue;
    corners.clear();
    for (std::string_view word = lines.word(); !word.empty(); word = lines.word()) {
      const auto known = static_cast<long long>(mesh.vertices.size());
      long long index = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
      const bool is_number = error == std::errc() && (end == word.data() + word.size() || *end == '/');
      if (index < 0) index += known + 1;
      if (!is_number || index < 1 || index > known) {
        fault = {is_number ? fmt::format("a face names vertex {} of {}", word.substr(0, 40), known)
                           : fmt::format("'{}' is no vertex", word.substr(0, 40)),
                 lines.number()};
        return std::nullopt;
      }
      corners.push_back(static_cast<std::uint32_t>(index - 1));
    }
    if (corners.size() < 3) {
      fault = {"a face has three corners at least", lines.number()};
      return std::nullopt;
    }
    for (std::size_t k = 2; k < corners.size(); ++k) mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
  }
  return mesh;
}

bool ends_so(std::string_view ending, std::string_view wanted) {
  return std::ranges::equal(ending, wanted, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? char(c + ('a' - 'A')) : c; });
}

std::optional<TriangleMesh> read_gltf(std::string_view bytes, bool is_binary, MeshFault& fault) {
  const std::optional<std::vector<Vec3>> corners = gltf_corners(bytes, is_binary, fault);
  return corners ? std::optional(joined(*corners)) : std::nullopt;
}

}  // namespace

bool is_mesh_file(std::string_view ending) {
  return std::ranges::any_of(mesh_endings, [&](std::string_view known) { return ends_so(ending, known); });
}

std::optional<TriangleMesh> read_mesh(std::string_view bytes, std::string_view ending, MeshFault& fault) {
  if (!is_mesh_file(ending)) {
    fault = {"its name ends in none of .stl, .obj, .glb and .gltf", 0};
    return std::nullopt;
  }
  std::optional<TriangleMesh> mesh = ends_so(ending, ".obj")   ? read_obj(bytes, fault)
                                     : ends_so(ending, ".stl") ? read_stl(bytes, fault)
                                                               : read_gltf(bytes, ends_so(ending, ".glb"), fault);
  if (!mesh || !mesh->faces.empty()) return mesh;
  fault = {"it has no triangles", 0};
  return std::nullopt;
}

bool is_closed(const TriangleMesh& mesh) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sides, backward;
  for (const Face& f : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k) {
      sides.emplace_back(f[k], f[(k + 1) % 3]);
      backward.emplace_back(f[(k + 1) % 3], f[k]);
    }
  std::ranges::sort(sides);
  std::ranges::sort(backward);
  return !sides.empty() && std::ranges::adjacent_find(sides) == sides.end() && sides == backward;
}

}  // namespace polyform

#include "solids.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

#include "xml_file.hpp"

namespace polyform::importers {

using std::numbers::pi;

Solid solid_box(const Vec3& h) {
  const double v = 8 * h.x * h.y * h.z;
  return {
      v,
      {},
      Sym3{v / 3 * (h.y * h.y + h.z * h.z), v / 3 * (h.x * h.x + h.z * h.z), v / 3 * (h.x * h.x + h.y * h.y), 0, 0, 0}};
}

Solid solid_ellipsoid(const Vec3& a) {
  const double v = 4.0 / 3 * pi * a.x * a.y * a.z;
  return {
      v,
      {},
      Sym3{v / 5 * (a.y * a.y + a.z * a.z), v / 5 * (a.x * a.x + a.z * a.z), v / 5 * (a.x * a.x + a.y * a.y), 0, 0, 0}};
}

Solid solid_cylinder(double r, double h) {
  const double v = 2 * pi * r * r * h;
  const double across = v * (r * r / 4 + h * h / 3);
  return {v, {}, Sym3{across, across, v * r * r / 2, 0, 0, 0}};
}

Solid solid_capsule(double r, double h) {
  Solid whole = solid_cylinder(r, h);
  const double v = 4.0 / 3 * pi * r * r * r;
  // A half sphere has its centre 3 r / 8 from its flat side.
  const double across = v * (0.4 * r * r + h * h + 0.75 * r * h);
  whole.mass += v;
  whole.inertia += Sym3{across, across, 0.4 * v * r * r, 0, 0, 0};
  return whole;
}

Solid solid_mesh(const Mesh& mesh) {
  if (mesh.points.empty()) return {};
  // Moments about a point of the mesh, so that one that lies far from its origin loses nothing.
  const Vec3 from = mesh.points.front();
  double volume = 0;
  Vec3 first;
  Sym3 second;  // ∫ x xᵀ dV
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.points[t[0]] - from, b = mesh.points[t[1]] - from, c = mesh.points[t[2]] - from;
    const double six = dot(a, cross(b, c));
    const Vec3 s = a + b + c;
    volume += six / 6;
    first += (six / 24) * s;
    const auto moment = [&](std::size_t i, std::size_t k) {
      return six / 120 * (s[i] * s[k] + a[i] * a[k] + b[i] * b[k] + c[i] * c[k]);
    };
    second += Sym3{moment(0, 0), moment(1, 1), moment(2, 2), moment(0, 1), moment(0, 2), moment(1, 2)};
  }
  if (volume == 0) return {};
  const Vec3 centre = (1 / volume) * first;
  second -= Sym3{volume * centre.x * centre.x, volume * centre.y * centre.y, volume * centre.z * centre.z,
                 volume * centre.x * centre.y, volume * centre.x * centre.z, volume * centre.y * centre.z};
  return {
      volume, centre + from,
      Sym3{second.yy + second.zz, second.xx + second.zz, second.xx + second.yy, -second.xy, -second.xz, -second.yz}};
}

namespace {

constexpr std::size_t stl_head = 84, stl_triangle = 50;

float float_at(const char* at) {
  float x = 0;
  std::memcpy(&x, at, sizeof x);
  return x;
}

std::optional<Mesh> read_binary_stl(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  if (bytes.size() < stl_head + stl_triangle * static_cast<std::size_t>(count)) return std::nullopt;
  Mesh mesh;
  for (std::size_t i = 0; i < count; ++i) {
    const char* at = bytes.data() + stl_head + stl_triangle * i + 12;
    for (std::size_t k = 0; k < 3; ++k, at += 12) {
      const Vec3 p{float_at(at), float_at(at + 4), float_at(at + 8)};
      if (!std::isfinite(dot(p, p))) return std::nullopt;
      mesh.points.push_back(p);
    }
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return mesh;
}

/// Calls visit(first word, rest of the line) for each line.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    const std::size_t word = std::min(line.find_first_of(" \t\r"), line.size());
    visit(line.substr(0, word), line.substr(word));
  }
}

}  // namespace

std::optional<Mesh> read_stl(std::string_view bytes) {
  if (bytes.size() >= stl_head)
    if (auto mesh = read_binary_stl(bytes); mesh && !mesh->triangles.empty()) return mesh;
  if (!bytes.starts_with("solid")) return std::nullopt;
  Mesh mesh;
  bool good = true;
  for_each_line(bytes, [&](std::string_view word, std::string_view rest) {
    if (word != "vertex") return;
    const auto p = numbers_in(rest);
    if (p && p->size() == 3)
      mesh.points.push_back({(*p)[0], (*p)[1], (*p)[2]});
    else
      good = false;
  });
  if (!good || mesh.points.size() % 3 != 0) return std::nullopt;
  for (std::size_t i = 0; i < mesh.points.size(); i += 3) mesh.triangles.push_back({i, i + 1, i + 2});
  return mesh;
}

std::optional<Mesh> read_obj(std::string_view bytes) {
  Mesh mesh;
  bool good = true;
  for_each_line(bytes, [&](std::string_view word, std::string_view rest) {
    if (word == "v") {
      const auto p = numbers_in(rest);
      if (p && p->size() >= 3)
        mesh.points.push_back({(*p)[0], (*p)[1], (*p)[2]});
      else
        good = false;
    }
    if (word != "f") return;
    std::vector<std::size_t> corners;
    while (true) {
      const std::size_t begin = rest.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      long long index = 0;
      const std::size_t end = std::min(rest.find_first_of(" \t\r"), rest.size());
      std::from_chars(rest.data(), rest.data() + end, index);
      if (index < 0) index += static_cast<long long>(mesh.points.size()) + 1;
      if (index < 1 || static_cast<std::size_t>(index) > mesh.points.size()) {
        good = false;
        return;
      }
      corners.push_back(static_cast<std::size_t>(index) - 1);
      rest.remove_prefix(end);
    }
    for (std::size_t k = 2; k < corners.size(); ++k) mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
  });
  return good && !mesh.triangles.empty() ? std::optional(std::move(mesh)) : std::nullopt;
}

std::optional<std::string> read_file(const std::string& path) {
  constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most || error)
    return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return in.bad() ? std::nullopt : std::optional(std::move(bytes));
}

}  // namespace polyform::importers

#include "solids.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>

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

Solid solid_cone(double r, double h) {
  const double v = 2 * pi * r * r * h / 3;
  // The mass centre is a quarter of the height above the base.
  const double across = v * (0.15 * r * r + 0.15 * h * h);
  return {v, {0, 0, -h / 2}, Sym3{across, across, 0.3 * v * r * r, 0, 0, 0}};
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

Solid solid_mesh(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  // Moments about a point of the mesh, so that one that lies far from its origin loses nothing.
  const Vec3 from = mesh.vertices.front();
  double volume = 0;
  Vec3 first;
  Sym3 second;  // ∫ x xᵀ dV
  for (const auto& t : mesh.faces) {
    const Vec3 a = mesh.vertices[t[0]] - from, b = mesh.vertices[t[1]] - from, c = mesh.vertices[t[2]] - from;
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

Sym3 scaled_inertia(const Sym3& j, double factor) {
  return {factor * j.xx, factor * j.yy, factor * j.zz, factor * j.xy, factor * j.xz, factor * j.yz};
}

namespace {

/// Calls visit(a, b, c) with the corners of each triangle, seen from a point.
template <class Visit>
void for_each_triangle(const TriangleMesh& mesh, const Vec3& from, Visit visit) {
  for (const auto& t : mesh.faces)
    visit(mesh.vertices[t[0]] - from, mesh.vertices[t[1]] - from, mesh.vertices[t[2]] - from);
}

}  // namespace

Solid solid_of_cones(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return {};
  const Vec3 start = mesh.vertices.front();
  double area = 0, volume = 0;
  Vec3 of_surface, first;
  for_each_triangle(mesh, start, [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double twice = norm(cross(b - a, c - a));
    area += twice;
    of_surface += (twice / 3) * (a + b + c);
  });
  if (!(area > 0)) return {};
  const Vec3 from = start + (1 / area) * of_surface;
  for_each_triangle(mesh, from, [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double six = std::abs(dot(a, cross(b, c)));
    volume += six / 6;
    first += (six / 24) * (a + b + c);
  });
  if (!(volume > 0)) return {};
  const Vec3 centre = from + (1 / volume) * first;
  volume = 0;
  Sym3 second;  // ∫ x xᵀ dV about the centre
  for_each_triangle(mesh, centre, [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double six = std::abs(dot(a, cross(b, c)));
    const Vec3 s = a + b + c;
    volume += six / 6;
    const auto moment = [&](std::size_t i, std::size_t k) {
      return six / 120 * (s[i] * s[k] + a[i] * a[k] + b[i] * b[k] + c[i] * c[k]);
    };
    second += Sym3{moment(0, 0), moment(1, 1), moment(2, 2), moment(0, 1), moment(0, 2), moment(1, 2)};
  });
  return {
      volume, centre,
      Sym3{second.yy + second.zz, second.xx + second.zz, second.xx + second.yy, -second.xy, -second.xz, -second.yz}};
}

InertiaBox inertia_box(const Solid& solid) {
  const PrincipalInertia p = principal(solid.inertia);
  InertiaBox box;
  // Moments fall where edges grow.
  const Vec3 x = p.axes.column(2), y = p.axes.column(1), z = cross(x, y);
  box.axes = Mat3{{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  const Vec3 j{p.moments.z, p.moments.y, p.moments.x};
  const auto half = [&](double across, double other, double along) {
    return std::sqrt(std::max(0.0, 1.5 * (across + other - along) / solid.mass));
  };
  box.half = {half(j.y, j.z, j.x), half(j.x, j.z, j.y), half(j.x, j.y, j.z)};
  return box;
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

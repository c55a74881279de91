#include "polyhedron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sheets.hpp"

namespace polyform::contact {

namespace {

/// Part of the size: two triangles lie in one plane if neither sticks out of the plane of the other by more.
constexpr double flat = 1e-6;
constexpr std::size_t most_in_leaf = 4;

Vec3 least(const Vec3& a, const Vec3& b) noexcept {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3 most(const Vec3& a, const Vec3& b) noexcept {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}

Vec3 unit(const Vec3& v) noexcept {
  const double size = norm(v);
  return size > 0 ? (1 / size) * v : Vec3{0, 0, 1};
}

double square_to_box(const Vec3& p, const Vec3& low, const Vec3& high) noexcept {
  double square = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = p[k] < low[k] ? low[k] - p[k] : p[k] > high[k] ? p[k] - high[k] : 0;
    square += d * d;
  }
  return square;
}

}  // namespace

Polyhedron::Polyhedron(std::span<const Vec3> vertices, std::span<const std::array<std::uint32_t, 3>> faces, bool convex,
                       bool has_sheets)
    : corners_(vertices.begin(), vertices.end()), convex_(convex) {
  low_ = high_ = corners_.front();
  for (const Vec3& v : corners_) {
    low_ = least(low_, v);
    high_ = most(high_, v);
  }
  const Vec3 extent = high_ - low_;
  size_ = 0.5 * std::max({extent.x, extent.y, extent.z});
  make_triangles(faces);
  const std::vector<Side> all = sides();
  join_sides(all);
  if (convex_) make_faces(all);
  find_spokes(all);
  corner_sheets_.resize(corners_.size());
  if (!convex_ && has_sheets) find_sheets(all);
  nodes_.emplace_back();
  make_tree(0, 0, triangles_.size());
  std::vector<bool> given(corners_.size());
  for (Triangle& t : triangles_)
    for (std::size_t k = 0; k < 3; ++k) {
      t.has_corner[k] = !given[t.corners[k]];
      given[t.corners[k]] = true;
    }
  half_thickness_ = find_half_thickness();
}

/// From the middle of a triangle straight into the body to the next triangle (Möller and Trumbore 1997), m.
double Polyhedron::way_through(const Triangle& from) const noexcept {
  constexpr double own = 1e-9;  // of the size: a triangle in the same plane
  const auto corner = [&](const Triangle& t, std::size_t k) { return corners_[t.corners[k]]; };
  const Vec3 start = (1.0 / 3) * (corner(from, 0) + corner(from, 1) + corner(from, 2)), inward = -from.normal;
  double way = std::numeric_limits<double>::infinity();
  for (const Triangle& t : triangles_) {
    const Vec3 a = corner(t, 1) - corner(t, 0), b = corner(t, 2) - corner(t, 0), across = cross(inward, b);
    const double volume = dot(a, across);
    if (volume == 0) continue;
    const Vec3 line = start - corner(t, 0), turned = cross(line, a);
    const double u = dot(line, across) / volume, v = dot(inward, turned) / volume, length = dot(b, turned) / volume;
    if (u >= 0 && v >= 0 && u + v <= 1 && length > own * size_) way = std::min(way, length);
  }
  return way;
}

/// Of triangles that stand for equal parts of the surface. A tenth, because an edge of a wedge has no thickness.
double Polyhedron::find_half_thickness() const {
  constexpr std::size_t samples = 60, thinnest = samples / 10;
  std::vector<double> areas;
  for (const Triangle& t : triangles_) {
    const Vec3& first = corners_[t.corners[0]];
    const double area = norm(cross(corners_[t.corners[1]] - first, corners_[t.corners[2]] - first));
    areas.push_back((areas.empty() ? 0 : areas.back()) + area);
  }
  if (areas.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> ways;
  for (std::size_t k = 0; k < samples; ++k) {
    const double part = (static_cast<double>(k) + 0.5) / static_cast<double>(samples) * areas.back();
    const auto at = std::ranges::lower_bound(areas, part);
    ways.push_back(way_through(triangles_[static_cast<std::size_t>(at - areas.begin())]));
  }
  std::ranges::nth_element(ways, ways.begin() + thinnest);
  return 0.5 * ways[thinnest];
}

Polyhedron Polyhedron::of_box(const Vec3& h) {
  std::vector<Vec3> corners;
  for (std::size_t k = 0; k < 8; ++k) corners.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
  constexpr std::array<std::array<std::uint32_t, 3>, 12> triangles{{{0, 4, 6},
                                                                    {0, 6, 2},
                                                                    {1, 3, 7},
                                                                    {1, 7, 5},
                                                                    {0, 1, 5},
                                                                    {0, 5, 4},
                                                                    {2, 6, 7},
                                                                    {2, 7, 3},
                                                                    {0, 2, 3},
                                                                    {0, 3, 1},
                                                                    {4, 5, 7},
                                                                    {4, 7, 6}}};
  return {corners, triangles, true};
}

double Polyhedron::half_width() const noexcept {
  const Vec3 extent = high_ - low_;
  return 0.5 * std::min({extent.x, extent.y, extent.z});
}

void Polyhedron::make_triangles(std::span<const std::array<std::uint32_t, 3>> faces) {
  corner_normals_.resize(corners_.size());
  std::vector<double> angles(corners_.size());
  for (const auto& f : faces) {
    const Vec3 normal = cross(corners_[f[1]] - corners_[f[0]], corners_[f[2]] - corners_[f[0]]);
    if (!(norm(normal) > 0)) continue;
    triangles_.push_back({.corners = f, .normal = unit(normal), .side_normals = {}});
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = corners_[f[(k + 1) % 3]] - corners_[f[k]], b = corners_[f[(k + 2) % 3]] - corners_[f[k]];
      const double angle = std::atan2(norm(cross(a, b)), dot(a, b));
      corner_normals_[f[k]] += angle * triangles_.back().normal;
      angles[f[k]] += angle;
    }
  }
  find_flat_corners(angles);
}

/// A corner is flat if all its triangles have one normal: then the sum of these is as long as that of the angles.
void Polyhedron::find_flat_corners(std::span<const double> angles) {
  for (Triangle& t : triangles_)
    for (std::size_t k = 0; k < 3; ++k)
      t.is_flat_corner[k] = norm(corner_normals_[t.corners[k]]) > (1 - flat * flat) * angles[t.corners[k]];
}

/// The sides of all triangles, so that those between the same corners are beside each other.
std::vector<Polyhedron::Side> Polyhedron::sides() const {
  std::vector<Side> out;
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = triangles_[t].corners[k], b = triangles_[t].corners[(k + 1) % 3];
      out.push_back({std::min(a, b), std::max(a, b), t, k});
    }
  std::ranges::sort(out, {}, [](const Side& s) { return std::array<std::size_t, 3>{s.from, s.to, s.triangle}; });
  return out;
}

void Polyhedron::join_sides(std::span<const Side> all) {
  for (Triangle& t : triangles_) t.side_normals = {t.normal, t.normal, t.normal};
  for (std::size_t i = 0; i < all.size(); ++i)
    triangles_[all[i].triangle].has_side[all[i].number] =
        i == 0 || all[i].from != all[i - 1].from || all[i].to != all[i - 1].to;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Side &one = all[i], &other = all[i + 1];
    if (one.from != other.from || one.to != other.to) continue;
    Triangle &a = triangles_[one.triangle], &b = triangles_[other.triangle];
    a.side_normals[one.number] = b.side_normals[other.number] = a.normal + b.normal;
    const double out_of_a = dot(a.normal, corners_[b.corners[(other.number + 2) % 3]] - corners_[one.from]);
    const double out_of_b = dot(b.normal, corners_[a.corners[(one.number + 2) % 3]] - corners_[one.from]);
    const bool sticks_out = out_of_a < 0 && out_of_b < 0,
               is_flat = std::max(std::abs(out_of_a), std::abs(out_of_b)) < flat * size_;
    a.is_flat_side[one.number] = b.is_flat_side[other.number] = is_flat;
    a.is_hollow_side[one.number] = b.is_hollow_side[other.number] = !is_flat && out_of_a > 0 && out_of_b > 0;
    if (sticks_out && !is_flat) add_edge(one, b.normal);
  }
}

void Polyhedron::find_spokes(std::span<const Side> all) {
  std::vector<bool> is_open(corners_.size());
  const auto is_at = [&](std::size_t i, const Side& s) {
    return i < all.size() && all[i].from == s.from && all[i].to == s.to;
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!is_at(i + 1, all[i]) && !(i > 0 && is_at(i - 1, all[i]))) is_open[all[i].from] = is_open[all[i].to] = true;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (const Triangle& t : triangles_) triangles.push_back(t.corners);
  spokes_ = Spokes(corners_, triangles, corner_normals_, is_open);
}

/// Corners and sides belong to the lowest sheet there: so one that both triangles look at is in one sheet.
void Polyhedron::find_sheets(std::span<const Side> all) {
  std::vector<SheetTriangle> parts;
  for (const Triangle& t : triangles_) parts.push_back({t.corners, t.normal});
  std::vector<std::array<std::size_t, 2>> pairs;
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (all[i].from == all[i + 1].from && all[i].to == all[i + 1].to)
      pairs.push_back({all[i].triangle, all[i + 1].triangle});
  const std::vector<std::uint8_t> sheets = sheets_of(corners_, parts, pairs, flat * size_);
  corner_sheets_.assign(corners_.size(), most_sheets);
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    triangles_[t].sheet = sheets[t];
    triangles_[t].side_sheets.fill(sheets[t]);
    sheets_ = std::max<std::size_t>(sheets_, sheets[t] + 1U);
    for (const std::uint32_t c : triangles_[t].corners) corner_sheets_[c] = std::min(corner_sheets_[c], sheets[t]);
  }
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Side &one = all[i], &other = all[i + 1];
    if (one.from != other.from || one.to != other.to) continue;
    triangles_[one.triangle].side_sheets[one.number] = triangles_[other.triangle].side_sheets[other.number] =
        std::min(sheets[one.triangle], sheets[other.triangle]);
  }
}

void Polyhedron::add_edge(const Side& side, const Vec3& other) {
  Triangle& own = triangles_[side.triangle];
  own.edges[side.number] = static_cast<std::uint32_t>(edges_.size());
  const Vec3 from = corners_[side.from], to = corners_[side.to];
  edges_.push_back({0.5 * (from + to), unit(to - from), 0.5 * norm(to - from), {own.normal, other}});
}

/// Triangles in one plane become one face.
void Polyhedron::make_faces(std::span<const Side> all) {
  std::vector<std::size_t> group(triangles_.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto root = [&](std::size_t t) {
    while (group[t] != t) t = group[t] = group[group[t]];
    return t;
  };
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Side &one = all[i], &other = all[i + 1];
    if (one.from != other.from || one.to != other.to) continue;
    const Triangle &a = triangles_[one.triangle], &b = triangles_[other.triangle];
    const double out = dot(a.normal, corners_[b.corners[(other.number + 2) % 3]] - corners_[one.from]);
    const double back = dot(b.normal, corners_[a.corners[(one.number + 2) % 3]] - corners_[one.from]);
    if (std::max(std::abs(out), std::abs(back)) < flat * size_) group[root(one.triangle)] = root(other.triangle);
  }
  std::vector<std::vector<std::size_t>> members(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) members[root(t)].push_back(t);
  for (const std::vector<std::size_t>& own : members) {
    if (own.empty()) continue;
    // The sides around the face are those that it has once: each begins where another one ends.
    std::vector<std::array<std::uint32_t, 2>> around;
    Vec3 sum;
    for (const std::size_t t : own) {
      const auto& c = triangles_[t].corners;
      sum += cross(corners_[c[1]] - corners_[c[0]], corners_[c[2]] - corners_[c[0]]);
      for (std::size_t k = 0; k < 3; ++k) around.push_back({c[k], c[(k + 1) % 3]});
    }
    const auto all_around = around;
    std::erase_if(around, [&](const auto& s) {
      return std::ranges::find(all_around, std::array{s[1], s[0]}) != all_around.end();
    });
    if (around.empty()) continue;
    Face& face = faces_.emplace_back(Face{unit(sum), -std::numeric_limits<double>::infinity(), rounds_.size(), 0});
    for (std::uint32_t at = around.front()[0]; face.count < around.size(); ++face.count) {
      rounds_.push_back(at);
      face.offset = std::max(face.offset, dot(face.normal, corners_[at]));
      const auto next = std::ranges::find(around, at, [](const auto& s) { return s[0]; });
      if (next == around.end()) break;
      at = (*next)[1];
    }
  }
}

/// Splits the triangles at the middle of the longest extent.
void Polyhedron::make_tree(std::size_t node, std::size_t first, std::size_t count) {
  constexpr double far = std::numeric_limits<double>::infinity();
  Vec3 low{far, far, far}, high{-far, -far, -far};
  for (std::size_t t = first; t < first + count; ++t)
    for (const std::uint32_t c : triangles_[t].corners) {
      low = least(low, corners_[c]);
      high = most(high, corners_[c]);
    }
  nodes_[node] = {low, high, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
  if (count <= most_in_leaf) return;
  const Vec3 extent = high - low;
  const std::size_t axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  const auto middle = [&](const Triangle& t) {
    return corners_[t.corners[0]][axis] + corners_[t.corners[1]][axis] + corners_[t.corners[2]][axis];
  };
  const auto begin = triangles_.begin() + static_cast<std::ptrdiff_t>(first);
  const std::size_t half = count / 2;
  std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(half), begin + static_cast<std::ptrdiff_t>(count),
                   [&](const Triangle& a, const Triangle& b) { return middle(a) < middle(b); });
  const std::size_t below = nodes_.size();
  nodes_.resize(below + 2);
  nodes_[node].first = static_cast<std::uint32_t>(below);
  nodes_[node].count = 0;
  make_tree(below, first, half);
  make_tree(below + 1, first + half, count - half);
}

TrianglePlace nearest_of_triangle(const std::array<Vec3, 3>& corners, const Vec3& p) noexcept {
  const auto& [a, b, c] = corners;
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp),
               d6 = dot(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  using enum TrianglePlace::Part;
  if (d1 <= 0 && d2 <= 0) return {a, corner, 0};
  if (d3 >= 0 && d4 <= d3) return {b, corner, 1};
  if (d6 >= 0 && d5 <= d6) return {c, corner, 2};
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + (d1 / (d1 - d3)) * ab, side, 0};
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + (d2 / (d2 - d6)) * ac, side, 2};
  if (va <= 0 && d4 >= d3 && d5 >= d6) return {b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (c - b), side, 1};
  const Vec3 across = cross(ab, ac);
  return {p - (dot(across, ap) / dot(across, across)) * across, face, 0};
}

/// Takes the nearest place of a triangle if it is nearer than the one known.
void Polyhedron::look_at(const Triangle& t, const Vec3& p, SurfacePlace& best) const noexcept {
  using enum TrianglePlace::Part;
  TrianglePlace at = nearest_of_triangle(corners_of(t), p);
  const std::size_t k = at.number;
  const double height = dot(t.normal, p - corners_[t.corners[0]]);
  if (at.part == face) at.nearest = p - height * t.normal;
  const Vec3 line = p - at.nearest;
  const double distance = norm(line);
  if (!(distance < best.distance)) return;
  // Beside a flat side or corner the surface goes on in the plane of the triangle: there its normal is sharper than the
  // direction of a short line.
  const bool is_flat = at.part == face || (at.part == side ? t.is_flat_side[k] : t.is_flat_corner[k]);
  if (is_flat && norm(line - height * t.normal) <= beside * size_)
    best = {at.nearest, t.normal, std::abs(height), height < 0, true, t.sheet};
  else if (at.part == side)
    best = {at.nearest, t.side_normals[k], distance, dot(line, t.side_normals[k]) < 0, false, t.side_sheets[k]};
  else {
    const Vec3& normal = corner_normals_[t.corners[k]];
    best = {at.nearest, normal, distance, dot(line, normal) < 0, false, corner_sheets_[t.corners[k]]};
  }
}

bool Polyhedron::has_within(const Vec3& point, double around) const noexcept {
  if (convex_)
    return std::ranges::all_of(faces_, [&](const Face& f) { return dot(f.normal, point) <= f.offset + around; });
  const SurfacePlace place = nearest(point);
  return place.is_inside || place.distance <= around;
}

SurfacePlace Polyhedron::nearest(const Vec3& point) const noexcept {
  SurfacePlace best;
  best.distance = std::numeric_limits<double>::infinity();
  std::array<std::uint32_t, most_waiting> waiting;
  std::size_t count = 1;
  waiting[0] = 0;
  while (count > 0) {
    const Node& node = nodes_[waiting[--count]];
    if (square_to_box(point, node.low, node.high) > best.distance * best.distance) continue;
    if (node.count > 0) {
      for (std::uint32_t t = node.first; t < node.first + node.count; ++t) look_at(triangles_[t], point, best);
      continue;
    }
    const Node &one = nodes_[node.first], &other = nodes_[node.first + 1];
    const bool is_one_nearer = square_to_box(point, one.low, one.high) < square_to_box(point, other.low, other.high);
    waiting[count++] = is_one_nearer ? node.first + 1 : node.first;
    waiting[count++] = is_one_nearer ? node.first : node.first + 1;
  }
  best.outward = unit(best.outward);
  return best;
}

}  // namespace polyform::contact

#include "apps/report/flexible_lines.hpp"

#include <algorithm>
#include <limits>

namespace polyform::apps {

namespace {

constexpr std::size_t points_between = 23, most_points = 400;

class Points {
 public:
  explicit Points(const FlexibleData& body) : body_(body) {}

  /// Adds the point, if the body exists there and the point is new.
  void add(const Vec3& point) {
    if (points_.size() >= most_points) return;
    LinePoint p{point, std::vector<double>(3 * body_.modes)};
    std::vector<double> rotation(3 * body_.modes);
    ModeShapes shapes{.displacement = p.displacement, .rotation = rotation};
    if (!body_.type->shapes_at(*body_.instance, point, shapes)) return;
    if (std::ranges::any_of(points_, [&](const LinePoint& other) { return norm(other.point - point) == 0; })) return;
    points_.push_back(std::move(p));
  }

  void add_rows_of_fields() {
    const Strided<const FieldSpec> specs = body_.type->fields();
    for (std::size_t f = 0; f < specs.size(); ++f) {
      const FieldValue& value = body_.instance->fields[f];
      if (specs[f].type != FieldType::matrix || value.rows == 0 || value.numbers.size() != 3 * value.rows) continue;
      for (std::size_t row = 0; row < value.rows; ++row)
        add({value.numbers[3 * row], value.numbers[3 * row + 1], value.numbers[3 * row + 2]});
    }
  }

  void add_between() {
    Vec3 from, to;
    for (const LinePoint& a : points_)
      for (const LinePoint& b : points_)
        if (norm(b.point - a.point) > norm(to - from)) from = a.point, to = b.point;
    if (norm(to - from) == 0) return;
    for (std::size_t i = 1; i <= points_between; ++i)
      add(from + (static_cast<double>(i) / (points_between + 1)) * (to - from));
  }

  std::vector<LinePoint> take() { return std::move(points_); }

 private:
  const FlexibleData& body_;
  std::vector<LinePoint> points_;
};

/// The minimum spanning tree (Prim 1957), from the first point.
std::vector<std::pair<std::size_t, std::size_t>> spanning_edges(const std::vector<LinePoint>& points) {
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> nearest(points.size(), 0), left;
  for (std::size_t i = 1; i < points.size(); ++i) left.push_back(i);
  for (std::size_t last = 0; !left.empty();) {
    for (const std::size_t i : left)
      if (const double d = norm(points[i].point - points[last].point); d < distance[i]) {
        distance[i] = d;
        nearest[i] = last;
      }
    const auto next = std::ranges::min_element(left, {}, [&](std::size_t i) { return distance[i]; });
    last = *next;
    edges.emplace_back(nearest[last], last);
    left.erase(next);
  }
  return edges;
}

}  // namespace

FlexibleLines flexible_lines(const FlexibleData& body, std::span<const Vec3> attached) {
  Points points(body);
  points.add({});
  for (const Vec3& point : attached) points.add(point);
  double mass = 0;
  Vec3 moment;
  const std::vector<double> straight(body.modes);
  body.type->mass_moment(*body.instance, straight, mass, moment);
  if (mass > 0) points.add((2 / mass) * moment);
  points.add_rows_of_fields();
  points.add_between();
  FlexibleLines lines{points.take(), {}};
  lines.edges = spanning_edges(lines.points);
  return lines;
}

}  // namespace polyform::apps

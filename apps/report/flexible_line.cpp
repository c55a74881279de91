#include "apps/report/flexible_line.hpp"

#include <algorithm>

namespace polyform::apps {

namespace {

constexpr std::size_t most_points = 25;

class Line {
 public:
  explicit Line(const FlexibleData& body) : body_(body) {}

  /// Adds the point where the body has something there that the line has not got yet.
  void add(const Vec3& point) {
    LinePoint p{point, std::vector<double>(3 * body_.modes)};
    std::vector<double> rotation(3 * body_.modes);
    ModeShapes shapes{p.displacement, rotation};
    if (!body_.type->shapes_at(body_.instance, point, shapes)) return;
    if (std::ranges::any_of(points_, [&](const LinePoint& other) { return norm(other.point - point) == 0; })) return;
    points_.push_back(std::move(p));
  }

  std::vector<LinePoint> filled() {
    if (points_.size() < 2) return std::move(points_);
    Vec3 from, to;
    for (const LinePoint& a : points_)
      for (const LinePoint& b : points_)
        if (norm(b.point - a.point) > norm(to - from)) from = a.point, to = b.point;
    for (std::size_t i = 1; i + 1 < most_points; ++i)
      add(from + (static_cast<double>(i) / (most_points - 1)) * (to - from));
    std::ranges::sort(points_, {}, [&](const LinePoint& p) { return dot(p.point - from, to - from); });
    return std::move(points_);
  }

 private:
  const FlexibleData& body_;
  std::vector<LinePoint> points_;
};

}  // namespace

std::vector<LinePoint> flexible_line(const FlexibleData& body, std::span<const Vec3> attached) {
  Line line(body);
  line.add({});
  for (const Vec3& point : attached) line.add(point);
  double mass = 0;
  Vec3 moment;
  const std::vector<double> straight(body.modes);
  body.type->mass_moment(body.instance, straight, mass, moment);
  if (mass > 0) line.add((2 / mass) * moment);
  return line.filled();
}

}  // namespace polyform::apps

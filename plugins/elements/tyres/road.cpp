#include "road.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "polyform/helpers/element_helpers.hpp"

namespace polyform::tyres {
namespace {

/// A generator of Vigna's (splitmix64): the same numbers on every computer. Uniform in [0, 1).
double next_random(std::uint64_t& state) noexcept {
  state += 0x9E3779B97F4A7C15u;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53;
}

}  // namespace

Road::Road(const ElementInstance& instance, std::size_t first) {
  const auto field = [&](std::size_t k) -> const FieldValue& { return instance.fields[first + k]; };
  height_ = field(road_field::height).number;
  cosine_ = std::cos(field(road_field::heading).number);
  sine_ = std::sin(field(road_field::heading).number);
  if (field(road_field::road_class).integer > 0)
    make_waves(static_cast<int>(field(road_field::road_class).integer),
               static_cast<std::uint64_t>(field(road_field::seed).integer),
               static_cast<std::size_t>(field(road_field::lines).integer));
  const FieldValue& grid = field(road_field::grid);
  if (!grid.given) return;
  heights_.assign(grid.numbers.begin(), grid.numbers.end());
  const std::span<const double> origin = field(road_field::grid_origin).numbers;
  const double spacing = field(road_field::grid_spacing).number;
  grid_ = {.heights = {},
           .rows = grid.rows,
           .x = origin[0],
           .y = origin.size() > 1 ? origin[1] : origin[0],
           .spacing_x = spacing,
           .spacing_y = spacing};
  const std::size_t columns = grid.rows == 0 ? 0 : heights_.size() / grid.rows;
  std::vector<double> x, y, turned;
  for (std::size_t i = 0; i < grid.rows; ++i) x.push_back(grid_.x + static_cast<double>(i) * spacing);
  for (std::size_t j = 0; j < columns; ++j) {
    y.push_back(grid_.y + static_cast<double>(j) * spacing);
    for (std::size_t i = 0; i < grid.rows; ++i) turned.push_back(heights_[i * columns + j]);
  }
  along_x_ = RowReach(x, turned);
  along_y_ = RowReach(y, heights_);
}

/// ISO 8608: the spectral density of the height over the wave number n, in cycles per m, one-sided, is
/// G(n) = G₀ (n/n₀)⁻² with n₀ = 0.1 cycles per m and G₀ = 16e-6 m³ of class A, four times as much of each next one. A
/// sine for each part Δn of the range has the amplitude √(2 G Δn), a random place within its part and a random phase.
void Road::make_waves(int road_class, std::uint64_t seed, std::size_t lines) {
  constexpr double n0 = 0.1, least = 0.01, most = 10;
  const double G0 = 16e-6 * std::pow(4.0, road_class - 1);
  const double ratio = std::pow(most / least, 1 / static_cast<double>(lines));
  double begin = least;
  for (std::size_t k = 0; k < lines; ++k) {
    const double end = begin * ratio, n = begin + (end - begin) * next_random(seed);
    // The density over the part is that of its whole: ∫ G dn = G₀ n₀² (1/begin − 1/end).
    const double power = G0 * n0 * n0 * (1 / begin - 1 / end);
    waves_.push_back({std::sqrt(2 * power), 2 * std::numbers::pi * n, 2 * std::numbers::pi * next_random(seed)});
    begin = end;
  }
}

Road::Point Road::at(double x, double y) const noexcept {
  Point p;
  p.height = height_;
  const double way = cosine_ * x + sine_ * y;
  double slope = 0;
  for (const Wave& wave : waves_) {
    const double angle = wave.number * way + wave.phase;
    p.height += wave.amplitude * std::sin(angle);
    slope += wave.amplitude * wave.number * std::cos(angle);
  }
  p.slope_x = slope * cosine_;
  p.slope_y = slope * sine_;
  if (heights_.empty()) return p;
  HeightGrid grid = grid_;
  grid.heights = heights_;
  const Point own = grid.at(x, y);
  p.height += own.height;
  p.slope_x += own.slope_x;
  p.slope_y += own.slope_y;
  return p;
}

bool check_road(const ElementInstance& instance, std::size_t first, std::size_t number, FieldSink& sink) noexcept {
  const FieldValue& grid = instance.fields[first + road_field::grid];
  const auto refuse = [&](std::size_t field, std::string_view what, std::string_view remedy) {
    sink.report(Severity::error, number, first + field, what, remedy);
    return false;
  };
  if (!grid.given) return true;
  if (grid.rows < 4 || grid.numbers.size() / grid.rows < 4)
    return refuse(
        road_field::grid,
        Message("the grid has {} rows of {} heights", grid.rows, grid.rows == 0 ? 0 : grid.numbers.size() / grid.rows),
        "Give four rows of four heights at least.");
  const std::size_t given = instance.fields[first + road_field::grid_origin].numbers.size();
  if (given == 2) return true;
  return refuse(road_field::grid_origin, Message("{} number{} given for x and y", given, plural(given)),
                "Write [x, y].");
}

}  // namespace polyform::tyres

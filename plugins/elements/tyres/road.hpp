// Roads under rolling tyres: level, a random profile of ISO 8608, or a grid of heights.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "polyform/contract/force.hpp"
#include "polyform/helpers/height_grid.hpp"
#include "polyform/helpers/row_reach.hpp"

namespace polyform::tyres {

/// The fields of a road, which the tyre types share, from the place `first` on among the fields of a type.
namespace road_field {
inline constexpr std::size_t height = 0, road_class = 1, seed = 2, heading = 3, lines = 4, grid = 5, grid_origin = 6,
                             grid_spacing = 7, count = 8;
}
inline constexpr std::array<std::string_view, 9> road_classes{"none", "A", "B", "C", "D", "E", "F", "G", "H"};
inline constexpr std::array<FieldSpec, road_field::count> road_fields{
    FieldSpec{.name = "road_height",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the road over the ground origin, along z; profile and grid are added",
              .default_text = "0",
              .tied_to_ground = true},
    FieldSpec{.name = "road_class",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "random profile of ISO 8608: A is the best, H the worst; the same across the road",
              .default_text = "none",
              .choices = road_classes,
              .tied_to_ground = true},
    FieldSpec{.name = "road_seed",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "which of the profiles of the class; tyres with the same seed roll on the same road",
              .default_text = "1",
              .minimum = 0},
    FieldSpec{.name = "road_heading",
              .type = FieldType::number,
              .unit = "rad",
              .meaning = "angle from x to the direction in which the profile goes, about z",
              .default_text = "0",
              .tied_to_ground = true},
    FieldSpec{.name = "road_lines",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "sine waves that the profile is the sum of, from 0.01 to 10 cycles per m",
              .default_text = "200",
              .minimum = 10,
              .maximum = 100000},
    FieldSpec{
        .name = "road_grid",
        .type = FieldType::matrix,
        .unit = "m",
        .meaning = "heights at equal distances, rows along x, columns along y, 4 by 4 at least; held beyond its edge",
        .tied_to_ground = true},
    FieldSpec{.name = "road_grid_origin",
              .type = FieldType::numbers,
              .unit = "m",
              .meaning = "x and y of the first height of the grid",
              .default_text = "[0, 0]",
              .tied_to_ground = true},
    FieldSpec{.name = "road_grid_spacing",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "distance of the heights of the grid",
              .default_text = "1",
              .minimum = 0,
              .exclusive_minimum = true}};

/// Height z of the road over the ground axes x and y. Up is z.
class Road {
 public:
  /// From the fields that begin at `first`, which passed check_road().
  Road(const ElementInstance&, std::size_t first);

  using Point = HeightGrid::Point;
  Point at(double x, double y) const noexcept;
  /// The longest step along which a point over the road does not pass over anything that the grid does, s.
  double longest_step(const Vec3& position, const Vec3& velocity) const noexcept {
    return std::min(along_x_.time(position.x, velocity.x), along_y_.time(position.y, velocity.y));
  }
  bool is_level() const noexcept { return waves_.empty() && heights_.empty(); }

 private:
  struct Wave {
    double amplitude, number, phase;  ///< m, rad/m, rad
  };
  void make_waves(int road_class, std::uint64_t seed, std::size_t lines);
  double height_, cosine_, sine_;
  std::vector<Wave> waves_;
  std::vector<double> heights_;
  RowReach along_x_, along_y_;
  HeightGrid grid_;  ///< its heights are heights_ of the road that is asked
};

/// False after a report.
bool check_road(const ElementInstance&, std::size_t first, std::size_t number, FieldSink&) noexcept;

}  // namespace polyform::tyres

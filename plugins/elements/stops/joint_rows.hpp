// Rows about a coordinate of a joint, or an angle of a ball, that hold at times: hard limits, dry friction, freewheels.
#pragma once

#include <vector>

#include "polyform/contract/loaded_friction.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/unilateral.hpp"
#include "polyform/contract/unilateral_velocities.hpp"
#include "stop_coordinate.hpp"

namespace polyform::stops {

/// What acts in the joint of one instance. A point along `sign` pushes the joint that way, a gap being the distance to
/// `place` that way; a point of friction acts both ways.
struct JointPoint {
  enum class Kind { limit, freewheel, friction };
  Kind kind = Kind::limit;
  std::string_view name{};
  double sign = 1, place = 0;
  double restitution = 0;
  bool poisson = false;
  TimeFunction sliding{};  ///< effort of friction
  double holding = 1;      ///< that at rest over that of sliding
  /// Effort of friction by what the joint transmits across its way: coefficient times lever times the forces between
  /// its halves, at one place or at two places `length` apart; with a preload. Lever: of turning, else 1.
  double coefficient = 0, lever = 1, length = 0, preload = 0;

  double pressed(const Spatial& reaction, const Spatial& motion) const noexcept;  ///< N
};

/// States of an instance: the effort, which the host writes; mode, impacts and energy lost. They are those of every
/// type of this folder.
enum State : std::size_t { effort, mode, impacts, lost, state_count };
extern const std::array<Variable, state_count> effort_states;

/// The points of all instances. Those of an instance are about the same number of its joint.
class JointRows final : public ForceBatch, public UnilateralRows, public UnilateralVelocities, public LoadedFriction {
 public:
  /// Both per instance.
  JointRows(std::vector<StopCoordinate> coordinates, const std::vector<std::vector<JointPoint>>& points);

  void evaluate(const ForceInput&, ForceOutput&) noexcept override;
  void initial_states(std::span<double> x) const noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override;

  std::size_t point_count() const noexcept override { return points_.size(); }
  void describe_point(std::size_t k, UnilateralPoint& out) const noexcept override;
  void evaluate_points(const EventInput&, UnilateralOutput&) noexcept override;
  void put_forces(const EventInput&, std::span<const double> forces, std::span<double> states) noexcept override;
  void put_modes(std::span<const UnilateralMode> modes, std::span<double> states) noexcept override;
  std::size_t velocity_count(std::size_t point) const noexcept override;
  std::span<const double> further_parts() const noexcept override { return further_; }
  bool is_loaded(std::size_t instance) const noexcept override;
  void add_friction(std::span<const Spatial> reactions, std::span<const Spatial> motions, std::span<double> holding,
                    std::span<double> sliding) noexcept override;
  void pass_impact(std::size_t point, double loss, std::span<double> states) noexcept override;

 private:
  struct Owned {
    std::size_t instance;
    JointPoint point;
  };
  static constexpr std::size_t rows_per_point = 3;
  std::vector<StopCoordinate> coordinates_;  ///< per instance
  std::vector<Owned> points_;
  std::vector<double> further_;  ///< parts in the rows of all velocities but the first, at the last evaluated state
};

/// The field that chooses one of several coordinates, of all types of this folder.
inline constexpr FieldSpec coordinate_spec{.name = "coordinate",
                                           .type = FieldType::integer,
                                           .unit = "",
                                           .meaning = "which coordinate of a joint with several, from 0",
                                           .minimum = 0};
/// The coordinate that an instance chooses; the only one where it is not given.
StopCoordinate::Choice chosen_coordinate(const ElementInstance&, std::size_t field);
/// Whether the joint has the chosen coordinate; reports else. joint, coordinate: the fields. remedy: where the velocity
/// is that of a ball, which is the rate of no coordinate.
bool check_coordinate(const ElementInstance&, std::size_t number, std::size_t joint, std::size_t coordinate,
                      std::string_view type, std::string_view remedy, FieldSink&) noexcept;

}  // namespace polyform::stops

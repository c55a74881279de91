// Rows about one joint velocity that hold at times: hard limits, dry friction, freewheels.
#pragma once

#include <vector>

#include "polyform/contract/loaded_friction.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/unilateral.hpp"

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

/// The points of all instances. Each instance has one joint with one coordinate.
class JointRows final : public ForceBatch, public UnilateralRows, public LoadedFriction {
 public:
  /// points: per instance.
  explicit JointRows(std::vector<std::vector<JointPoint>> points);

  void evaluate(const ForceInput&, ForceOutput&) noexcept override;
  void initial_states(std::span<double> x) const noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override;

  std::size_t point_count() const noexcept override { return points_.size(); }
  void describe_point(std::size_t k, UnilateralPoint& out) const noexcept override;
  void evaluate_points(const EventInput&, UnilateralOutput&) noexcept override;
  void put_forces(const EventInput&, std::span<const double> forces, std::span<double> states) noexcept override;
  void put_modes(std::span<const UnilateralMode> modes, std::span<double> states) noexcept override;
  bool is_loaded(std::size_t instance) const noexcept override;
  void add_friction(std::span<const Spatial> reactions, std::span<const Spatial> motions, std::span<double> holding,
                    std::span<double> sliding) noexcept override;
  void pass_impact(std::size_t point, double loss, std::span<double> states) noexcept override;

 private:
  struct Owned {
    std::size_t instance;
    JointPoint point;
  };
  std::size_t instances_;
  std::vector<Owned> points_;
};

/// Whether the joint has one coordinate; reports else.
bool check_joint(const ElementInstance&, std::size_t number, std::size_t field, std::string_view type,
                 FieldSink&) noexcept;

}  // namespace polyform::stops

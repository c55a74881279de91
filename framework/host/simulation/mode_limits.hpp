// Warns, once per body, if flexible bodies deform or spin beyond what their linear modes can carry.
#pragma once

#include <string>
#include <vector>

#include "framework/host/simulation/row_sink.hpp"
#include "polyform/contract/flexible_validity.hpp"

namespace polyform::host::inline simulation {

/// Beyond this turn of a section (rad) or strain, linear modes are told to be out of their range. They are right to
/// first order in it: at a slope of 0.3 rad they deflect a cantilever under a force at its tip 4 % too far; its true
/// deflection is known (the elastica, Bisshopp and Drucker 1945).
inline constexpr double most_deformation = 0.3;

class ModeLimits final : public RowSink {
 public:
  /// The view outlives the object. Without flexible bodies, or with types that tell nothing, it costs nothing.
  explicit ModeLimits(const SystemView&);
  ~ModeLimits();
  ModeLimits(const ModeLimits&) = delete;
  ModeLimits& operator=(const ModeLimits&) = delete;

  void row(double t, const Observation&) override;
  /// Looks at states between rows too, because a deformation may be large only there.
  bool wants_steps() const override { return !bodies_.empty(); }
  void step(double t, const ConstStateView&) override;
  /// Looks at a state without an observation. R: orientations of the bodies, omega: their angular velocities, ground
  /// axes.
  void look(double t, std::size_t body, const Mat3& R, const Vec3& omega, std::span<const double> eta);

  struct Warning {
    std::string message, remedy;
  };
  /// What was found, in the order of time.
  const std::vector<Warning>& warnings() const { return warnings_; }
  /// The bodies that are looked at, of the view.
  std::vector<std::size_t> bodies() const;

 private:
  struct Body {
    const FlexibleData* data;
    FlexibleBatch* batch;
    const ModeValidity* validity;
    std::vector<std::size_t> joints;
    bool told_deformed = false, told_spinning = false, told_loaded = false;
  };
  void look_at_deformation(double t, Body&, std::span<const double> eta);
  void look_at_spin(double t, Body&, const Vec3& omega_in_body);
  void look_at_load(double t, Body&, const Vec3& force_in_body);

  const SystemView& view_;
  std::vector<Body> bodies_;
  std::vector<Warning> warnings_;
};

}  // namespace polyform::host::simulation

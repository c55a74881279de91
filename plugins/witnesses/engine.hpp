// Another engine that makes the equations of motion of a system view.
#pragma once

#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform::witnesses {

/// A system in another engine. Coordinates are those of the system view.
class Engine {
 public:
  virtual ~Engine() = default;
  /// What acts: wrenches on these bodies, about the origins of their frames, ground axes; efforts per velocity
  /// coordinate, none if nothing acts on a joint. One engine gets the same bodies in all calls, and efforts in all or
  /// in none.
  struct Loads {
    std::span<const BodyIndex> bodies;
    std::span<const Spatial> wrenches;  ///< per body of the system
    std::span<const double> efforts;
  };
  /// v̇ of all joints. False if the engine fails; failure() tells why then.
  virtual bool accelerate(const double* q, const double* v, const Loads&, std::span<double> vdot) noexcept = 0;
  /// After accelerate(): what each cut joint transmits to its moving body at the origin of M, ground axes.
  virtual void cut_reactions(std::span<Spatial> out) noexcept = 0;
  /// Brings coordinates back onto the loops.
  virtual bool correct(double* q, double* v, Correction&) noexcept = 0;
  /// After accelerate(): largest residuals of the loops, m or rad and their rates.
  virtual double position_violation() const noexcept = 0;
  virtual double velocity_violation() const noexcept = 0;
  virtual std::string_view failure() const noexcept = 0;
};

}  // namespace polyform::witnesses

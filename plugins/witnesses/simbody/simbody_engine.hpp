// Equations of motion by Simbody. Every body is carried as its tree joint says. A cut joint carries a copy of its body:
// the mass is shared among the copies, and welds make them one body again, so that joints of every kind close loops.
#pragma once

#include <vector>

#include "../engine.hpp"
#include "simbody_system.hpp"

namespace polyform::simbody {

class SimbodyEngine final : public witnesses::Engine {
 public:
  /// Throws std::exception where Simbody refuses the system.
  explicit SimbodyEngine(const SystemView&);
  bool accelerate(const double* q, const double* v, const Loads&, std::span<double> vdot) noexcept override;
  void cut_reactions(std::span<Spatial>) noexcept override;
  bool correct(double* q, double* v, Correction&) noexcept override;
  double position_violation() const noexcept override { return system_.position_residual(); }
  double velocity_violation() const noexcept override { return system_.velocity_residual(); }
  std::string_view failure() const noexcept override { return system_.failure(); }

 private:
  const SystemView& view_;
  SimbodySystem system_;
  std::vector<double> wrenches_, efforts_;
};

}  // namespace polyform::simbody

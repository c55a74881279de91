// What holds the steps of an explicit method down: an interface that the host offers to an integrator beside its
// FirstOrderSystem, by name.
#pragma once

#include <span>
#include <string_view>

namespace polyform {

class StiffestElement {
 public:
  static constexpr std::string_view interface_name = "polyform.stiffest_element.1";

  /// The element that does the most work in the fastest small motion about a state, such as "force `bushing2`" or
  /// "mode 39 of body `beam`" (counted from 0); empty where nothing does any. y: a state as the system has it;
  /// direction: of the motion, an eigenvector of ∂f/∂y as far as it is known, of the states without integrals; rate: of
  /// its eigenvalue the size, 1/s. Good until the next call.
  virtual std::string_view stiffest(double t, std::span<const double> y, std::span<const double> direction,
                                    double rate) noexcept = 0;

 protected:
  ~StiffestElement() = default;
};

}  // namespace polyform

// What holds the steps of an explicit method down: an interface that the host offers to an integrator by name, next to
// its FirstOrderSystem.
#pragma once

#include <span>
#include <string_view>

namespace polyform {

class StiffestElement {
 public:
  static constexpr std::string_view interface_name = "polyform.stiffest_element.1";

  /// The element that does the most work in the fastest small motion about a state, such as "force `bushing2`" or "mode
  /// 39 of body `beam`" (counted from 0); empty if none does any. y: a state of the system. direction: the motion, an
  /// approximate eigenvector of ∂f/∂y for the states without integrals. rate: the size of its eigenvalue, 1/s. The text
  /// is valid until the next call.
  virtual std::string_view stiffest(double t, std::span<const double> y, std::span<const double> direction,
                                    double rate) noexcept = 0;

 protected:
  ~StiffestElement() = default;
};

}  // namespace polyform

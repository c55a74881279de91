// First-order and discrete states of forces, constraints and modules at the start.
#pragma once

#include <string_view>

#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

class FirstOrderStart {
 public:
  explicit FirstOrderStart(Start& start) : start_(start) {}
  /// Sets the initial states that the elements give without knowing the motion.
  void begin();
  /// Sets the initial states that depend on the initial motion (InitialStates, DiscreteAtStart). The states that are
  /// integrals of variables stay as they are.
  void begin_with_motion();

 private:
  template <class Group>
  void report_no_batch(std::string_view kind, Strided<const Group>);
  template <class Group>
  void discrete_of_motion(const Group&);
  void report_strange_values(std::string_view type);
  void report_states();

  Start& start_;
};

}  // namespace polyform::host::inline assembly

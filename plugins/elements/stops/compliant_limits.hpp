// Springs with damping beyond the ends of a joint's way.
#pragma once

#include <array>
#include <vector>

#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "stop_coordinate.hpp"

namespace polyform::stops {

inline constexpr std::array compliant_outputs{Variable{.name = "effort", .unit = "N or N m"}};

/// A spring with damping beyond either end, which never pulls.
class CompliantLimits final : public ForceBatch, public EventSource, public OutputSource {
 public:
  struct Ends {
    double lower, upper;  ///< infinite where there is none
    double stiffness, damping;
  };
  /// Both per instance.
  CompliantLimits(std::vector<StopCoordinate> coordinates, std::vector<Ends> ends);

  void evaluate(const ForceInput&, ForceOutput&) noexcept override;
  void evaluate_outputs(const OutputInput&, std::span<double> values) noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override;
  std::size_t event_count() const noexcept override { return 2 * ends_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override;
  void evaluate_events(const EventInput&, EventOutput&) noexcept override;

 private:
  std::vector<StopCoordinate> coordinates_;
  std::vector<Ends> ends_;
};

}  // namespace polyform::stops

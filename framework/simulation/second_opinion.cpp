#include "framework/simulation/second_opinion.hpp"

#include <algorithm>

#include "polyform/joint_coordinate_solver.hpp"
#include "polyform/tree_regularity.hpp"

namespace polyform::host {

namespace {

/// Part of the largest acceleration that is taken for the size of any smaller one.
constexpr double floor_of_largest = 1e-3;

struct Ignored final : DiagnosticSink {
  void report(const Diagnostic&) noexcept override {}
};

bool can_be_had(const SystemView& view) {
  Ignored sink;
  return view.flexible.empty() && view.constraints.empty() && view.modules.empty() &&
         check_tree_is_regular(view, "", sink);
}

}  // namespace

struct SecondOpinion::Own {
  explicit Own(const SystemView& view)
      : solver(*new JointCoordinateSolver<Recursion>(view, {false, 1e-10})), store(view), y(solver.state_size()) {}
  ~Own() { solver.destroy(); }
  Own(const Own&) = delete;
  Own& operator=(const Own&) = delete;

  Solver& solver;
  ObservationStore store;
  std::vector<double> y;
};

SecondOpinion::SecondOpinion(const SystemView& view)
    : view_(view), own_(can_be_had(view) ? std::make_unique<Own>(view) : nullptr) {}
SecondOpinion::~SecondOpinion() = default;

std::optional<SecondOpinion::Difference> SecondOpinion::on(double t, const Observation& now, double linear,
                                                           double angular) {
  if (!own_) return std::nullopt;
  const ConstStateView state{now.state.q, now.state.v, now.state.eta, now.state.etadot, now.state.x};
  if (own_->solver.encode(state, own_->y) != Status::ok) return std::nullopt;
  Observation& mine = own_->store.now();
  if (own_->solver.observe(t, own_->y, mine) != Status::ok) return std::nullopt;
  double largest_linear = norm(view_.gravity), largest_angular = 0;
  for (const Observation::Body& b : mine.bodies) {
    largest_linear = std::max(largest_linear, norm(b.acceleration));
    largest_angular = std::max(largest_angular, norm(b.angular_acceleration));
  }
  linear += floor_of_largest * largest_linear;
  angular += floor_of_largest * largest_angular;
  Difference worst;
  for (std::size_t i = 0; i < mine.bodies.size(); ++i) {
    const Observation::Body &a = mine.bodies[i], &b = now.bodies[i];
    const auto part = [](const Vec3& mine_, const Vec3& other, double floor) {
      const double size = norm(mine_) + floor;
      return size > 0 ? norm(other - mine_) / size : 0;
    };
    const double here = std::max(part(a.acceleration, b.acceleration, linear),
                                 part(a.angular_acceleration, b.angular_acceleration, angular));
    if (here > worst.part) worst = {here, i};
  }
  // Where digits are lost here too, neither is known to be right.
  const auto* lost = static_cast<const LostDigits*>(own_->solver.query(lost_digits));
  if (lost != nullptr) worst.part = std::max(worst.part, lost->part);
  return worst;
}

}  // namespace polyform::host

// The classical Runge-Kutta method in lanes (rk4.cpp has it for one world).
#include <algorithm>
#include <cmath>

#include "lanes.hpp"
#include "runge_kutta.hpp"

namespace polyform::runge_kutta {

namespace {

/// The same as in Rk4: an instant that lies nearer to a point of the grid, in steps, is that point.
constexpr double lane_grid_share = 1e-9;

class LaneRk4 final : public LaneBatch {
 public:
  explicit LaneRk4(BatchSystem& system)
      : LaneBatch(system),
        h_(lanes()),
        half_(lanes()),
        t_(lanes()),
        active_(lanes()),
        end_(lanes()),
        grids_(lanes()),
        now_(size_ * lanes()),
        previous_(now_),
        next_(now_),
        stage_(now_),
        k1_(now_),
        k2_(now_),
        k3_(now_),
        k4_(now_) {}

 private:
  /// The points that steps end on: origin + index · step.
  struct Grid {
    double origin = 0;
    std::size_t index = 0;
  };

  double step_of(std::size_t lane) { return std::min(of(lane).settings.step, of(lane).settings.max_step); }

  void start(std::size_t lane, double t) noexcept override {
    grids_[lane] = {t, 0};
    put(lane, of(lane).now, now_);
    put(lane, of(lane).now, previous_);
  }
  void restart(std::size_t lane, double t, double) noexcept override {
    grids_[lane].index =
        static_cast<std::size_t>(std::floor((t - grids_[lane].origin) / step_of(lane) + lane_grid_share));
    put(lane, of(lane).now, now_);
    put(lane, of(lane).now, previous_);
  }

  double grid_time(std::size_t lane) {
    return grids_[lane].origin + static_cast<double>(grids_[lane].index + 1) * step_of(lane);
  }

  void try_steps(std::span<const double> t_limit) noexcept override {
    for (std::size_t k = 0; k < lanes(); ++k) {
      active_[k] = steps(k) ? 1 : 0;
      if (!steps(k)) continue;
      const double grid = grid_time(k);
      end_[k] = grid < t_limit[k] - lane_grid_share * step_of(k) ? grid : t_limit[k];
      h_[k] = end_[k] - of(k).end;
      t_[k] = of(k).end;
      if (end_[k] > of(k).end) continue;
      fail(k, Message("the step of {:.3g} s is lost in the rounding of t = {:.9g} s", step_of(k), of(k).end));
      active_[k] = 0;
    }
    take(now_);
    for (std::size_t k = 0; k < lanes(); ++k)
      if (active_[k] != 0) accept(k);
  }

  /// Makes a step from y in all active lanes, into next_; a lane whose derivative is not found fails.
  void take(const LaneNumbers& y) noexcept {
    for (std::size_t k = 0; k < lanes(); ++k) half_[k] = t_[k] + 0.5 * h_[k];
    find(t_, y, k1_);
    const auto go_on = [&](double factor, const LaneNumbers& rates) {
      const StageTerm term{factor, rates.data()};
      add_terms(size_, lanes(), h_.data(), y.data(), {&term, 1}, stage_.data());
    };
    go_on(0.5, k1_);
    find(half_, stage_, k2_);
    go_on(0.5, k2_);
    find(half_, stage_, k3_);
    go_on(1.0, k3_);
    for (std::size_t k = 0; k < lanes(); ++k) half_[k] = t_[k] + h_[k];
    find(half_, stage_, k4_);
    const StageTerm all[] = {
        {1.0 / 6, k1_.data()}, {1.0 / 3, k2_.data()}, {1.0 / 3, k3_.data()}, {1.0 / 6, k4_.data()}};
    add_terms(size_, lanes(), h_.data(), y.data(), all, next_.data());
  }
  void find(std::span<const double> t, const LaneNumbers& y, LaneNumbers& rates) noexcept {
    find_rates(active_, t, y, rates);
    for (std::size_t k = 0; k < lanes(); ++k) {
      if (active_[k] == 0 || found(k)) continue;
      fail(k);
      active_[k] = 0;
    }
  }

  void accept(std::size_t k) noexcept {
    std::vector<double>& corrected = of(k).next;
    for (std::size_t i = 0; i < size_; ++i) corrected[i] = next_[at(i, k)];
    if (system_.world(k).correct(end_[k], corrected) != Status::ok) return fail(k);
    copy(k, now_, previous_);
    put(k, corrected, now_);
    if (end_[k] >= grid_time(k) - lane_grid_share * step_of(k)) ++grids_[k].index;
    finish(k, end_[k]);
  }

  /// Between the ends of a step, makes a side step from its start, in this lane alone.
  Status interpolate(std::size_t lane, double t, std::span<double> y) noexcept override {
    if (t == of(lane).begin) {
      for (std::size_t i = 0; i < size_; ++i) y[i] = previous_[at(i, lane)];
      return Status::ok;
    }
    std::ranges::fill(active_, std::uint8_t{0});
    active_[lane] = 1;
    t_[lane] = of(lane).begin;
    h_[lane] = t - t_[lane];
    take(previous_);
    if (active_[lane] == 0) {
      of(lane).result.reset();
      return Status::failed;
    }
    for (std::size_t i = 0; i < size_; ++i) y[i] = next_[at(i, lane)];
    return Status::ok;
  }

  LaneNumbers h_, half_, t_;
  std::vector<std::uint8_t> active_;
  LaneNumbers end_;
  std::vector<Grid> grids_;
  LaneNumbers now_, previous_, next_, stage_, k1_, k2_, k3_, k4_;
};

class LaneRk4Type final : public BatchIntegration {
 public:
  BatchIntegrator* create(BatchSystem& system, Strided<const FieldValue>) const noexcept override {
    return make_batch<LaneRk4>(system);
  }
};

}  // namespace

const BatchIntegration& lane_rk4() noexcept {
  static const LaneRk4Type type;
  return type;
}

}  // namespace polyform::runge_kutta

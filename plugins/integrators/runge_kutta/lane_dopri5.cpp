// The Dormand-Prince 5(4) method in lanes: each lane has the steps that dopri5 takes with its world alone
// (embedded.hpp), and all lanes share the evaluations.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lane_dopri5_table.hpp"
#include "lanes.hpp"
#include "polyform/contract/corrected_quaternions.hpp"
#include "polyform/contract/integral_sizes.hpp"
#include "polyform/contract/noted_corrections.hpp"
#include "runge_kutta.hpp"
#include "step_control.hpp"

namespace polyform::runge_kutta {

namespace {

/// dopri5 in lanes, each with its own step. Its members are the vectors of one step and of a try, allocated once.
class LaneDopri5 final : public LaneBatch {
 public:
  explicit LaneDopri5(BatchSystem& system)
      : LaneBatch(system),
        ways_(lanes()),
        h_(lanes()),
        t_(lanes()),
        active_(lanes()),
        asked_(lanes()),
        integrals_(system.world(0).integrals()),
        largest_(integrals_ * lanes()),
        sizes_(integrals_),
        now_(size_ * lanes()),
        next_(now_),
        start_(now_),
        start_rate_(now_),
        end_rate_(now_),
        stage_(now_),
        error_(now_),
        try_rate_(now_),
        end_state_(now_),
        absolute_(lanes()),
        relative_(lanes()),
        errors_(lanes()),
        marks_(lanes()),
        residuals_(lanes()) {
    for (LaneNumbers& k : k_) k.resize(now_.size());
    dense_[0] = dense_[1] = now_;
    has_dense_.assign(lanes(), 1);
    if (const auto* const quaternions = ask<CorrectedQuaternions>(system.world(0)))
      quaternions_.assign(quaternions->places().begin(), quaternions->places().end());
  }

 private:
  enum class Why { none, derivative, growth, tolerance, correction };
  /// The state that a lane has of its own: Embedded's members.
  struct Way {
    StepControl control{dopri5_rule};
    double h = 0, proposed = 0, end = 0;
    bool last = false;    ///< this try ends at the limit
    Why why = Why::none;  ///< of the last try of this step
    enum class Rate { unknown, at_end_of_step, before_correction, known } rate = Rate::unknown;
    bool corrects_quaternions = false;  ///< a correction changes nothing but the lengths of quaternions_
    NotedCorrections* notes = nullptr;  ///< then, and if the world takes note of corrections that are made here
    bool corrected_here = false;        ///< the last try
  };

  void start(std::size_t k, double t) noexcept override {
    Way& way = ways_[k];
    way.h = std::min(of(k).settings.step, of(k).settings.max_step);
    std::ranges::fill(sizes_, 0.0);
    if (auto* const its = ask<IntegralSizes>(system_.world(k)); its != nullptr && integrals_ > 0)
      its->least_sizes(t, of(k).now, sizes_);
    for (std::size_t i = 0; i < integrals_; ++i) largest_[at(i, k)] = sizes_[i];
    const auto* const quaternions = ask<CorrectedQuaternions>(system_.world(k));
    way.corrects_quaternions = quaternions != nullptr && std::ranges::equal(quaternions->places(), quaternions_);
    way.notes = way.corrects_quaternions ? ask<NotedCorrections>(system_.world(k)) : nullptr;
    restart(k, t, 0);
  }
  void restart(std::size_t k, double, double first_step) noexcept override {
    Way& way = ways_[k];
    put(k, of(k).now, now_);
    see_integrals(k, of(k).now);
    if (first_step > 0) way.h = std::min(first_step, of(k).settings.max_step);
    way.control.reset();
    way.rate = Way::Rate::unknown, way.why = Why::none;
  }

  double smallest_step(std::size_t k) {
    return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(of(k).end), of(k).settings.step);
  }
  static bool is_of_system(Why why) { return why == Why::derivative || why == Why::correction; }
  std::string_view explain(std::size_t k) {
    if (is_of_system(ways_[k].why)) return system_.world(k).failure();
    return ways_[k].why == Why::growth ? "the state grows beyond all bounds" : "the error stays above the tolerance";
  }

  void try_steps(std::span<const double> t_limit) noexcept override {
    // Where a lane rests, its last step may still be asked for.
    for (std::size_t k = 0; k < lanes(); ++k)
      if (!steps(k) && has_dense_[k] == 0) {
        find_dense();
        break;
      }
    find_start_rates();
    for (std::size_t k = 0; k < lanes(); ++k) {
      if (active_[k] == 0) continue;
      Way& way = ways_[k];
      const double time = of(k).end;
      // No sliver of a step is left before the limit, unless this step would be longer than allowed.
      way.last = time + (1.01 * way.h <= of(k).settings.max_step ? 1.01 : 1.0) * way.h >= t_limit[k];
      h_[k] = way.last ? t_limit[k] - time : way.h;
      way.end = way.last ? t_limit[k] : time + way.h;
      if (way.why == Why::none || h_[k] > smallest_step(k)) continue;
      fail(k, Message("the step size became too small ({:.3g} s) at t = {:.9g} s: {}", h_[k], time, explain(k)),
           is_of_system(way.why) ? StepFailure::stalled_by_system : StepFailure::stalled);
      way.why = Why::none;
      active_[k] = 0;
    }
    go();
    judge_all();
  }

  /// Sets the rates at the start of the steps that are known from the end of the last ones, before their corrections or
  /// where these have not moved the state.
  void keep_end_rates() noexcept {
    bool any = false, all = true, follows = false;
    for (std::size_t k = 0; k < lanes(); ++k) {
      const Way::Rate rate = ways_[k].rate;
      const bool known = steps(k) && (rate == Way::Rate::at_end_of_step || rate == Way::Rate::before_correction);
      marks_[k] = known ? 1 : 0;
      any = any || known;
      all = all && known;
      follows = follows || (known && rate == Way::Rate::before_correction);
    }
    if (all)
      start_rate_.swap(end_rate_);
    else if (any)
      take_over(end_rate_, start_rate_);
    if (follows) {
      for (std::size_t k = 0; k < lanes(); ++k)
        marks_[k] = steps(k) && ways_[k].rate == Way::Rate::before_correction ? 1 : 0;
      carry_rates(lanes(), marks_.data(), {quaternions_, end_state_.data(), now_.data()}, start_rate_.data(),
                  errors_.data());
    }
    for (std::size_t k = 0; k < lanes(); ++k) {
      if (!steps(k)) continue;
      Way::Rate& rate = ways_[k].rate;
      if (rate == Way::Rate::at_end_of_step) rate = Way::Rate::known;
      if (rate == Way::Rate::before_correction)
        rate = std::isfinite(errors_[k]) ? Way::Rate::known : Way::Rate::unknown;
    }
  }

  /// Sets the rate at the start of the step: that at the end of the last step, unless the correction has moved the
  /// state by more than lengths of quaternions.
  void find_start_rates() noexcept {
    keep_end_rates();
    bool any = false;
    for (std::size_t k = 0; k < lanes(); ++k) {
      active_[k] = steps(k) ? 1 : 0;
      asked_[k] = steps(k) && ways_[k].rate == Way::Rate::unknown ? 1 : 0;
      t_[k] = of(k).end;
      any = any || asked_[k] != 0;
    }
    if (!any) return;
    bool all = true;
    for (std::size_t k = 0; k < lanes(); ++k) {
      marks_[k] = asked_[k] != 0 ? 1 : 0;
      all = all && asked_[k] != 0;
    }
    if (all) {
      find_rates(asked_, t_, now_, start_rate_);
    } else {
      find_rates(asked_, t_, now_, stage_);
      take_over(stage_, start_rate_);
    }
    for (std::size_t k = 0; k < lanes(); ++k) {
      if (asked_[k] == 0) continue;
      ways_[k].rate = Way::Rate::known;
      if (found(k)) continue;
      ways_[k].rate = Way::Rate::unknown;
      fail(k);
      active_[k] = 0;
    }
  }

  /// Makes the stages of all active lanes; a lane whose derivative is not found gives up and takes no further part.
  void go() noexcept {
    StageTerm terms[6] = {{0, start_rate_.data()}};
    for (std::size_t s = 0; s < 5; ++s) terms[s + 1].rates = k_[s].data();
    for (std::size_t s = 0; s < 5; ++s) {
      for (std::size_t j = 0; j <= s; ++j) terms[j].factor = lane_weights[s][j];
      add_terms(size_, lanes(), h_.data(), now_.data(), std::span(terms).first(s + 1), stage_.data());
      find_stage(lane_nodes[s], stage_, k_[s]);
    }
    EndTerm ends[5];
    for (std::size_t j = 0; j < 5; ++j) ends[j] = {lane_ends[j], lane_errors[j], terms[j == 0 ? 0 : j + 1].rates};
    add_ends(size_, lanes(), h_.data(), now_.data(), ends, next_.data(), error_.data());
    find_stage(1, next_, try_rate_);
  }
  /// h Σ factor k of the last try, over k1, k3, k4, k5, k6, k7; the last one is given.
  void sum_of_try(const double* factors, const LaneNumbers& last, LaneNumbers& out) noexcept {
    const double* const rates[6] = {start_rate_.data(), k_[1].data(), k_[2].data(),
                                    k_[3].data(),       k_[4].data(), last.data()};
    StageTerm terms[6];
    for (std::size_t j = 0; j < 6; ++j) terms[j] = {factors[j], rates[j]};
    add_terms(size_, lanes(), h_.data(), nullptr, terms, out.data());
  }
  /// The dense output of the last steps that came of the last try.
  void find_dense() noexcept {
    for (std::size_t k = 0; k < lanes(); ++k) marks_[k] = std::exchange(has_dense_[k], 1) == 0 ? 1 : 0;
    for (std::size_t part = 0; part < 2; ++part) {
      sum_of_try(lane_dense[part], end_rate_, error_);
      copy_lanes(size_, lanes(), marks_.data(), error_.data(), dense_[part].data());
    }
  }
  void find_stage(double node, const LaneNumbers& y, LaneNumbers& rates) noexcept {
    for (std::size_t k = 0; k < lanes(); ++k) t_[k] = of(k).end + node * h_[k];
    find_rates(active_, t_, y, rates);
    for (std::size_t k = 0; k < lanes(); ++k) {
      if (active_[k] == 0 || found(k)) continue;
      give_up(k, Why::derivative);
      active_[k] = 0;
    }
  }

  void give_up(std::size_t k, Why why) noexcept {
    ways_[k].h = ways_[k].control.after_failed(h_[k]);
    ways_[k].why = why;
    ++of(k).given_up;
  }

  /// Finds the errors of the last try, in units of the tolerances; NaN if anything is not finite (ErrorNorm).
  void find_all_errors() noexcept {
    for (std::size_t k = 0; k < lanes(); ++k) {
      absolute_[k] = of(k).settings.absolute_tolerance;
      relative_[k] = of(k).settings.relative_tolerance;
    }
    const std::size_t controlled = size_ - integrals_;
    find_errors(controlled, lanes(), {absolute_.data(), relative_.data()}, now_.data(), next_.data(),
                {h_.data(), error_.data(), lane_errors[5], try_rate_.data()}, errors_.data());
    for (std::size_t i = controlled; i < size_; ++i)
      for (std::size_t k = 0; k < lanes(); ++k) {
        const std::size_t j = at(i, k);
        const double rate = std::max(std::abs(start_rate_[j]), std::abs(try_rate_[j]));
        const double size = std::max(largest_[at(i - controlled, k)], h_[k] * rate);
        const double tolerance = integral_tolerance * (absolute_[k] + relative_[k] * size);
        const double whole = h_[k] * (error_[j] + lane_errors[5] * try_rate_[j]);
        const double error = std::abs(whole) / tolerance + 0 * next_[j];
        errors_[k] = error <= errors_[k] || std::isnan(errors_[k]) ? errors_[k] : error;
      }
  }

  /// Whether the try of a lane is accepted.
  bool judge(std::size_t k) noexcept {
    Way& way = ways_[k];
    if (!std::isfinite(errors_[k])) {
      give_up(k, Why::growth);
      return false;
    }
    if (errors_[k] > 1) {
      way.h = way.control.after_rejected(h_[k], errors_[k]);
      way.why = Why::tolerance;
      ++of(k).given_up;
      return false;
    }
    std::vector<double>& corrected = of(k).next;
    way.corrected_here = way.notes != nullptr && std::isfinite(residuals_[k]);
    get(k, way.corrected_here ? stage_ : next_, corrected);
    if (way.corrected_here) {
      way.notes->note(residuals_[k]);
    } else if (system_.world(k).correct(way.end, corrected) != Status::ok) {
      give_up(k, Why::correction);
      return false;
    }
    way.proposed = way.control.after_accepted(h_[k], errors_[k]);
    return true;
  }

  /// Makes the corrections of all lanes that need nothing else: of the ends of their steps, in the room of the stages.
  void correct_here() noexcept {
    if (std::ranges::none_of(ways_, [](const Way& way) { return way.notes != nullptr; })) return;
    std::ranges::copy(next_, stage_.begin());
    normalize(lanes(), quaternions_, stage_.data(), residuals_.data());
  }

  void judge_all() noexcept {
    find_all_errors();
    correct_here();
    bool any = false, all = true, here = true;
    for (std::size_t k = 0; k < lanes(); ++k) {
      const bool accepted = active_[k] != 0 && judge(k);
      marks_[k] = accepted ? 1 : 0;
      any = any || accepted;
      all = all && accepted;
      here = here && (!accepted || ways_[k].corrected_here);
    }
    if (!any) return;
    if (all) {
      // Nothing of the try is read again but by accept(), which fills now_.
      now_.swap(start_);
      try_rate_.swap(end_rate_);
      next_.swap(end_state_);
    } else {
      take_over(now_, start_);
      take_over(try_rate_, end_rate_);
      take_over(next_, end_state_);
    }
    if (here && all)
      now_.swap(stage_);
    else if (here)
      take_over(stage_, now_);
    for (std::size_t k = 0; k < lanes(); ++k)
      if (marks_[k] > 0) accept(k, here);
  }

  /// to = from in the lanes that are marked.
  void take_over(const LaneNumbers& from, LaneNumbers& to) noexcept {
    copy_lanes(size_, lanes(), marks_.data(), from.data(), to.data());
  }

  /// As LargestIntegrals::see.
  void see_integrals(std::size_t k, const std::vector<double>& now) noexcept {
    for (std::size_t i = 0; i < integrals_; ++i) {
      double& largest = largest_[at(i, k)];
      largest = std::max(largest, std::abs(now[size_ - integrals_ + i]));
    }
  }
  /// is_there: the corrected state stands in now_ already.
  void accept(std::size_t k, bool is_there) noexcept {
    Way& way = ways_[k];
    const std::vector<double>& now = of(k).next;
    const bool moved = is_there ? residuals_[k] > 0 : put_changed(k, now, end_state_, now_);
    see_integrals(k, now);
    has_dense_[k] = 0;
    way.rate = !moved                     ? Way::Rate::at_end_of_step
               : way.corrects_quaternions ? Way::Rate::before_correction
                                          : Way::Rate::unknown;
    // A step cut short by the limit says nothing against the step size found before.
    way.h = std::min(way.last ? std::max(way.h, way.proposed) : way.proposed, of(k).settings.max_step);
    way.why = Why::none;
    finish(k, way.end);
  }

  /// y = start + A Σ b k + h D k1 + h B k7 + C Σ X k with the polynomials A, B, C, D of the share of the step. The sums
  /// over X, a third of those of a try, are made when they are asked for: most tries have no rows in them.
  Status interpolate(std::size_t k, double t, std::span<double> y) noexcept override {
    if (has_dense_[k] == 0) find_dense();
    const double h = of(k).end - of(k).begin, share = (t - of(k).begin) / h, back = share - 1;
    const double A = share * share * (3 - 2 * share), B = h * share * share * back, D = h * share * back * back;
    const double C = share * share * back * back;
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t j = at(i, k);
      y[i] = start_[j] + A * (end_state_[j] - start_[j]) + D * start_rate_[j] + B * end_rate_[j] +
             C * (dense_[0][j] + share * dense_[1][j]);
    }
    return Status::ok;
  }

  std::vector<Way> ways_;
  LaneNumbers h_, t_;
  std::vector<std::uint8_t> active_, asked_;
  std::size_t integrals_;
  std::vector<std::size_t> quaternions_;       ///< CorrectedQuaternions::places()
  LaneNumbers largest_;                        ///< as of LargestIntegrals
  std::vector<double> sizes_;                  ///< of the integrals of a lane, at least
  LaneNumbers now_, next_;                     ///< next_: of a try
  LaneNumbers start_, start_rate_, end_rate_;  ///< of the last step; the rate at its start also that of tries
  LaneNumbers k_[5], stage_;                   ///< of a try
  LaneNumbers error_;                          ///< the error of a try, without its step and its end
  LaneNumbers try_rate_;                       ///< at the end of a try
  LaneNumbers end_state_;                      ///< of the last step, before its correction
  LaneNumbers dense_[2];                       ///< of the last step: h Σ X k, constant and slope
  std::vector<std::uint8_t> has_dense_;        ///< of lanes: these are known
  LaneNumbers absolute_, relative_, errors_, marks_, residuals_;  ///< one per lane; residuals of own corrections
};

class LaneDopri5Type final : public BatchIntegration {
 public:
  BatchIntegrator* create(BatchSystem& system, Strided<const FieldValue>) const noexcept override {
    return make_batch<LaneDopri5>(system);
  }
};

}  // namespace

const BatchIntegration& lane_dopri5() noexcept {
  static const LaneDopri5Type type;
  return type;
}

}  // namespace polyform::runge_kutta

// Signals with states that are linear in their input: transfer functions, integrators, delays, samplers.
#include <fmt/format.h>

#include <cmath>

#include "framework/host/reading/model_reader.hpp"
#include "framework/host/reading/signal_blocks.hpp"

namespace polyform::host::inline reading {

using expressions::Code;
using expressions::NodeIndex;

namespace {

constexpr int highest_order = 20;  ///< of delays: beyond it rounding, not the order, bounds what is gained

}  // namespace

/// (b_n s^n + … + b_0)/(a_n s^n + … + a_0), coefficients from the highest power on: ẋ = A x + e_n u in the controllable
/// form, y = C x + D u with D = b_n/a_n.
std::optional<NodeIndex> SignalBlocks::transfer_function(MapReader& map) {
  const auto read = [&](std::string_view key) -> std::vector<double> {
    const auto given = map.require(key, "its coefficients, from the highest power of s on");
    const auto list = given ? read_numbers(*given) : std::nullopt;
    if (list && list->empty()) given->unexpected("one coefficient at least");
    if (!list || list->empty()) {
      good_ = false;
      return {1};
    }
    return *list;
  };
  std::vector<double> b = read("numerator"), a = read("denominator");
  const bool is_given = map.find("initial").has_value();
  const double initial = number(map, "initial", 0);
  if (!good_) return std::nullopt;
  if (a.front() == 0) {
    map.value().error("the first coefficient of the denominator is 0", "Begin with that of the highest power.");
    return std::nullopt;
  }
  while (b.size() > 1 && b.front() == 0) b.erase(b.begin());
  if (b.size() > a.size()) {
    map.value().error(fmt::format("the numerator has degree {}, the denominator {}", b.size() - 1, a.size() - 1),
                      "It would differentiate its input: give the denominator the same degree or a higher one.");
    return std::nullopt;
  }
  const std::size_t n = a.size() - 1;
  b.insert(b.begin(), a.size() - b.size(), 0.0);
  const double leading = a.front();
  for (double& x : b) x /= leading;
  for (double& x : a) x /= leading;
  const double through = b[0];
  std::vector<NodeIndex> x(n);
  std::vector<std::size_t> numbers(n);
  // Only the first state is not zero at the start: the output with what goes through at once is the given one.
  const double c0 = n > 0 ? b[n] - a[n] * through : 0;
  if (is_given && c0 == 0 && (initial != 0 || through != 0)) {
    map.value().error("the start value cannot be given: the output does not depend on the first state",
                      "Leave 'initial' out.");
    return std::nullopt;
  }
  for (std::size_t k = 0; k < n; ++k)
    x[k] = state(fmt::format("x{}", k), k == 0 && c0 != 0 ? initial / c0 : 0, numbers[k]);
  NodeIndex y = constant(0);
  for (std::size_t k = 0; k < n; ++k)
    y = add(Code::add, y, add(Code::multiply, constant(b[n - k] - a[n - k] * through), x[k]));
  const auto set_rates = [a, x, numbers, n](SignalBlocks& blocks, NodeIndex u) {
    NodeIndex last = u;
    for (std::size_t k = 0; k < n; ++k)
      last = blocks.add(Code::subtract, last, blocks.add(Code::multiply, blocks.constant(a[n - k]), x[k]));
    for (std::size_t k = 0; k < n; ++k) blocks.set_rate(numbers[k], k + 1 < n ? x[k + 1] : last);
  };
  if (through == 0) {
    read_input_later(map, set_rates);
    return y;
  }
  const std::optional<NodeIndex> u = input(map);
  if (!u) return std::nullopt;
  set_rates(*this, *u);
  const NodeIndex at_once = add(Code::multiply, constant(through), *u);
  if (is_given)
    reader_.states_[numbers[0]].start =
        add(Code::divide, add(Code::subtract, constant(initial), at_once), constant(c0));
  return add(Code::add, y, at_once);
}

std::optional<NodeIndex> SignalBlocks::integrator(MapReader& map) {
  std::size_t i = 0;
  const NodeIndex integral = state("integral", number(map, "initial", 0), i);
  read_input_later(map, [i](SignalBlocks& blocks, NodeIndex u) { blocks.set_rate(i, u); });
  return integral;
}

/// The input at an earlier time. If the input is a function of time, that is the function at the earlier time, from t =
/// 0 on. If it depends on the state, states approximate it (delayed_by_states).
std::optional<NodeIndex> SignalBlocks::delay(MapReader& map) {
  const auto given = map.require("time", "how much later the input comes out, s");
  const std::optional<double> time = given ? read_number(*given, "s") : std::nullopt;
  const bool is_good = time && *time > 0;
  if (time && !is_good) given->unexpected("a number in s greater than 0");
  if (const auto order = map.find("order")) {
    const double n = number(map, "order", 0), initial = number(map, "initial", 0);
    if (good_ && (n != std::floor(n) || n < 1 || n > highest_order)) {
      order->unexpected(fmt::format("a whole number from 1 to {}", highest_order));
      return std::nullopt;
    }
    if (!is_good || !good_) return std::nullopt;
    return delayed_by_states(map, *time, static_cast<std::size_t>(n), initial);
  }
  map.forbid("initial", "of a delay without 'order' the input before t = 0 is that at t = 0");
  const std::optional<NodeIndex> u = input(map);
  if (!is_good || !u) return std::nullopt;
  if (!reader_.formulas().of_time_alone(*u)) {
    map.value().error(
        "the input of this delay depends on the state: earlier states are no part of the state that the equations of "
        "motion, linear models and results start from",
        fmt::format("Give 'order', from 1 to {}: the delay is then approximated by as many states, up to angular "
                    "frequencies of about order/time.",
                    highest_order));
    return std::nullopt;
  }
  const NodeIndex earlier = add(Code::maximum, add(Code::subtract, reader_.time(), constant(*time)), constant(0));
  const NodeIndex by[] = {earlier};
  return reader_.formulas().graph.replaced(*u, by);
}

/// The Padé approximation [n/n] of exp(-sT), as the wave that comes back from a ladder: with y = sT/2 it is
/// (1 - z)/(1 + z), z being the continued fraction of tanh(y), 1/(1/y + 1/(3/y + 1/(5/y + ...))), ended after n terms.
/// As a network: coils in parallel with what follows, y i_k = (2k - 1) V_k for odd k, and capacitors in series with
/// what follows, y v_k = (2k - 1) I_k for even k; u goes in with V + I = 2u, and (I - V)/2 comes out. So all numbers
/// are of one size whatever the order is, unlike the coefficients of the fraction. An odd order lets -u through at
/// once, an even one u: no algebraic loop is closed by it.
std::optional<NodeIndex> SignalBlocks::delayed_by_states(MapReader& map, double time, std::size_t n, double initial) {
  const std::optional<NodeIndex> u = input(map);
  if (!u) return std::nullopt;
  std::vector<NodeIndex> x(n);
  std::vector<std::size_t> numbers(n);
  // At rest with a steady input all of the current goes through the first coil.
  for (std::size_t k = 0; k < n; ++k) x[k] = state(fmt::format("x{}", k), k == 0 ? 2 * initial : 0, numbers[k]);
  NodeIndex currents = constant(0), voltages = constant(0);
  for (std::size_t k = 0; k < n; ++k) {
    NodeIndex& sum = k % 2 == 0 ? currents : voltages;
    sum = add(Code::add, sum, x[k]);
  }
  const NodeIndex in = add(Code::multiply, constant(2), *u);
  NodeIndex current = currents, voltage = voltages;
  (n % 2 == 1 ? voltage : current) = add(Code::subtract, in, n % 2 == 1 ? currents : voltages);
  const NodeIndex out = add(Code::multiply, constant(0.5), add(Code::subtract, current, voltage));
  NodeIndex left_current = current, left_voltage = voltage;  // of what follows the elements so far
  for (std::size_t k = 0; k < n; ++k) {
    const double factor = (2 * static_cast<double>(k) + 1) * 2 / time;
    const bool is_coil = k % 2 == 0;
    set_rate(numbers[k], add(Code::multiply, constant(factor), is_coil ? left_voltage : left_current));
    NodeIndex& left = is_coil ? left_current : left_voltage;
    left = add(Code::subtract, left, x[k]);
  }
  return out;
}

/// Holds its input from each instant k T to the next. All samplers whose intervals end at one instant take their
/// inputs at once, from what was held before: one that samples another delays it by one interval of the other.
std::optional<NodeIndex> SignalBlocks::sampler(MapReader& map) {
  const auto given = map.require("interval", "the time from one sample to the next, s");
  const std::optional<double> interval = given ? read_number(*given, "s") : std::nullopt;
  const double initial = number(map, "initial", 0);
  if (interval && !(*interval > 0)) {
    given->unexpected("a number in s greater than 0");
    return std::nullopt;
  }
  const std::size_t sample = reader_.samples_.size();
  reader_.samples_.push_back(
      {fmt::format("signal.{}.held", name_), interval.value_or(1), initial, constant(initial), constant(initial)});
  const NodeIndex held = reader_.formulas().input(
      {.kind = expressions::StateInput::Kind::held, .of = -1, .index = static_cast<std::uint32_t>(sample)});
  read_input_later(map, [sample](SignalBlocks& blocks, NodeIndex u) {
    blocks.reader_.samples_[sample].input = blocks.reader_.samples_[sample].start = u;
  });
  return held;
}

}  // namespace polyform::host::inline reading

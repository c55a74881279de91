#include "framework/host/expressions/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>

#include "framework/host/expressions/formula_values.hpp"
#include "framework/host/expressions/next_root.hpp"

namespace polyform::host::inline expressions {

namespace {

thread_local std::string trouble_text;
thread_local double trouble_time = 0;
thread_local bool is_looking = false;

/// Registers for one evaluation: on the stack, or kept by the thread if there are many.
template <class T, class Use>
auto with_registers(std::size_t count, const Use& use) {
  if (count <= 64) {
    std::array<T, 64> few;
    return use(std::span<T>(few).first(count));
  }
  thread_local std::vector<T> many;
  if (many.size() < count) many.resize(count);
  return use(std::span<T>(many).first(count));
}

}  // namespace

std::string FormulaText::place(std::size_t byte) const {
  const bool one_line = text.find('\n') == std::string::npos;
  if (line == 0) return path;
  return fmt::format("{}:{}:{}: {}", file, line, column + (one_line ? static_cast<int>(byte) : 0), path);
}

NodeIndex Formulas::input(const StateInput& asked) {
  const auto known = std::ranges::find(inputs, asked);
  const auto number = static_cast<std::uint32_t>(known - inputs.begin());
  if (known == inputs.end()) inputs.push_back(asked);
  return graph.input(number);
}

namespace {

/// What an input of positions changes by; nothing for any other.
std::optional<StateInput> rate_of(StateInput input) {
  using Kind = StateInput::Kind;
  if (input.kind == Kind::position && !input.with_index) {
    input.kind = Kind::velocity;
    return input;
  }
  if (input.kind < Kind::x || input.kind > Kind::z) return std::nullopt;
  const int along = static_cast<int>(input.kind) - static_cast<int>(Kind::x);
  input.kind = static_cast<Kind>(static_cast<int>(Kind::vx) + along);
  return input;
}

}  // namespace

NodeIndex Formulas::rate(NodeIndex root) {
  const NodeIndex roots[] = {root};
  NodeIndex sum = graph.constant(0);
  for (const std::uint32_t number : graph.inputs(roots)) {
    const bool is_time = inputs[number].kind == StateInput::Kind::time;
    const std::optional<StateInput> moves = rate_of(inputs[number]);
    const NodeIndex slope = is_time || moves ? graph.derivative(root, number) : Graph::none;
    if (slope == Graph::none) return slope;
    sum = graph.add(Code::add, sum, is_time ? slope : graph.add(Code::multiply, slope, input(*moves)));
  }
  return sum;
}

bool Formulas::of_time_alone(NodeIndex root) const {
  const NodeIndex roots[] = {root};
  const std::vector<std::uint32_t> numbers = graph.inputs(roots);
  return numbers.empty() || numbers == std::vector<std::uint32_t>{0};
}

namespace {

/// Whether a function turns round far from zero alone: a sine or cosine, with a constant added.
bool is_plain_wave(const Graph& graph, NodeIndex node) {
  const auto is_wave = [&](NodeIndex i) { return graph[i].code == Code::sine || graph[i].code == Code::cosine; };
  const GraphNode& sum = graph[node];
  if (is_wave(node)) return true;
  if (sum.code != Code::add && sum.code != Code::subtract) return false;
  const NodeIndex wave = is_wave(sum.a) ? sum.a : sum.b, other = is_wave(sum.a) ? sum.b : sum.a;
  constexpr double far = 1e-2;
  return is_wave(wave) && graph[other].code == Code::constant && std::abs(std::abs(graph[other].value) - 1) > far;
}

}  // namespace

std::vector<NodeIndex> Formulas::turnings(std::span<const NodeIndex> roots) {
  std::vector<NodeIndex> found;
  for (const NodeIndex node : graph.switches(roots)) {
    const NodeIndex one[] = {node};
    const std::vector<std::uint32_t> numbers = graph.inputs(one);
    if (numbers.empty() || of_time_alone(node) || is_plain_wave(graph, node)) continue;
    bool is_linear = true;
    std::vector<NodeIndex> slopes;
    for (const std::uint32_t number : numbers) {
      slopes.push_back(graph.derivative(node, number));
      is_linear = is_linear && (slopes.back() == Graph::none || graph[slopes.back()].code == Code::constant);
    }
    if (is_linear) continue;
    // Along one input the way of the motion does not matter.
    const NodeIndex turning = slopes.size() == 1 ? slopes.front() : rate(node);
    if (turning != Graph::none && graph[turning].code != Code::constant) found.push_back(turning);
  }
  return found;
}

std::string shown_part(const TextPlace& place, std::span<const FormulaText> texts) {
  const FormulaText& of = texts[place.formula];
  std::string part = of.text.substr(std::min<std::size_t>(place.begin, of.text.size()), place.end - place.begin);
  while (!part.empty() && part.back() == ' ') part.pop_back();
  constexpr std::size_t most = 60;
  if (part.size() > most) part = part.substr(0, most) + "...";
  return fmt::format("`{}` ({})", part, of.place(place.begin));
}

std::string describe(const Trouble& trouble, std::span<const FormulaText> texts) {
  if (trouble.place.formula >= texts.size() || trouble.place.end == 0) return trouble.what;
  return fmt::format("{} in {}", trouble.what, shown_part(trouble.place, texts));
}

const StateFormula* state_formula(const TimeFunction& f) {
  if (f.kind != TimeFunction::Kind::other || f.source == nullptr) return nullptr;
  return static_cast<const StateFormula*>(f.source->query(StateFormula::interface_name));
}

NodeIndex formula_root(const TimeFunction& f) {
  if (const StateFormula* const of_state = state_formula(f)) return of_state->root();
  if (f.kind != TimeFunction::Kind::other || f.source == nullptr) return Graph::none;
  const auto* const of_time = static_cast<const TimeFormula*>(f.source->query(TimeFormula::interface_name));
  return of_time == nullptr ? Graph::none : of_time->root();
}

void note_trouble(const Trouble& trouble, std::span<const FormulaText> texts, double time) noexcept {
  try {
    trouble_text = fmt::format("{} at t = {:.9g} s", describe(trouble, texts), time);
    trouble_time = time;
  } catch (...) {  // if there is no memory for the text, there is no text
    trouble_text.clear();
  }
}
void clear_trouble() noexcept { trouble_text.clear(); }

void note_strained(const Program& program, std::size_t root, std::span<const double> work,
                   std::span<const FormulaText> texts, double time) noexcept {
  if (!is_looking) return;  // another thread looks
  try {
    if (const auto strained = program.strained(root, work)) note_trouble(*strained, texts, time);
  } catch (...) {  // no memory: the place is not noted
  }
}
LookForStrained::LookForStrained() noexcept {
  is_looking = true;
  looked_at_from.store(0, std::memory_order_relaxed);
}
LookForStrained::~LookForStrained() {
  is_looking = false;
  looked_at_from.store(beyond_any_scale, std::memory_order_relaxed);
}
std::string last_trouble(double since) { return trouble_time >= since ? trouble_text : std::string(); }

double shortest_period(const Graph& graph, std::span<const NodeIndex> roots) {
  const std::uint32_t time[] = {0};
  double shortest = std::numeric_limits<double>::infinity();
  for (const NodeIndex i : graph.needed(roots)) {
    const GraphNode& node = graph[i];
    const bool turns = node.code == Code::sine || node.code == Code::cosine || node.code == Code::tangent;
    if (!turns && node.code != Code::floor) continue;
    const NodeIndex argument[] = {node.a};
    if (graph.inputs(argument) != std::vector<std::uint32_t>{0}) continue;
    const Program program(graph, argument, time);
    std::vector<Jet> work(program.registers());
    const auto rate_at = [&](double t) {
      program.prepare(std::span(work));
      work[0] = {t, 1, 0};
      program.run(std::span(work));
      const Jet& x = work[program.root(0)];
      return x.acceleration == 0 ? x.rate : 0.0;
    };
    // The rates at two instants whose times have no simple ratio are the same only if the function grows steadily.
    const double rate = rate_at(0.3819660113);
    if (rate != 0 && std::abs(rate_at(2.7182818285) - rate) <= 1e-12 * std::abs(rate))
      shortest = std::min(shortest, (turns ? 2 * std::numbers::pi : 1.0) / std::abs(rate));
  }
  return shortest;
}

TimeFormula::TimeFormula(Formulas& all, NodeIndex root) : root_(root), texts_(all.texts) {
  const NodeIndex roots[] = {root};
  shortest_ = shortest_period(all.graph, roots);
  const std::uint32_t time[] = {0};
  program_ = Program(all.graph, roots, time);
  std::vector<NodeIndex> knots = all.graph.switches(roots);
  for (const NodeIndex peak : all.graph.peaks(roots))
    if (std::ranges::find(knots, peak) == knots.end()) knots.push_back(peak);
  switches_ = TimeRoots(all.graph, knots);
  poles_ = Poles(all.graph, roots, time);
  pole_roots_ = TimeRoots(all.graph, poles_.nodes);
}

TimeFunction::Value TimeFormula::value(double t) const noexcept {
  return with_registers<Jet>(program_.registers(), [&](std::span<Jet> work) -> TimeFunction::Value {
    work[0] = {t, 1, 0};
    program_.prepare(work);
    program_.run(work);
    const Jet& result = work[program_.root(0)];
    if (!(std::abs(result.value) < looked_at_from.load(std::memory_order_relaxed)) || !std::isfinite(result.rate) ||
        !std::isfinite(result.acceleration)) [[unlikely]] {
      with_registers<double>(program_.registers(), [&](std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = work[i].value;
        const bool is_finite = std::isfinite(result.rate) && std::isfinite(result.acceleration);
        if (const auto trouble = program_.trouble(0, values))
          note_trouble(*trouble, *texts_, t);
        else if (!is_finite)
          note_trouble(Trouble{"an infinite derivative in time", program_.place(0)}, *texts_, t);
        else
          note_strained(program_, 0, values, *texts_, t);
      });
    }
    return {result.value, result.rate, result.acceleration};
  });
}

double TimeFormula::next_knot(double t) const noexcept { return next_root(switches_, t); }

double TimeFormula::next_pole(double after, double until) const {
  constexpr int most_zeros = 100000;  // of quotients that stay bounded, and of slopes, after each other
  double t = after;
  for (int zeros = 0; zeros < most_zeros; ++zeros) {
    t = next_root(pole_roots_, t);
    if (!(t <= until)) return never;
    if (is_pole(t)) return t;
  }
  return never;
}

bool TimeFormula::is_pole(double t) const {
  // Of the time; a root is known to 1e-14 of it. What touches zero is lost in rounding so near.
  constexpr double distance = 1e-6, distance_of_touch = 1e-3;
  double far = distance * std::max(std::abs(t), distance);
  if (poles_.all[nearest_pole(t)].touched)
    far = distance_of_touch * std::min(std::max(std::abs(t), distance), shortest_);
  const auto size = [&](double by) { return std::max(std::abs(value(t - by).value), std::abs(value(t + by).value)); };
  return grows_without_bound({size(far), size(std::sqrt(nearer_to_pole) * far), size(nearer_to_pole * far)});
}

/// Of poles_.all.
std::size_t TimeFormula::nearest_pole(double t) const noexcept {
  return with_registers<double>(poles_.zeros.registers(), [&](std::span<double> work) {
    poles_.zeros.prepare(work);
    work[0] = t;
    poles_.zeros.run(work);
    std::size_t nearest = 0;
    const auto size = [&](std::size_t k) { return std::abs(work[poles_.zeros.root(k)]); };
    for (std::size_t k = 1; k < poles_.all.size(); ++k)
      if (size(k) < size(nearest)) nearest = k;
    return nearest;
  });
}

void TimeFormula::note_pole(double t) const noexcept {
  note_trouble(Trouble{divided_by_zero, poles_.all[nearest_pole(t)].place}, *texts_, t);
}

}  // namespace polyform::host::inline expressions

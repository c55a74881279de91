#include "source_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/mechanics/judgement.hpp"

namespace polyform::tracing {

namespace {

/// Operations of a part. Fewer carry more values through memory, more make the compiler slow.
constexpr std::size_t part_length = 400;

constexpr std::string_view array_names[array_count] = {
    "y",     "ydot",       "sines",        "cosines", "constants", "frames",        "axes",   "ground",
    "cuts",  "cut_places", "motions",      "loads",   "efforts",   "frame_motions", "forces", "power",
    "asked", "missed",     "missed_rates", "extent",  "turns",     "steps",         "events"};

std::string_view name_of(Array array) { return array_names[static_cast<std::size_t>(array)]; }
std::string literal(double x) {
  return std::isnan(x) ? "any" : x < 0 ? fmt::format("({:a})", x) : fmt::format("{:a}", x);
}

/// Which part computes an operation, and where its value stands for later ones.
class Plan {
 public:
  explicit Plan(const Trace& trace)
      : trace_(trace),
        used_(trace.nodes().size()),
        part_(used_.size(), none),
        last_(used_.size(), 0),
        slot_(used_.size(), none) {
    for (const Trace::Output& out : trace.outputs()) mark(out.node);
    for (const Trace::Check& check : trace.checks()) {
      mark(check.a);
      mark(check.b);
    }
    divide();
    place();
  }

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Part {
    std::vector<std::uint32_t> operations;
    std::vector<std::size_t> outputs, checks;  ///< indices into those of the trace
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// The first part of the second kernel.
  std::size_t second() const { return second_; }
  std::size_t operations() const { return operations_; }
  std::size_t work() const { return work_; }
  std::uint32_t part_of(std::uint32_t node) const { return part_[node]; }
  std::uint32_t slot_of(std::uint32_t node) const { return slot_[node]; }
  bool is_computed(std::uint32_t node) const {
    const Operation operation = trace_.nodes()[node].operation;
    return operation != Operation::constant && operation != Operation::input;
  }
  static bool has_two(Operation operation) {
    return operation != Operation::negate && operation != Operation::absolute && operation != Operation::root;
  }

 private:
  void mark(std::uint32_t root) {
    std::vector<std::uint32_t> open{root};
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (used_[node]) continue;
      used_[node] = true;
      if (!is_computed(node)) continue;
      const Node& n = trace_.nodes()[node];
      open.push_back(n.a);
      if (has_two(n.operation)) open.push_back(n.b);
    }
  }

  void divide() {
    parts_.emplace_back();
    const std::uint32_t second = trace_.second();
    for (std::uint32_t node = 0; node < used_.size(); ++node) {
      if (node == second) begin_second();
      if (!used_[node] || !is_computed(node)) continue;
      if (parts_.back().operations.size() == part_length) parts_.emplace_back();
      part_[node] = static_cast<std::uint32_t>(parts_.size() - 1);
      parts_.back().operations.push_back(node);
      ++operations_;
    }
    if (second >= used_.size()) begin_second();
    const auto where = [&](std::uint32_t node, std::uint32_t phase) {
      const std::size_t first = phase == 0 ? 0 : second_;
      return is_computed(node) ? std::max<std::size_t>(part_[node], first) : first;
    };
    for (std::size_t i = 0; i < trace_.outputs().size(); ++i) {
      const Trace::Output& out = trace_.outputs()[i];
      use(out.node, where(out.node, out.phase));
      parts_[where(out.node, out.phase)].outputs.push_back(i);
    }
    for (std::size_t i = 0; i < trace_.checks().size(); ++i) {
      const Trace::Check& check = trace_.checks()[i];
      const std::size_t part = std::max(where(check.a, check.phase), where(check.b, check.phase));
      use(check.a, part);
      use(check.b, part);
      parts_[part].checks.push_back(i);
    }
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (const std::uint32_t node : parts_[p].operations) {
        use(trace_.nodes()[node].a, p);
        if (has_two(trace_.nodes()[node].operation)) use(trace_.nodes()[node].b, p);
      }
  }
  void begin_second() {
    second_ = parts_.size();
    parts_.emplace_back();
  }
  void use(std::uint32_t node, std::size_t part) {
    last_[node] = std::max(last_[node], static_cast<std::uint32_t>(part));
  }

  /// Values that outlive their part get a place each; places are free again after the last use.
  void place() {
    std::vector<std::vector<std::uint32_t>> ending(parts_.size());
    std::vector<std::uint32_t> free;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      for (const std::uint32_t node : parts_[p].operations) {
        if (last_[node] <= p) continue;
        if (free.empty()) free.push_back(static_cast<std::uint32_t>(work_++));
        slot_[node] = free.back();
        free.pop_back();
        ending[last_[node]].push_back(slot_[node]);
      }
      free.insert(free.end(), ending[p].begin(), ending[p].end());
    }
  }

  const Trace& trace_;
  std::vector<bool> used_;
  std::vector<std::uint32_t> part_, last_, slot_;
  std::vector<Part> parts_;
  std::size_t second_ = 0, operations_ = 0, work_ = 0;
};

/// One part after the other.
class Writer {
 public:
  /// parts: what their names begin with.
  Writer(const Trace& trace, const Plan& plan, std::string_view parts, TextSink& sink)
      : trace_(trace), plan_(plan), parts_(parts), sink_(sink), read_(trace.nodes().size(), Plan::none) {}

  /// The two kernels of the trace.
  void write(std::string_view first, std::string_view second) {
    for (std::size_t p = 0; p < plan_.parts().size(); ++p) write_part(p);
    write_kernel(first, 0, plan_.second());
    write_kernel(second, plan_.second(), plan_.parts().size());
  }

 private:
  void write_kernel(std::string_view name, std::size_t first, std::size_t end) {
    sink_.put(fmt::format("template <class Room>\nPOLYFORM_KERNEL void {}(const Room& r) {{\n  (void)r;\n", name));
    for (std::size_t p = first; p < end; ++p) sink_.put(fmt::format("  {}_{}(r);\n", parts_, p));
    sink_.put("}\n\n");
  }

  void write_part(std::size_t part) {
    current_ = static_cast<std::uint32_t>(part);
    const Plan::Part& of = plan_.parts()[part];
    text_.clear();
    for (const std::uint32_t node : of.operations) write_operation(node);
    for (const std::size_t i : of.outputs) {
      const Trace::Output& out = trace_.outputs()[i];
      const std::string value = number(out.node);
      if (out.array == Array::ydot)
        fmt::format_to(std::back_inserter(text_), "  r.put_rate({}, {});\n", out.place, value);
      else if (out.array == Array::power)
        fmt::format_to(std::back_inserter(text_), "  r.put_power({});\n", value);
      else if (out.array == Array::events)
        fmt::format_to(std::back_inserter(text_), "  r.put_event({}, {});\n", out.place, value);
      else
        fmt::format_to(std::back_inserter(text_), "  r.{}[{}] = {};\n", name_of(out.array), out.place, value);
    }
    for (const std::size_t i : of.checks) {
      const std::string a = number(trace_.checks()[i].a), b = number(trace_.checks()[i].b);
      fmt::format_to(std::back_inserter(text_), "  r.check({}, {});\n", a, b);
    }
    sink_.put(
        fmt::format("template <class Room>\nPOLYFORM_KERNEL void {}_{}(const Room& r) {{\n"
                    "  using T = typename Room::Number;\n  (void)sizeof(T);\n  (void)r;\n",
                    parts_, part));
    sink_.put(text_);
    sink_.put("}\n\n");
  }

  void write_operation(std::uint32_t node) {
    const Node& n = trace_.nodes()[node];
    const std::string a = operand(n.a), b = Plan::has_two(n.operation) ? operand(n.b) : "";
    std::string value;
    switch (n.operation) {
      case Operation::add: value = a + " + " + b; break;
      case Operation::subtract: value = a + " - " + b; break;
      case Operation::multiply: value = a + " * " + b; break;
      case Operation::divide: value = a + " / " + b; break;
      case Operation::negate: value = "-" + a; break;
      case Operation::absolute: value = "Room::absolute(" + a + ")"; break;
      case Operation::root: value = "Room::root(" + a + ")"; break;
      case Operation::where_positive: value = "Room::where_positive(" + number(n.a) + ", " + number(n.b) + ")"; break;
      default: value = "Room::greater(" + number(n.a) + ", " + number(n.b) + ")"; break;
    }
    fmt::format_to(std::back_inserter(text_), "  const T x{} = {};\n", node, value);
    if (plan_.slot_of(node) != Plan::none)
      fmt::format_to(std::back_inserter(text_), "  r.work[{}] = x{};\n", plan_.slot_of(node), node);
  }

  /// An operand beside one that is no constant.
  std::string operand(std::uint32_t node) {
    const Node& n = trace_.nodes()[node];
    if (n.operation == Operation::constant) return literal(n.value);
    if (plan_.is_computed(node) && plan_.part_of(node) == current_) return fmt::format("x{}", node);
    if (read_[node] != current_) {
      read_[node] = current_;
      if (plan_.is_computed(node))
        fmt::format_to(std::back_inserter(text_), "  const T x{} = r.work[{}];\n", node, plan_.slot_of(node));
      else if (n.array == Array::y)
        fmt::format_to(std::back_inserter(text_), "  const T x{} = r.state({});\n", node, n.a);
      else
        fmt::format_to(std::back_inserter(text_), "  const T x{} = r.{}[{}];\n", node, name_of(n.array), n.a);
    }
    return fmt::format("x{}", node);
  }
  std::string number(std::uint32_t node) {
    const bool constant = trace_.nodes()[node].operation == Operation::constant;
    return constant ? "Room::all(" + operand(node) + ")" : operand(node);
  }

  const Trace& trace_;
  const Plan& plan_;
  std::string_view parts_;
  TextSink& sink_;
  std::vector<std::uint32_t> read_;  ///< the part that has read a value last
  std::uint32_t current_ = 0;
  std::string text_;
};

template <class Value, class Text>
void write_table(std::string_view declaration, std::span<const Value> values, std::string_view otherwise,
                 const Text& text, TextSink& sink) {
  std::string line = fmt::format("{}[] = {{", declaration);
  for (std::size_t i = 0; i < values.size(); ++i) line += (i % 6 == 0 ? "\n  " : " ") + text(values[i]) + ",";
  sink.put(line + (values.empty() ? std::string(otherwise) : "") + "};\n");
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "\"";
}

/// What runs on a device need (compiled_device.hpp).
void write_runs(const SourceHead& head, const Plan& plan, std::size_t closing_work, TextSink& sink) {
  const auto places = [](std::string_view name, const std::vector<std::size_t>& of) {
    return fmt::format(
        "  static constexpr unsigned {0}s = {1};\n  static constexpr unsigned {0}(unsigned i) {{\n"
        "    constexpr unsigned places[] = {{{2}{3}0}};\n    return places[i];\n  }}\n",
        name, of.size(), fmt::join(of, ", "), of.empty() ? "" : ", ");
  };
  sink.put(fmt::format(
      "struct Model {{\n  static constexpr bool stands_alone = {};\n"
      "  static constexpr unsigned states = {}, work = {};\n"
      "  static constexpr unsigned integrals = {}, events = {};\n"
      "  static constexpr unsigned long constants = {}, frames = {}, axes = {}, ground = {}, cuts = {},\n"
      "                                 cut_places = {}, forces = {};\n",
      head.stands_alone, head.states, std::max<std::size_t>(1, plan.work()), head.carries_forces ? 1 : 0, head.events,
      head.arrays[0], head.arrays[1], head.arrays[2], head.arrays[3], head.arrays[4], head.arrays[5], head.arrays[6]));
  sink.put(
      fmt::format("  static constexpr unsigned rows = {}, positions = {}, velocities = {}, closing_work = {};\n"
                  "  static constexpr double closing_tolerance = {:a}, position_rounding = {:a},\n"
                  "                          velocity_rounding = {:a};\n",
                  head.rows, head.positions, head.velocities, closing_work, head.closing_tolerance,
                  position_rounding_part, velocity_rounding_part));
  sink.put(places("angle", head.angles) + places("quaternion", head.quaternions) + places("cut_coordinate", head.cuts) +
           places("turn", head.turns));
  sink.put(
      "  template <class Room>\n  static POLYFORM_KERNEL void evaluate(const Room& r) {\n    move(r);\n"
      "    accelerate(r);\n  }\n");
  if (closing_work > 0)
    sink.put(
        "  template <class Room>\n  static POLYFORM_KERNEL void measure(const Room& r) {\n    measure_loops(r);\n"
        "  }\n  template <class Room>\n  static POLYFORM_KERNEL void close(const Room& r) {\n    close_loops(r);\n"
        "  }\n");
  sink.put("};\n\n");
}

/// Around the kernels, what makes a plugin of them, or runs on a device.
void write_plugin(const SourceHead& head, const Plan& plan, TextSink& sink) {
  sink.put(fmt::format(
      "#ifndef POLYFORM_DEVICE\nusing One = polyform::CompiledRoom<double>;\n"
      "using Lanes = polyform::CompiledRoom<polyform::CompiledNumbers>;\n"
      "constexpr polyform::CompiledModel compiled{{\n  {}, {}, {:#x}u, numbers, {},\n  rows_left_out, {}, {}, {},\n"
      "  move<One>, accelerate<One>, move<Lanes>, accelerate<Lanes>}};\n#endif\n\n}}  // namespace\n\n",
      quoted(head.name), quoted(head.model), head.structure, head.numbers.size(), plan.operations(), plan.work(),
      head.carries_forces));
  sink.put(
      fmt::format("#ifdef POLYFORM_DEVICE\n#ifdef __CUDA__\n#pragma clang force_cuda_host_device end\n#endif\n"
                  "POLYFORM_DEVICE_ENTRY(Model)\n#else\nPOLYFORM_PLUGIN(\"formulation\", {}, \"1.0\") {{\n"
                  "  registrar.add(polyform::compiled_formulation(compiled));\n}}\n#endif\n",
                  quoted(head.name)));
}

}  // namespace

void write_source(const SourceHead& head, const Trace& trace, const Trace* closing, TextSink& sink) {
  const Plan plan(trace);
  sink.put(
      "// A compiled model, written by Polyform: the recursion over its tree, its numbers put in.\n"
      "#ifdef POLYFORM_DEVICE\n#ifdef __CUDA__\n"
      "#pragma clang force_cuda_host_device begin\n#endif\n"
      "#include \"polyform/solvers/compiled_device.hpp\"\n#else\n"
      "#include \"polyform/solvers/compiled_model.hpp\"\n#endif\n\nnamespace {\n\n"
      "constexpr double any = __builtin_nan(\"\");\n");
  write_table("constexpr double numbers", head.numbers, "any", literal, sink);
  const auto whole = [](unsigned x) { return fmt::format("{}", x); };
  write_table("constexpr unsigned rows_left_out", head.rows_left_out, "0", whole, sink);
  sink.put("\n");
  Writer(trace, plan, "part", sink).write("move", "accelerate");
  std::size_t closing_work = 0;
  if (closing != nullptr) {
    const Plan of_closing(*closing);
    closing_work = std::max<std::size_t>(1, of_closing.work());
    sink.put("#ifdef POLYFORM_DEVICE\n");
    Writer(*closing, of_closing, "loop_part", sink).write("measure_loops", "close_loops");
    sink.put("#endif\n\n");
  }
  write_runs(head, plan, closing_work, sink);
  write_plugin(head, plan, sink);
}

}  // namespace polyform::tracing

#include "framework/host/expressions/formula_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline expressions {

namespace {

using Kind = StateInput::Kind;
using Level = RowsByFormulas::Level;

constexpr std::size_t nowhere = no_place;

bool of_joint(Kind kind) { return kind == Kind::position || kind == Kind::velocity || kind == Kind::acceleration; }
/// Whether a row of this level has its coefficients from this input.
bool is_coefficient(Kind kind, Level level) {
  const bool is_velocity = kind == Kind::velocity || (kind >= Kind::vx && kind <= Kind::wz);
  return level == Level::velocity ? is_velocity : is_acceleration(kind);
}
/// The component of a twist, angular first.
std::size_t component_of(Kind kind) {
  const auto from = [&](Kind first) { return static_cast<std::size_t>(kind) - static_cast<std::size_t>(first); };
  if (kind >= Kind::x && kind <= Kind::z) return 3 + from(Kind::x);
  if (kind >= Kind::vx && kind <= Kind::vz) return 3 + from(Kind::vx);
  if (kind >= Kind::wx && kind <= Kind::wz) return from(Kind::wx);
  return kind >= Kind::dwx ? from(Kind::dwx) : 3 + from(Kind::ax);
}

/// Immutable but for its registers. Each input is a component of a marker's twist, or a velocity coordinate.
class FormulaRowsBatch final : public ConstraintBatch {
 public:
  FormulaRowsBatch(const FormulaRows& type, const ElementInstance& instance)
      : type_(type), reader_(type.reader()), work_(std::max(reader_.size(), type.program().registers())) {
    std::size_t wrong = 0;
    reader_.place(instance.joints, wrong);
    std::vector<std::size_t> first{0};
    for (const JointShape& shape : instance.joints) first.push_back(first.back() + shape.nv);
    velocities_ = first.back();
    markers_ = instance.markers.size();
    for (std::size_t k = 0; k < reader_.size(); ++k) {
      const StateInput& input = reader_.input(k);
      const std::size_t at = reader_.joint_number(k);
      if (input.kind == Kind::time)
        places_.push_back({nowhere, 0});
      else if (!of_joint(input.kind))
        places_.push_back({at, component_of(input.kind)});
      else
        places_.push_back(
            {nowhere,
             first[at] + (input.kind == Kind::position ? rate_place(instance.joints[at], input.index) : input.index)});
    }
    type.program().prepare(std::span(work_));
  }

  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    reader_.read(in.time, in.markers, in.q, in.v, {}, {}, {}, std::span(work_).first(reader_.size()));
    type_.program().run(std::span(work_));
    for (std::size_t r = 0; r < type_.all().size(); ++r) {
      const double value = work_[type_.program().root(r)];
      if (!std::isfinite(value)) [[unlikely]]
        report(r, in.time);
      if (type_.all()[r].level == Level::velocity)
        out.velocity_right[r] = -value;
      else
        out.acceleration_right[r] = -value;
    }
    for (const FormulaRows::Slope& s : type_.slopes()) {
      const double slope = work_[type_.program().root(s.root)];
      const Kind kind = reader_.input(s.input).kind;
      const Place& at = places_[s.input];
      const double rate = kind == Kind::time ? 1 : rate_of(in, at);
      if (!is_coefficient(kind, type_.all()[s.row].level)) {
        out.acceleration_right[s.row] -= slope * rate;
        continue;
      }
      out.velocity_right[s.row] += slope * rate;
      if (at.marker == nowhere)
        out.B[s.row * velocities_ + at.component] += slope;
      else if (at.component < 3)
        out.A[s.row * markers_ + at.marker].angular[at.component] += slope;
      else
        out.A[s.row * markers_ + at.marker].linear[at.component - 3] += slope;
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Place {
    std::size_t marker, component;
  };
  /// The velocity on the input's place: the rate of a position, or the velocity itself.
  static double rate_of(const ForceInput& in, const Place& at) noexcept {
    if (at.marker == nowhere) return in.v[at.component];
    const MarkerMotion& m = in.markers[at.marker];
    return at.component < 3 ? m.angular_velocity[at.component] : m.velocity[at.component - 3];
  }
  void report(std::size_t row, double t) noexcept {
    try {
      if (const auto trouble = type_.program().trouble(row, work_)) note_trouble(*trouble, type_.texts(), t);
    } catch (...) {  // no memory for the text
    }
  }

  const FormulaRows& type_;
  StateReader reader_;
  std::vector<double> work_;
  std::vector<Place> places_;  ///< of the inputs
  std::size_t markers_ = 0, velocities_ = 0;
};

}  // namespace

FormulaRows::FormulaRows(Formulas& all, const ConstraintType& stands_for, std::vector<Row> rows)
    : texts_(all.texts), rows_(std::move(rows)), descriptor_(stands_for.descriptor()) {
  std::vector<NodeIndex> roots;
  for (const Row& row : rows_) roots.push_back(row.root);
  const std::vector<std::uint32_t> inputs = all.graph.inputs(roots);
  reader_ = StateReader(all, inputs);
  for (std::size_t r = 0; r < rows_.size(); ++r) check(all, r);
  if (objection_.message.empty()) differentiate(all, inputs);
  for (const FieldSpec& spec : stands_for.fields()) specs_.push_back(spec);
  specs_.push_back({.name = "formula_bodies", .type = FieldType::bodies, .unit = "", .meaning = "bodies read"});
  specs_.push_back({.name = "formula_joints", .type = FieldType::joints, .unit = "", .meaning = "joints read"});
  descriptor_.fields = Strided<const FieldSpec>(specs_.data(), specs_.size());
}

void FormulaRows::object(std::size_t row, std::string message, std::string remedy) {
  if (objection_.message.empty()) objection_ = {rows_[row].field, std::move(message), std::move(remedy)};
}

void FormulaRows::check(Formulas& all, std::size_t r) {
  const NodeIndex roots[] = {rows_[r].root};
  bool has_coefficients = false;
  for (const std::uint32_t number : all.graph.inputs(roots)) {
    const Kind kind = all.inputs[number].kind;
    has_coefficients = has_coefficients || is_coefficient(kind, rows_[r].level);
    if (kind >= Kind::state)  // of signals, forces and other programs
      object(r, "a row cannot read signals with states or values from outside: their rates are not known",
             "Write a formula of positions, velocities and time.");
    if (rows_[r].level == Level::velocity && is_acceleration(kind))
      object(r, "a row of velocities cannot read an acceleration", "Write it under 'acceleration'.");
  }
  if (!has_coefficients && rows_[r].level == Level::velocity)
    object(r, "the row reads no velocity, so nothing can keep it", "Read v(joint), or vx(body) to wz(body).");
  if (!has_coefficients && rows_[r].level == Level::acceleration)
    object(r, "the row reads no acceleration, so nothing can keep it", "Read a(joint), or ax(body) to dwz(body).");
  if (!all.graph.switches(roots).empty())
    object(r, "a row cannot bend or jump: its derivative would", "Write it without abs, min, max, if and tables.");
}

/// Adds the derivatives by all inputs on which a row depends; of a row of accelerations, by those alone.
void FormulaRows::differentiate(Formulas& all, std::span<const std::uint32_t> inputs) {
  std::vector<NodeIndex> roots, no_acceleration(all.inputs.size(), Graph::none);
  for (std::size_t i = 0; i < all.inputs.size(); ++i)
    if (is_acceleration(all.inputs[i].kind)) no_acceleration[i] = all.graph.constant(0);
  for (const Row& row : rows_) roots.push_back(row.root);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const NodeIndex root[] = {rows_[r].root};
    for (const std::uint32_t number : all.graph.inputs(root)) {
      const Kind kind = all.inputs[number].kind;
      if (rows_[r].level == Level::acceleration && !is_acceleration(kind)) continue;
      const NodeIndex slope[] = {all.graph.derivative(rows_[r].root, number)};
      if (slope[0] == Graph::none)
        return object(r, "the row has an operation whose derivative is no formula", "Write it with other functions.");
      for (const std::uint32_t of : all.graph.inputs(slope))
        if (is_acceleration(all.inputs[of].kind))
          return object(r, "the row is not linear in the accelerations", "Accelerations stand in a sum, with factors.");
      const auto input = static_cast<std::size_t>(std::ranges::find(inputs, number) - inputs.begin());
      slopes_.push_back({r, input, roots.size()});
      roots.push_back(slope[0]);
    }
  }
  program_ = Program(all.graph, roots, inputs);
}

bool FormulaRows::define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept {
  try {
    StateReader placed = reader_;
    std::size_t wrong = 0;
    if (!placed.place(instance.joints, wrong)) {
      const JointShape& shape = instance.joints[placed.joint_number(wrong)];
      sink.report(Severity::error, number, rows_.front().field,
                  Message("a formula reads a coordinate that its joint does not have: there are {} positions and {} "
                          "velocities",
                          shape.nq, shape.nv),
                  "Give an index from 0 on, such as v(joint, 0), of one that is there.");
      return false;
    }
    for (std::size_t k = 0; k < placed.size(); ++k) {
      const StateInput& input = placed.input(k);
      if (input.kind != Kind::position) continue;
      if (rate_place(instance.joints[placed.joint_number(k)], input.index) != nowhere) continue;
      sink.report(Severity::error, number, rows_.front().field,
                  "a formula reads a position coordinate whose rate is no velocity of the joint",
                  "Read positions of bodies, or of joints other than ball joints.");
      return false;
    }
    return true;
  } catch (...) {
    return false;
  }
}

ConstraintBatch* FormulaRows::create(Strided<const ElementInstance> instances) const noexcept {
  return instances.size() == 1 ? make_batch<FormulaRowsBatch>(*this, instances[0]) : nullptr;
}

std::vector<char> rows_on_accelerations(const SystemView& view) {
  std::vector<char> out;
  for (const ConstraintInstances& group : view.constraints) {
    const auto* const formulas = static_cast<const FormulaRows*>(group.type->query(FormulaRows::own));
    for (const std::size_t rows : group.rows)
      for (std::size_t r = 0; r < rows; ++r)
        out.push_back(formulas != nullptr && formulas->all()[r].level == Level::acceleration);
  }
  return out;
}

}  // namespace polyform::host::inline expressions

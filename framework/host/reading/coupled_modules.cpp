#include "framework/host/reading/coupled_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "framework/host/expressions/shifted_sink.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline reading {
namespace {

/// First of the members' numbers of one kind, and how many a member has.
struct Slice {
  std::size_t first = 0, count = 0;

  void follow(const Slice& before) { first = before.first + before.count; }
  template <class T>
  std::span<T> of(std::span<T> all) const {
    return all.subspan(first, count);
  }
};

/// What one member has of a coupled module.
struct Share {
  Slice fields, markers, joints, q, v, u, x, rows, outputs;
};

std::size_t markers_of(const FieldSpec& spec, const FieldValue& value) {
  if (!makes_markers(spec.type)) return 0;
  return spec.type == FieldType::body || spec.type == FieldType::marker ? 1 : value.bodies.size();
}
std::size_t joints_of(const FieldSpec& spec, const FieldValue& value) {
  return spec.type == FieldType::joint ? 1 : spec.type == FieldType::joints ? value.joints.size() : 0;
}

std::vector<Share> shares_of(const std::vector<CoupledModules::Member>& members, const ElementInstance& whole) {
  std::vector<Share> shares;
  for (const CoupledModules::Member& member : members) {
    Share s;
    if (!shares.empty())
      for (Slice Share::*part : {&Share::fields, &Share::markers, &Share::joints, &Share::q, &Share::v, &Share::u,
                                 &Share::x, &Share::rows, &Share::outputs})
        (s.*part).follow(shares.back().*part);
    const TypeDescriptor& type = member.type->descriptor();
    s.fields.count = type.fields.size();
    s.u.count = type.variables.size();
    s.x.count = type.states.size();
    s.rows.count = type.rows.size();
    s.outputs.count = type.outputs.size();
    for (std::size_t f = 0; f < s.fields.count; ++f) {
      const FieldValue& value = whole.fields[s.fields.first + f];
      s.markers.count += markers_of(type.fields[f], value);
      s.joints.count += joints_of(type.fields[f], value);
    }
    for (std::size_t j = 0; j < s.joints.count; ++j) {
      s.q.count += whole.joints[s.joints.first + j].nq;
      s.v.count += whole.joints[s.joints.first + j].nv;
    }
    shares.push_back(s);
  }
  return shares;
}

ElementInstance member_of(const ElementInstance& whole, const Share& s) {
  return {.fields = whole.fields.subspan(s.fields.first, s.fields.count),
          .markers = whole.markers.subspan(s.markers.first, s.markers.count),
          .drawn = s.markers.of(whole.drawn),
          .joints = whole.joints.subspan(s.joints.first, s.joints.count),
          .gravity = whole.gravity,
          .inertias = whole.inertias.subspan(s.markers.first, s.markers.count)};
}

/// Puts the part of a member, its rows and columns, into its place in the matrix of the whole, which is `width` wide.
template <class T>
void put(std::span<const T> part, const Slice& rows, const Slice& columns, std::span<T> whole, std::size_t width) {
  for (std::size_t r = 0; r < rows.count; ++r)
    std::ranges::copy(part.subspan(r * columns.count, columns.count),
                      whole.begin() + static_cast<std::ptrdiff_t>((rows.first + r) * width + columns.first));
}

class CoupledBatch final : public ModuleBatch, public InitialStates, public OutputSource {
 public:
  CoupledBatch(const std::vector<CoupledModules::Member>& members,
               const std::vector<CoupledModules::Constraint>& constraints, const ElementInstance& whole)
      : constraints_(constraints) {
    for (const Share& share : shares_of(members, whole)) {
      const CoupledModules::Member& member = members[parts_.size()];
      const ElementInstance instance = member_of(whole, share);
      parts_.emplace_back(share);
      Part& part = parts_.back();
      part.batch = member.type->create({&instance, 1});
      if (part.batch == nullptr) throw std::bad_alloc();
      part.M.resize(share.u.count * share.u.count);
      part.A.resize(share.rows.count * share.u.count);
      part.B.resize(share.rows.count * share.v.count);
      part.C.resize(share.rows.count * share.markers.count);
    }
    const Share& last = parts_.back().share;
    const auto all = [](const Slice& s) { return s.first + s.count; };
    u_ = all(last.u);
    markers_ = all(last.markers);
    v_ = all(last.v);
    rows_ = all(last.rows);
    for (std::size_t k = 0; k < constraints.size(); ++k)
      functions_.push_back(whole.fields[all(last.fields) + k].functions[0]);
  }
  CoupledBatch(const CoupledBatch&) = delete;
  CoupledBatch& operator=(const CoupledBatch&) = delete;

  void evaluate(const ModuleInput& in, ModuleOutput& out) noexcept override {
    for (Part& part : parts_) evaluate(part, in, out);
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      const CoupledModules::Constraint& c = constraints_[k];
      const std::size_t row = rows_ + k;
      const TimeFunction::Value wanted = functions_[k](in.attachments->time);
      for (const CoupledModules::Term& term : c.terms) out.A[row * u_ + term.variable] += term.factor;
      out.velocity_right[row] = c.holonomic ? wanted.rate : wanted.value;
      out.acceleration_right[row] = c.holonomic ? wanted.acceleration : wanted.rate;
      if (!c.holonomic) continue;
      out.residual[row] = -wanted.value;
      for (const CoupledModules::Term& term : c.terms) out.residual[row] += term.factor * in.x[term.state];
    }
  }
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override {
    for (const Part& part : parts_) part.batch->initial_state(part.share.u.of(u), part.share.x.of(x));
  }
  void states_at_start(const ForceInput& start, std::span<double> u, std::span<double> x) noexcept override {
    for (const Part& part : parts_)
      if (auto* states = ask<InitialStates>(*part.batch))
        states->states_at_start(part.attachments(start), part.share.u.of(u), part.share.x.of(x));
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (const Part& part : parts_) {
      auto* source = ask<OutputSource>(*part.batch);
      if (source == nullptr) continue;
      const Share& s = part.share;
      const ForceInput attachments = part.attachments(*in.attachments);
      source->evaluate_outputs({.attachments = &attachments,
                                .u = s.u.of(in.u),
                                .x = s.x.of(in.x),
                                .udot = s.u.of(in.udot),
                                .xdot = s.x.of(in.xdot),
                                .multipliers = s.rows.of(in.multipliers),
                                .accelerations = s.markers.of(in.accelerations),
                                .joint_accelerations = s.v.of(in.joint_accelerations),
                                .reactions = s.joints.of(in.reactions)},
                               s.outputs.of(values));
    }
  }
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    if (asked == InitialStates::interface_name) return static_cast<InitialStates*>(this);
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }

 private:
  struct Part {
    explicit Part(const Share& s) : share(s) {}
    Part(Part&& other) noexcept
        : share(other.share),
          batch(std::exchange(other.batch, nullptr)),
          M(std::move(other.M)),
          A(std::move(other.A)),
          B(std::move(other.B)),
          C(std::move(other.C)) {}
    Part& operator=(Part&&) = delete;
    ~Part() {
      if (batch != nullptr) batch->destroy();
    }
    ForceInput attachments(const ForceInput& whole) const {
      return {.time = whole.time,
              .markers = whole.markers.subspan(share.markers.first, share.markers.count),
              .q = share.q.of(whole.q),
              .v = share.v.of(whole.v)};
    }

    Share share;
    ModuleBatch* batch = nullptr;
    std::vector<double> M, A, B;
    std::vector<Spatial> C;
  };

  void evaluate(Part& part, const ModuleInput& in, ModuleOutput& out) noexcept {
    const Share& s = part.share;
    const ForceInput attachments = part.attachments(*in.attachments);
    for (auto* numbers : {&part.M, &part.A, &part.B}) std::ranges::fill(*numbers, 0.0);
    std::ranges::fill(part.C, Spatial{});
    ModuleOutput own;
    own.M = part.M;
    own.f = s.u.of(out.f);
    own.A = part.A;
    own.C = part.C;
    own.B = part.B;
    own.velocity_right = s.rows.of(out.velocity_right);
    own.acceleration_right = s.rows.of(out.acceleration_right);
    own.wrenches = s.markers.of(out.wrenches);
    own.efforts = s.v.of(out.efforts);
    own.xdot = s.x.of(out.xdot);
    own.residual = s.rows.of(out.residual);
    part.batch->evaluate({.attachments = &attachments, .u = s.u.of(in.u), .x = s.x.of(in.x)}, own);
    put(std::span<const double>(part.M), s.u, s.u, out.M, u_);
    put(std::span<const double>(part.A), s.rows, s.u, out.A, u_);
    put(std::span<const double>(part.B), s.rows, s.v, out.B, v_);
    put(std::span<const Spatial>(part.C), s.rows, s.markers, out.C, markers_);
    out.kinetic_energy += own.kinetic_energy;
    out.potential_energy += own.potential_energy;
    out.power += own.power;
  }

  const std::vector<CoupledModules::Constraint>& constraints_;
  std::vector<Part> parts_;
  std::vector<TimeFunction> functions_;
  std::size_t u_ = 0, markers_ = 0, v_ = 0, rows_ = 0;
};

/// The unit of the multiplier of a constraint on a variable: multiplier times variable is a power.
std::string effort_unit(std::string_view rate) {
  if (rate == "A") return "V";
  if (rate == "rad/s") return "N m";
  if (rate == "m/s") return "N";
  return rate == "1" ? "W" : fmt::format("W/({})", rate);
}

}  // namespace

CoupledModules::CoupledModules(std::vector<Member> members) : members_(std::move(members)) {
  for (const Member& member : members_) {
    const TypeDescriptor& type = member.type->descriptor();
    const auto first = static_cast<std::int32_t>(variables_.size());
    for (const FieldSpec& spec : type.fields) {
      fields_.push_back(spec);
      fields_.back().name = keep(member.name, spec.name);
    }
    const auto take = [&](Strided<const Variable> from, std::vector<Variable>& into, bool named, bool are_states) {
      for (std::size_t k = 0; k < from.size(); ++k) {
        const std::string_view name = keep(member.name, from[k].name);
        if (named) numbers_[std::string(name)] = {are_states, into.size()};
        into.push_back({.name = name,
                        .unit = from[k].unit,
                        .holonomic = from[k].holonomic,
                        .integral_of = from[k].integral_of < 0 ? -1 : first + from[k].integral_of,
                        .kind = from[k].kind});
      }
    };
    take(type.variables, variables_, true, false);
    take(type.states, states_, true, true);
    take(type.rows, rows_, false, false);
    take(type.outputs, outputs_, false, false);
  }
  describe();
}

std::string_view CoupledModules::keep(const std::string& member, std::string_view name) {
  return texts_.emplace_back(fmt::format("{}.{}", member, name));
}

void CoupledModules::add(Constraint constraint) {
  const std::string& name = texts_.emplace_back(constraint.name);
  rows_.push_back({.name = name,
                   .unit = texts_.emplace_back(effort_unit(variables_[constraint.terms.front().variable].unit)),
                   .holonomic = constraint.holonomic});
  fields_.push_back(FieldSpec{.name = texts_.emplace_back(name + ".value"),
                              .type = FieldType::time_function,
                              .unit = "",
                              .meaning = "what the terms of the constraint add up to",
                              .default_text = "0"});
  constraints_.push_back(std::move(constraint));
  describe();
}

void CoupledModules::describe() {
  descriptor_.name = "coupled";
  descriptor_.meaning = "modules and the constraints between them, as one module";
  descriptor_.fields = fields_;
  descriptor_.variables = variables_;
  descriptor_.states = states_;
  descriptor_.rows = rows_;
  descriptor_.outputs = outputs_;
}

bool CoupledModules::define(ElementInstance& whole, std::size_t number, FieldSink& sink) const noexcept {
  try {
    bool good = true;
    const std::vector<Share> shares = shares_of(members_, whole);
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const ModuleType& type = *members_[m].type;
      ElementInstance instance = member_of(whole, shares[m]);
      ShiftedSink of_member(sink, shares[m].fields.first);
      if (!type.define(instance, number, of_member)) {
        good = false;
        continue;
      }
      ModuleBatch* const batch = type.create({&instance, 1});
      if (batch == nullptr) throw std::bad_alloc();
      if (ask<EventSource>(*batch) != nullptr) {
        good = false;
        sink.report(Severity::error, number, shares[m].fields.first,
                    Message("`{}` is of the type {}, which has events: a coupled module has none", members_[m].name,
                            type.name()),
                    "Place it among the modules of the model.");
      }
      batch->destroy();
    }
    return good;
  } catch (...) {
    sink.report(Severity::error, number, 0, "memory does not suffice for the coupled modules", "Couple fewer.");
    return false;
  }
}

ModuleBatch* CoupledModules::create(Strided<const ElementInstance> instances) const noexcept {
  return make_batch<CoupledBatch>(members_, constraints_, instances[0]);
}

}  // namespace polyform::host::reading

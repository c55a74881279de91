#include "framework/workbench/conformance/module_probe.hpp"

#include <array>
#include <cmath>
#include <tuple>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/canaries.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr auto append_list = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };

}  // namespace

std::vector<double> ModuleEquations::numbers() const {
  std::vector<double> all{kinetic_energy, potential_energy, power};
  for (const auto* list : {&M, &f, &A, &B, &velocity_right, &acceleration_right, &efforts, &xdot, &residual})
    append_list(all, *list);
  for (const auto* list : {&C, &wrenches})
    for (const Spatial& w : *list)
      for (std::size_t k = 0; k < 6; ++k) all.push_back(w[k]);
  return all;
}

void ModuleEquations::append(const ModuleEquations& b) {
  append_list(M, b.M);
  append_list(f, b.f);
  append_list(A, b.A);
  append_list(B, b.B);
  append_list(velocity_right, b.velocity_right);
  append_list(acceleration_right, b.acceleration_right);
  append_list(efforts, b.efforts);
  append_list(xdot, b.xdot);
  append_list(residual, b.residual);
  append_list(C, b.C);
  append_list(wrenches, b.wrenches);
  kinetic_energy += b.kinetic_energy;
  potential_energy += b.potential_energy;
  power += b.power;
}

BatchPointer<ModuleBatch> make(const ModuleType& type, Strided<const ElementInstance> instances) {
  return made_batch(type.create(instances));
}

ModuleEquations evaluate(ModuleBatch& batch, const ModuleType& type, std::size_t instances, const ModuleState& s) {
  const std::size_t variables = type.variables().size(), rows = type.rows().size();
  ModuleEquations e;
  Canaries given;
  const auto numbers = [&](std::string_view name, std::size_t size) { return given.numbers(name, size); };
  const std::size_t markers = s.attachments.markers.size(), velocities = s.attachments.v.size();
  ModuleOutput out;
  const auto parts = std::array<std::tuple<std::span<double>*, std::vector<double>*, std::string_view, std::size_t>, 9>{
      {{&out.M, &e.M, "M", instances * variables * variables},
       {&out.f, &e.f, "f", instances * variables},
       {&out.A, &e.A, "A", instances * rows * variables},
       {&out.B, &e.B, "B", rows * velocities},
       {&out.velocity_right, &e.velocity_right, "velocity_right", instances * rows},
       {&out.acceleration_right, &e.acceleration_right, "acceleration_right", instances * rows},
       {&out.efforts, &e.efforts, "efforts", velocities},
       {&out.xdot, &e.xdot, "xdot", s.x.size()},
       {&out.residual, &e.residual, "residual", instances * rows}}};
  for (const auto& [span, list, name, size] : parts) *span = numbers(name, size);
  out.C = given.spatials("C", rows * markers);
  out.wrenches = given.spatials("wrenches", markers);
  const ForceInput attachments = s.attachments.view();
  e.allocations = allocations_of([&] { batch.evaluate({.attachments = &attachments, .u = s.u, .x = s.x}, out); });
  given.check();
  for (const auto& [span, list, name, size] : parts) list->assign(span->begin(), span->end());
  e.C.assign(out.C.begin(), out.C.end());
  e.wrenches.assign(out.wrenches.begin(), out.wrenches.end());
  e.kinetic_energy = out.kinetic_energy;
  e.potential_energy = out.potential_energy;
  e.power = out.power;
  return e;
}

ModuleState joined(std::span<const ModuleState> parts) {
  ModuleState all;
  std::vector<BatchInput> attachments;
  for (const ModuleState& part : parts) {
    attachments.push_back(part.attachments);
    append_list(all.u, part.u);
    append_list(all.x, part.x);
  }
  all.attachments = joined(attachments);
  return all;
}

ModuleMotion::ModuleMotion(const Case& one, std::size_t instance, Path& path, Random& random)
    : group_(one.sample.view().modules[0]), instance_(instance), path_(path) {
  const std::size_t variables = group_.type->variables().size(), states = group_.type->states().size();
  const double* u = one.state.x.data() + group_.state_offset + instance * variables;
  const double* x = one.state.x.data() + group_.state_offset + group_.instances.size() * variables + instance * states;
  u_.assign(u, u + variables);
  x_.assign(x, x + states);
  alpha = random.numbers(variables, 2);
  batch_ = make(*group_.type, group_.instances.subspan(instance, 1));
  const std::vector<Spatial> accelerations = path_.accelerations();
  Vdot = marker_accelerations(group_.instances[instance], path_.frames(), accelerations);
  vdot = joint_accelerations(path_.view(), group_, instance, path_.vdot());
}

ModuleState ModuleMotion::place(double t, const std::vector<double>& x) {
  path_.go(t);
  ModuleState s{input_of(path_.view(), group_, instance_, path_.frames(), path_.now()), u_, x};
  s.attachments.time = Path::clock(t);
  for (std::size_t i = 0; i < s.u.size(); ++i) s.u[i] += t * alpha[i];
  return s;
}

/// x by Runge–Kutta steps of ẋ, for a time as short as differences need; later on it is that of the start.
ModuleState ModuleMotion::at(double t) {
  constexpr int steps = 4;
  constexpr double weight[] = {1, 2, 2, 1}, ahead[] = {0, 0.5, 0.5, 1};
  const double h = t / steps;
  std::vector<double> x = x_;
  const bool followed = t != 0 && std::abs(t) < Path::longest_follow && !x.empty();
  for (int step = 0; followed && step < steps; ++step) {
    std::vector<double> sum = x, then = x;
    for (std::size_t stage = 0; stage < 4; ++stage) {
      const std::vector<double> rates = evaluate(*batch_, *group_.type, 1, place((step + ahead[stage]) * h, then)).xdot;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum[i] += h / 6 * weight[stage] * rates[i];
        if (stage < 3) then[i] = x[i] + ahead[stage + 1] * h * rates[i];
      }
    }
    x = sum;
  }
  return place(t, x);
}

bool ModuleMotion::energy_depends_on(std::size_t variable, double t) {
  ModuleState s = at(t);
  const double energy = evaluate(*batch_, *group_.type, 1, s).kinetic_energy;
  s.u[variable] += 1;
  if (evaluate(*batch_, *group_.type, 1, s).kinetic_energy != energy) return true;
  s.u[variable] += 1;  // a square may have the same value on both sides of zero, but not at three places
  return evaluate(*batch_, *group_.type, 1, s).kinetic_energy != energy;
}

std::vector<ModuleState> states_of(const Case& one, Path& path, Random& random, double t) {
  std::vector<ModuleState> all;
  for (std::size_t i = 0; i < one.sample.view().modules[0].instances.size(); ++i)
    all.push_back(ModuleMotion(one, i, path, random).at(t));
  return all;
}

}  // namespace polyform::host::conformance

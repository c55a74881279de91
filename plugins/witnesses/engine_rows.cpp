#include "engine_rows.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::witnesses {
namespace {

std::size_t count_rows(const ElementRows& elements) {
  std::size_t rows = 0;
  for (std::size_t g = 0; g < elements.groups(); ++g) rows += elements.group(g).rows;
  return rows;
}

std::size_t count_variables(const ElementRows& elements) {
  std::size_t variables = 0;
  for (const ModuleSet::Module& module : elements.modules().modules()) variables += module.variables;
  return variables;
}

/// A power of two, so that nothing is rounded by it.
double unit_beside(const SystemView& view) {
  constexpr double beside = 1e6;
  double most = 1;
  for (const BodyData& body : view.bodies)
    most += body.mass * (1 + norm(view.gravity)) + body.inertia.xx + body.inertia.yy + body.inertia.zz;
  return std::exp2(std::ceil(std::log2(beside * most)));
}

}  // namespace

EngineRows::EngineRows(const SystemView& view, const Vec3& origin)
    : view_(view),
      elements_(view, origin),
      rest_(view),
      unit_(unit_beside(view)),
      multipliers_(elements_.good() ? count_rows(elements_) : 0),
      rates_(elements_.good() ? count_variables(elements_) : 0),
      system_(rates_.size() + multipliers_.size()) {
  if (empty() || !good()) return;
  std::size_t variables = 0;
  for (const ModuleSet::Module& module : elements_.modules().modules()) {
    first_variable_.push_back(variables);
    variables += module.variables;
  }
  const auto load = [&](FrameIndex frame) { bodies_.push_back(static_cast<BodyIndex>(at(frame))); };
  for (std::size_t g = 0; g < elements_.groups(); ++g)
    std::ranges::for_each(elements_.frames(elements_.group(g)), load);
  std::ranges::for_each(elements_.module_loads().frames(), load);
  std::ranges::sort(bodies_);
  bodies_.erase(std::unique(bodies_.begin(), bodies_.end()), bodies_.end());
  columns_.resize(multipliers_.size() * view.nv);
  compliance_.resize(multipliers_.size() * multipliers_.size());
  still_.resize(view.nv);
  none_.resize(view.nv);
  wrenches_.resize(view.bodies.size());
  accelerations_.resize(view.bodies.size());
}

void EngineRows::evaluate(double t, std::span<const BodyMotion> bodies, std::span<const double> q,
                          std::span<const double> v, std::span<const double> x) noexcept {
  elements_.evaluate(t, bodies, q, v, x);
  std::ranges::fill(multipliers_, 0.0);
  std::ranges::fill(rates_, 0.0);
  errors_.begin();
  for (const BodyIndex body : bodies_) errors_.note_frame(bodies[at(body)]);
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    errors_.note_residual(elements_.asked().largest_residual(elements_.group(g)), g);
    errors_.note_rate_of_element(elements_.asked().largest_rate(elements_.group(g)));
  }
}

bool EngineRows::prepare(Level level, Engine& engine, const double* q, std::span<const BodyIndex> loaded) noexcept {
  if (!find_columns(engine, q, loaded)) return false;
  fill(level);
  system_.factorize();
  return true;
}

bool EngineRows::find_columns(Engine& engine, const double* q, std::span<const BodyIndex> loaded) noexcept {
  rest_.evaluate(q, none_.data());
  std::ranges::fill(wrenches_, Spatial{});
  const Engine::Loads loads{loaded, wrenches_, none_};
  if (!engine.accelerate(q, none_.data(), loads, still_)) return false;
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    const std::span<const FrameIndex> tied = elements_.frames(group);
    for (std::size_t r = 0; r < group.rows; ++r) {
      for (std::size_t f = 0; f < tied.size(); ++f)
        wrenches_[at(tied[f])] = unit_ * elements_.asked().share(group, r, f).row;
      const std::span<double> found = column(group.row + r);
      if (!engine.accelerate(q, none_.data(), loads, found)) return false;
      for (std::size_t k = 0; k < found.size(); ++k) found[k] = (found[k] - still_[k]) / unit_;
      for (const FrameIndex frame : tied) wrenches_[at(frame)] = {};
    }
  }
  for (std::size_t column_of = 0; column_of < multipliers_.size(); ++column_of) {
    rest_.accelerations(column(column_of).data(), accelerations_);
    for (std::size_t g = 0; g < elements_.groups(); ++g)
      for (std::size_t r = 0; r < elements_.group(g).rows; ++r)
        compliance_[(elements_.group(g).row + r) * multipliers_.size() + column_of] =
            at_row(elements_.group(g), r, accelerations_);
  }
  return true;
}

/// M α − Aᵀ λ = f and −A α − J Y λ = −missing. For positions, rows that ask nothing of them and variables without an
/// integral stay out.
void EngineRows::fill(Level level) noexcept {
  const bool positions = level == Level::position;
  const std::size_t variables = rates_.size(), rows = multipliers_.size();
  system_.clear();
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t s = 0; s < rows; ++s) system_.K(variables + r, variables + s) = -compliance_[r * rows + s];
  const std::span<const ModuleSet::Module> modules = elements_.modules().modules();
  for (std::size_t m = 0; m < modules.size(); ++m)
    for (std::size_t i = 0; i < modules[m].variables; ++i)
      for (std::size_t k = 0; k < modules[m].variables; ++k)
        system_.K(first_variable_[m] + i, first_variable_[m] + k) = modules[m].M[i * modules[m].variables + k];
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    if (group.module == ElementRows::none) continue;
    const std::size_t first = first_variable_[group.module], count = module(group).variables;
    for (std::size_t r = 0; r < group.rows; ++r)
      for (std::size_t k = 0; k < count; ++k)
        system_.K(first + k, place_of_row(group, r)) = system_.K(place_of_row(group, r), first + k) =
            -module(group).A[(group.first + r) * count + k];
  }
  if (!positions) return;
  for (std::size_t g = 0; g < elements_.groups(); ++g)
    for (std::size_t r = 0; r < elements_.group(g).rows; ++r)
      if ((elements_.group(g).nonholonomic >> r & 1u) != 0) system_.leave_out(place_of_row(elements_.group(g), r));
  for (std::size_t m = 0; m < modules.size(); ++m)
    for (std::size_t k = 0; k < modules[m].variables; ++k)
      if (!modules[m].is_integrated(k)) system_.leave_out(first_variable_[m] + k);
}

double EngineRows::at_row(const Group& group, std::size_t row, std::span<const Spatial> accelerations) const noexcept {
  const std::span<const FrameIndex> tied = elements_.frames(group);
  double sum = 0;
  for (std::size_t f = 0; f < tied.size(); ++f)
    sum += dot(elements_.asked().share(group, row, f).row, accelerations[at(tied[f])]);
  return sum;
}

double EngineRows::of_variables(const Group& group, std::size_t row) const noexcept {
  if (group.module == ElementRows::none) return 0;
  const std::size_t first = first_variable_[group.module], count = module(group).variables;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += module(group).A[(group.first + row) * count + k] * rates_[first + k];
  return sum;
}

/// The right side of the variables: f and what the rows put on them, less M α.
void EngineRows::set_forces() noexcept {
  const std::span<const ModuleSet::Module> modules = elements_.modules().modules();
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const std::size_t first = first_variable_[m], count = modules[m].variables;
    for (std::size_t i = 0; i < count; ++i) {
      double force = modules[m].f[i];
      for (std::size_t k = 0; k < count; ++k) force -= modules[m].M[i * count + k] * rates_[first + k];
      system_.b(first + i) = force;
    }
  }
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    if (group.module == ElementRows::none) continue;
    const std::size_t first = first_variable_[group.module], count = module(group).variables;
    for (std::size_t r = 0; r < group.rows; ++r)
      for (std::size_t k = 0; k < count; ++k)
        system_.b(first + k) +=
            module(group).A[(group.first + r) * count + k] * (multipliers_[group.row + r] + elements_.effort(group, r));
  }
}

void EngineRows::solve() noexcept {
  system_.solve();
  for (std::size_t k = 0; k < rates_.size(); ++k) rates_[k] += system_.x(k);
  for (std::size_t r = 0; r < multipliers_.size(); ++r) multipliers_[r] += system_.x(rates_.size() + r);
}

void EngineRows::meet_accelerations(std::span<const Spatial> accelerations) noexcept {
  set_forces();
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    for (std::size_t r = 0; r < group.rows; ++r)
      system_.b(place_of_row(group, r)) =
          at_row(group, r, accelerations) + of_variables(group, r) - elements_.asked().row(group, r).acceleration;
  }
  solve();
}

void EngineRows::find_step(Level level, std::span<double> step, std::span<double> x) noexcept {
  const bool positions = level == Level::position;
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    for (std::size_t r = 0; r < group.rows; ++r) {
      const FrameRows::Row& row = elements_.asked().row(group, r);
      system_.b(place_of_row(group, r)) = positions ? row.residual : row.rate;
    }
  }
  solve();
  std::ranges::fill(step, 0.0);
  for (std::size_t r = 0; r < multipliers_.size(); ++r)
    for (std::size_t k = 0; k < step.size(); ++k) step[k] += column(r)[k] * multipliers_[r];
  const std::span<const ModuleSet::Module> modules = elements_.modules().modules();
  for (std::size_t m = 0; m < modules.size(); ++m) {
    const double* rates = rates_.data() + first_variable_[m];
    if (positions)
      for (const ModuleSet::Module::Integral& i : modules[m].integrals) x[i.state] += rates[i.variable];
    else
      for (std::size_t k = 0; k < modules[m].variables; ++k) x[modules[m].u + k] += rates[k];
  }
}

void EngineRows::add_loads(std::span<const BodyMotion> bodies, std::span<Spatial> wrenches) const noexcept {
  elements_.add_efforts(bodies, wrenches);
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    const std::span<const FrameIndex> tied = elements_.frames(group);
    for (std::size_t r = 0; r < group.rows; ++r)
      for (std::size_t f = 0; f < tied.size(); ++f)
        wrenches[at(tied[f])] += multipliers_[group.row + r] * elements_.asked().share(group, r, f).row;
  }
}

EngineRows::Missed EngineRows::missed_by(std::span<const Spatial> accelerations) const noexcept {
  constexpr double least = 1e-6;  // an acceleration that counts, as part of what weights or lengths of 1 m give
  const double usual = least * (1 + norm(view_.gravity));
  Missed worst;
  for (std::size_t g = 0; g < elements_.groups(); ++g) {
    const Group& group = elements_.group(g);
    const std::span<const FrameIndex> tied = elements_.frames(group);
    for (std::size_t r = 0; r < group.rows; ++r) {
      const double own = of_variables(group, r), asked = elements_.asked().row(group, r).acceleration;
      double terms = std::abs(own) + std::abs(asked);
      for (std::size_t f = 0; f < tied.size(); ++f) {
        const FrameRows::Share& share = elements_.asked().share(group, r, f);
        const Spatial& a = accelerations[at(tied[f])];
        terms += share.angular * (usual + size(a.angular)) + share.linear * (usual + size(a.linear));
      }
      const double part = std::abs(at_row(group, r, accelerations) + own - asked) / std::max(terms, usual);
      if (!(part <= worst.part)) worst = {part, group.of->name};
    }
  }
  return worst;
}

void EngineRows::put_rates(std::span<double> xdot) const noexcept {
  if (!elements_.has_modules()) return;
  elements_.modules().put_rates(xdot);
  const std::span<const ModuleSet::Module> modules = elements_.modules().modules();
  for (std::size_t m = 0; m < modules.size(); ++m)
    std::copy_n(rates_.begin() + static_cast<std::ptrdiff_t>(first_variable_[m]), modules[m].variables,
                xdot.begin() + static_cast<std::ptrdiff_t>(modules[m].u));
}

}  // namespace polyform::witnesses

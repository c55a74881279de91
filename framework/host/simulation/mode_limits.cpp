#include "framework/host/simulation/mode_limits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

namespace polyform::host::inline simulation {

namespace {

/// Square of the spin over that of the lowest frequency from which on a missing stiffening is told. That of a blade's
/// first flap is ω² = ω₀² + 1.19 Ω² (Southwell): there its frequency is 1 % too low.
constexpr double most_spin = 0.02;

/// Force along a body over the one that buckles it, from which on the same is told: its lowest frequency is 5 % off.
constexpr double most_load = 0.1;

class Heard final : public FieldSink {
 public:
  void report(Severity severity, std::size_t, std::size_t, std::string_view, std::string_view text) noexcept override {
    if (severity == Severity::error && remedy.empty()) remedy = text;
  }
  std::string remedy;
};

/// What lets the tension count: the field that asks for it where the type takes it with the data that are given, else
/// what the type says is missing.
std::string stiffening_remedy(const FlexibleData& data) {
  const auto* stiffening = ask<SpinStiffening>(*data.type);
  if (stiffening == nullptr) return "Divide the body into several: bodies of this type are not stiffened by tension.";
  std::vector<FieldValue> fields(data.instance->fields.begin(), data.instance->fields.end());
  FieldValue& asked = fields[stiffening->field()];
  asked.given = true;
  asked.integer = 1;
  FlexibleInstance trial = *data.instance;
  trial.fields = fields;
  Heard heard;
  if (data.type->define(trial, 0, heard) || heard.remedy.empty())
    return fmt::format("Give the body `{}: true`.", data.type->fields()[stiffening->field()].name);
  return heard.remedy;
}

}  // namespace

ModeLimits::ModeLimits(const SystemView& view) : view_(view) {
  bodies_.reserve(view.flexible.size());
  for (const FlexibleData& data : view.flexible) {
    FlexibleBatch* batch = data.type->create({data.instance, 1});
    if (batch == nullptr) continue;  // memory ran out, which the solver says
    const auto* validity = ask<ModeValidity>(*batch);
    if (validity == nullptr)
      batch->destroy();
    else
      bodies_.push_back({&data, batch, validity, {}});
  }
  std::vector<Body*> of_body(view.bodies.size());
  for (Body& body : bodies_) of_body[at(body.data->body)] = &body;
  for (std::size_t j = 0; j < view.joints.size(); ++j)
    for (const BodyIndex b : {view.joints[j].base, view.joints[j].moving})
      if (!is_ground(b) && of_body[at(b)] != nullptr) of_body[at(b)]->joints.push_back(j);
}

ModeLimits::~ModeLimits() {
  for (const Body& body : bodies_) body.batch->destroy();
}

std::vector<std::size_t> ModeLimits::bodies() const {
  std::vector<std::size_t> all;
  for (const Body& body : bodies_) all.push_back(at(body.data->body));
  return all;
}

void ModeLimits::row(double t, const Observation& now) {
  for (Body& body : bodies_) {
    const Observation::Body& seen = now.bodies[at(body.data->body)];
    look_at_deformation(t, body, now.eta.subspan(body.data->mode_offset, body.data->modes));
    const Mat3 R = rotation_matrix(seen.pose.orientation);
    look_at_spin(t, body, transpose_times(R, seen.angular_velocity));
    for (const std::size_t j : body.joints) look_at_load(t, body, transpose_times(R, now.reactions[j].linear));
  }
}

void ModeLimits::step(double t, const ConstStateView& state) {
  for (Body& body : bodies_) look_at_deformation(t, body, state.eta.subspan(body.data->mode_offset, body.data->modes));
}

void ModeLimits::look(double t, std::size_t i, const Mat3& R, const Vec3& omega, std::span<const double> eta) {
  for (Body& body : bodies_) {
    if (at(body.data->body) != i) continue;
    look_at_deformation(t, body, eta);
    look_at_spin(t, body, transpose_times(R, omega));
  }
}

void ModeLimits::look_at_deformation(double t, Body& body, std::span<const double> eta) {
  if (body.told_deformed) return;
  const double deformation = body.validity->deformation(0, eta);
  if (!(deformation > most_deformation)) return;
  body.told_deformed = true;
  const std::string_view name = view_.bodies[at(body.data->body)].name;
  warnings_.push_back(
      {fmt::format(
           "body `{}` bends beyond what linear modes can describe: at t = {:.6g} s a section of it is turned by "
           "{:.3g} rad (or strained by as much), and from {:g} on its deflection is wrong by 4 % and more",
           name, t, deformation, most_deformation),
       "Divide the body into several, each of which bends less, or make it stiffer."});
}

void ModeLimits::look_at_spin(double t, Body& body, const Vec3& omega) {
  if (body.told_spinning) return;
  const double spin = body.validity->neglected_stiffening(0, omega);
  if (!(spin > most_spin)) return;
  body.told_spinning = true;
  const std::string_view name = view_.bodies[at(body.data->body)].name;
  warnings_.push_back(
      {fmt::format(
           "body `{}` spins and is not stiffened by its tension: at t = {:.6g} s it turns at {:.3g} rad/s, {:.3g} "
           "of its lowest frequency, which is then too low by about {:.2g} %",
           name, t, norm(omega), std::sqrt(spin), 100 * (1 - 1 / std::sqrt(1 + spin))),
       stiffening_remedy(*body.data)});
}

void ModeLimits::look_at_load(double t, Body& body, const Vec3& force) {
  if (body.told_loaded || body.told_spinning) return;
  const double part = body.validity->neglected_load(0, force);
  if (!(part > most_load)) return;
  body.told_loaded = true;
  warnings_.push_back(
      {fmt::format("body `{}` is loaded along its axis and neither stiffened nor weakened by that: at t = {:.6g} s a "
                   "joint puts {:.3g} N on it, the force along it is about {:.2g} of the one that would buckle it",
                   view_.bodies[at(body.data->body)].name, t, norm(force), part),
       stiffening_remedy(*body.data)});
}

}  // namespace polyform::host::simulation

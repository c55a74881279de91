#include "apps/text/particles_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/wrapping.hpp"
#include "framework/diagnostics.hpp"
#include "polyform/contract/particle_model.hpp"

namespace polyform::apps {
namespace {

using host::Exit;

using Users = std::vector<std::vector<std::size_t>>;

/// Bodies by the particles of the system that they have.
Users users_of(const ParticleModel& model) {
  Users users;
  for (std::size_t b = 0; b < model.bodies(); ++b)
    for (std::size_t k = 0; k < model.particles(b); ++k) {
      const std::size_t shared = model.shared(b, k);
      if (shared == ParticleModel::none) continue;
      if (shared >= users.size()) users.resize(shared + 1);
      users[shared].push_back(b);
    }
  return users;
}

struct Counted {
  std::size_t all = 0, shared = 0;
};

/// Particles of the system that bodies have as their 1, 2 or 4, and those that several have.
Counted count(const Users& users) {
  Counted out;
  for (const std::vector<std::size_t>& bodies : users) {
    out.all += bodies.empty() ? 0 : 1;
    out.shared += bodies.size() > 1 ? 1 : 0;
  }
  return out;
}

/// Names of the other bodies that have a particle of a body.
std::vector<std::string_view> sharers(const ParticleModel& model, const Users& users, std::size_t body, std::size_t k) {
  std::vector<std::string_view> names;
  const std::size_t shared = model.shared(body, k);
  if (shared == ParticleModel::none) return names;
  for (const std::size_t b : users[shared])
    if (b != body) names.push_back(model.name(b));
  return names;
}

void print_particles_as_json(std::string_view solver, const ParticleModel& model) {
  const Users users = users_of(model);
  Json bodies = Json::object();
  for (std::size_t b = 0; b < model.bodies(); ++b) {
    Json particles = Json::array();
    for (std::size_t k = 0; k < model.particles(b); ++k) {
      const Vec3 place = model.place(b, k);
      Json one = {{"number", k + 1}, {"mass", model.mass(b, k)}, {"place", {place.x, place.y, place.z}}};
      if (model.end(b, k, 0) != k) one["between"] = {model.end(b, k, 0) + 1, model.end(b, k, 1) + 1};
      if (const auto others = sharers(model, users, b, k); !others.empty()) one["shared_with"] = others;
      particles.push_back(std::move(one));
    }
    const Vec3 invariants = model.invariants(b);
    bodies[std::string(model.name(b))] = {{"equivalent_particles", std::move(particles)},
                                          {"lambda", invariants.x},
                                          {"mu", invariants.y},
                                          {"tau", invariants.z}};
  }
  const Counted counted = count(users);
  print_json({{"solver", solver},
              {"bodies", std::move(bodies)},
              {"particle_count", counted.all},
              {"shared_particles", counted.shared}});
}

void print_particles_as_text(const host::System& system, std::string_view solver, const ParticleModel& model) {
  print_paragraphs(fmt::format("{}, solver {}: equivalent particles, places in body axes from the body frame",
                               system.description().name, solver));
  const Users users = users_of(model);
  for (std::size_t b = 0; b < model.bodies(); ++b) {
    fmt::print(output(), "body {}\n  {:9}{:>14}{:>12}{:>12}{:>12}\n", model.name(b), "particle", "mass, kg", "x, m",
               "y, m", "z, m");
    for (std::size_t k = 0; k < model.particles(b); ++k) {
      const std::string number = model.end(b, k, 0) == k
                                     ? fmt::format("{}", k + 1)
                                     : fmt::format("{:<3}{}-{}", k + 1, model.end(b, k, 0) + 1, model.end(b, k, 1) + 1);
      const auto others = sharers(model, users, b, k);
      const Vec3 place = model.place(b, k);
      const std::string line =
          fmt::format("  {:9}{:>14.6g}{:>12.5g}{:>12.5g}{:>12.5g}{}", number, model.mass(b, k), place.x, place.y,
                      place.z, others.empty() ? "" : fmt::format("  also of {}", fmt::join(others, ", ")));
      fmt::print(output(), "{}\n", wrapped_lines(line, 11));
    }
    const Vec3 k = model.invariants(b);
    fmt::print(output(), "  r3 = r1 + {:.6g} /m r21 x r41 + {:.6g} r41 + {:.6g} r21\n", k.x, k.y, k.z);
  }
  const Counted counted = count(users);
  fmt::print(output(), "system\n  {} particles have coordinates, {} of them are shared by bodies\n", counted.all,
             counted.shared);
}

}  // namespace

void print_particles(const host::System& system, std::string_view solver_name, Solver& solver, bool json) {
  const auto* model = ask<ParticleModel>(solver);
  if (model == nullptr)
    throw host::Failure(Exit::bad_input, fmt::format("solver {} does not replace bodies by particles", solver_name),
                        "Use --solver particles.");
  if (json)
    print_particles_as_json(solver_name, *model);
  else
    print_particles_as_text(system, solver_name, *model);
}

}  // namespace polyform::apps

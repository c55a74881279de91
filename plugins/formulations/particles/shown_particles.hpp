// The equivalent particles of each body as the layout has them, to look at (evaluate --particles).
#pragma once

#include "layout.hpp"
#include "polyform/contract/particle_model.hpp"

namespace polyform::particles {

/// Ten particles a body, numbered as in the paper's Fig. 2.1: 1 to 4 are primary, 5 to 10 lie half-way between 1 and 2,
/// 1 and 3, 1 and 4, 2 and 3, 2 and 4, 3 and 4.
class ShownParticles final : public ParticleModel {
 public:
  /// Both arguments outlive the object.
  ShownParticles(const SystemView& view, const Layout& layout) : view_(view), layout_(layout) {}

  std::size_t bodies() const noexcept override { return layout_.bodies.size(); }
  std::string_view name(std::size_t body) const noexcept override { return view_.bodies[body].name; }
  std::size_t particles(std::size_t) const noexcept override { return 10; }
  double mass(std::size_t body, std::size_t particle) const noexcept override;
  Vec3 place(std::size_t body, std::size_t particle) const noexcept override;
  std::size_t end(std::size_t body, std::size_t particle, std::size_t which) const noexcept override;
  std::size_t shared(std::size_t body, std::size_t particle) const noexcept override;
  Vec3 invariants(std::size_t body) const noexcept override {
    const Invariants& k = layout_.bodies[body].third;
    return {k.lambda, k.mu, k.tau};
  }

 private:
  const SystemView& view_;
  const Layout& layout_;
};

}  // namespace polyform::particles

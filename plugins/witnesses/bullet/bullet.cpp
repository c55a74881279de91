// Bullet as a witness: a formulation whose equations of motion are those of another engine.
#include "../tree_witness.hpp"
#include "bullet_tree.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::bullet {
namespace {

class Bullet final : public witnesses::TreeWitness {
 public:
  std::string_view name() const noexcept override { return "bullet"; }
  std::string_view meaning() const noexcept override {
    return "another engine as a witness: Bullet's articulated-body algorithm, for trees of rigid bodies";
  }
  std::string_view source() const noexcept override {
    return "Coumans: Bullet physics simulation, SIGGRAPH courses, 2015; class btMultiBody";
  }

 private:
  std::string_view engine() const noexcept override { return "Bullet"; }
  std::unique_ptr<witnesses::EngineTree> make_tree(const double gravity[3]) const override {
    return bullet::make_tree(gravity);
  }
};

constexpr Bullet formulation;

}  // namespace
}  // namespace polyform::bullet

POLYFORM_PLUGIN("formulation", "bullet", "1.0") { registrar.add(polyform::bullet::formulation); }

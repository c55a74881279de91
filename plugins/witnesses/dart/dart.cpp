// DART as a witness: a formulation whose equations of motion are those of another engine.
#include "../tree_witness.hpp"
#include "dart_tree.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::dart_witness {
namespace {

class Dart final : public witnesses::TreeWitness {
 public:
  std::string_view name() const noexcept override { return "dart"; }
  std::string_view meaning() const noexcept override {
    return "another engine as a witness: DART's articulated-body algorithm, for trees of rigid bodies";
  }
  std::string_view source() const noexcept override {
    return "Lee et al.: DART: Dynamic Animation and Robotics Toolkit, Journal of Open Source Software 3 (22), 2018";
  }

 private:
  std::string_view engine() const noexcept override { return "DART"; }
  std::unique_ptr<witnesses::EngineTree> make_tree(const double gravity[3]) const override {
    return dart_witness::make_tree(gravity);
  }
};

constexpr Dart formulation;

}  // namespace
}  // namespace polyform::dart_witness

POLYFORM_PLUGIN("formulation", "dart", "1.0") { registrar.add(polyform::dart_witness::formulation); }

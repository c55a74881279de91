// What the batteries need: the loaded types, the author's example model, and random models of these.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "framework/workbench/conformance/checklist.hpp"
#include "framework/workbench/conformance/model_writer.hpp"

namespace polyform::host::inline conformance {

/// A model that the host accepted, with its text.
struct Sample {
  std::string text;
  std::unique_ptr<System> system;

  const SystemView& view() const { return system->view(); }
};

struct RandomModelSettings {
  std::uint64_t seed = 1;
  int bodies = 8;
  int loops = 0;       ///< joints between random bodies that close loops
  bool forces = true;  ///< one random force for every second body
};

/// The author's model in a file; no system without a file. Failure (bad_input) if the model is not sound.
Sample example_of(const std::string& file, const Catalog&, std::shared_ptr<const void> keep_alive,
                  bool lenient = false);

class Bench {
 public:
  /// draw: each number gives other random models.
  Bench(const Catalog&, std::shared_ptr<const void> keep_alive, ExampleFields examples, bool thorough,
        std::uint64_t draw = 0);
  /// The same with a catalog of further elements; its random models have none of them.
  Bench(const Bench&, const Catalog&);

  const Catalog& catalog() const { return catalog_; }
  /// The number of random systems, or the length of a run: for a thorough battery all of it, for others a third.
  int count(int full) const { return thorough_ ? full : (full + 2) / 3; }
  double duration(double full) const { return thorough_ ? full : full / 10; }
  /// Models written by `write` at successive seeds until the host accepts one. Undecided, with the last complaint, when
  /// none of many was accepted; Failure when a type breaks the contract.
  Sample sample(std::uint64_t seed, const std::function<void(ModelWriter&, Random&)>& write,
                std::uint64_t tries = 300) const;
  /// Bodies that hang on earlier bodies or on ground by joints of random types in either direction, with forces.
  Sample random_model(const RandomModelSettings&) const;
  /// The model of a text, or nothing and the first complaint. Failure as from sample().
  std::optional<Sample> assemble(const std::string& text, std::string& complaint) const;

  /// Joint types of which random instances can be made, with the freedoms that they leave.
  struct KnownJoint {
    const JointType* type;
    std::size_t nv;
  };
  /// Without those that depend on time, which do work.
  const std::vector<KnownJoint>& joints() const { return joints_; }
  const std::vector<const JointType*>& rheonomic_joints() const { return rheonomic_joints_; }
  /// A joint that leaves all six freedoms. Undecided when no loaded type is one.
  const JointType& loose_joint() const;
  /// An integrator that controls its errors.
  const IntegratorChoice& integrator() const { return integrator_; }
  /// Formulations that carry the system, in alphabetical order.
  std::vector<const Formulation*> formulations_for(const SystemView&) const;

 private:
  void find_joints();
  /// Force types of which random instances can be made; found when they are first asked for.
  const std::vector<const ForceType*>& forces() const;

  const Catalog& catalog_;
  std::shared_ptr<const void> keep_alive_;
  ExampleFields examples_;
  bool thorough_;
  std::uint64_t draw_;
  IntegratorChoice integrator_;
  std::vector<KnownJoint> joints_;
  std::vector<const JointType*> rheonomic_joints_;
  mutable std::optional<std::vector<const ForceType*>> forces_;
};

/// A solver of the formulation with the given options, and defaults for the others. Failure as of compile.
SolverPointer make_solver(const Formulation&, const SystemView&,
                          const std::vector<std::pair<std::string, std::string>>& options = {});

}  // namespace polyform::host::conformance

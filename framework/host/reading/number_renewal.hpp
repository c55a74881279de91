// Numbers of a model that are read again by themselves.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"
#include "framework/host/reading/document.hpp"
#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline reading {

struct Scope;

/// Reads numbers of a model once more, into a description that was read from the same tree with other numbers. They are
/// mass properties and velocities of rigid bodies, alone or in chains, gravity, initial coordinates of joints, numbers
/// and vectors of forces, and parameters that stand nowhere else.
class NumberRenewal {
 public:
  /// varied: nodes of the tree whose texts change. The tree and the catalog outlive the object.
  NumberRenewal(const Node& root, std::span<const Node* const> varied, const Description&, const Catalog&);

  /// Whether these numbers are all that the nodes change. If not, the model has to be read as a whole.
  bool is_whole() const { return is_whole_; }
  /// False if anything is wrong with a number: then reading the whole model tells what, and the description is that of
  /// no model. Warnings go to the diagnostics.
  bool read(Description&, Diagnostics&) const;

 private:
  /// An entry of a body or a chain of them.
  struct Bodies {
    const Node* entries;
    std::size_t first, count;
    bool moves;  ///< velocities change
  };
  struct Joints {
    const Node* initial;
    std::size_t first, count;
  };
  struct ForceField {
    const Node* value;
    std::size_t force, field;
  };

  bool is_varied(const Node&) const;
  std::size_t varied_in(const Node&) const;
  void find_parameters();
  void find(std::string_view section, const Node& value, const Description&, const Catalog&);
  void find_bodies(const Node& entries, std::size_t first, std::size_t count, const Description&);
  void find_joints(const Node& entries, std::size_t first, std::size_t count);
  void find_chain(const Node& entries, const std::string& path, const Description&);
  void find_force(const Node& entries, const std::string& path, const Description&, const Catalog&);
  bool judges_others(const Description&) const;
  bool read_bodies(Description&, Report&, const Scope&) const;
  bool read_forces(Description&, Report&, const Scope&) const;

  const Node& root_;
  std::vector<const Node*> varied_;
  std::vector<std::string_view> parameters_;  ///< that change
  const Node* parameter_map_ = nullptr;
  const Node* gravity_ = nullptr;
  std::vector<Bodies> bodies_;
  std::vector<Joints> joints_;
  std::vector<ForceField> force_fields_;
  std::size_t taken_ = 0;  ///< varied places that are read
  bool is_whole_ = false;
};

}  // namespace polyform::host::inline reading

#include "framework/host/columns/constraint_forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "framework/host/evaluation/joint_units.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline columns {
namespace {

/// The unit of a force that does work on a velocity of this unit.
std::string effort_unit(std::string_view velocity) {
  if (velocity == "m/s") return "N";
  return velocity == "rad/s" ? "N m" : fmt::format("W/({})", velocity);
}

/// The rows of all elements as drawn, which tell the joint velocities that they are about.
class RowsAsDrawn {
 public:
  explicit RowsAsDrawn(const SystemView& view) : view_(view), elements_(view) {
    std::vector<double> q(view.nq), v(view.nv), modes(view.modes);
    for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
    TreeKinematics tree(view);
    tree.evaluate(q.data(), v.data(), modes.data(), modes.data());
    elements_.evaluate(0, tree.frames(), q, v);
  }
  /// The unit of the multiplier; "1" for a row that is about no velocity of a joint.
  std::string unit_of(std::size_t element, std::size_t row) const {
    const ConstraintSet::Element& e = elements_.elements()[element];
    const double* B = e.B.data() + row * e.velocities;
    for (const JointIndex j : e.joints)
      for (const Variable& velocity : velocities_of(view_.joints[at(j)]))
        if (*B++ != 0) return effort_unit(velocity.unit);
    return "1";
  }

 private:
  const SystemView& view_;
  ConstraintSet elements_;
};

bool leaves_units_open(const SystemView& view) {
  return std::ranges::any_of(view.constraints, [](const ConstraintInstances& all) {
    const Strided<const Variable> rows = all.type->descriptor().rows;
    return std::ranges::any_of(rows, [](const Variable& row) { return row.unit.empty(); });
  });
}

}  // namespace

std::vector<ConstraintForce> constraint_forces(const SystemView& view) {
  std::vector<ConstraintForce> found;
  std::unique_ptr<RowsAsDrawn> drawn;
  if (leaves_units_open(view)) drawn = std::make_unique<RowsAsDrawn>(view);
  std::size_t element = 0, first = 0;
  for (const ConstraintInstances& all : view.constraints) {
    const Strided<const Variable> told = all.type->descriptor().rows;
    for (std::size_t i = 0; i < all.names.size(); ++i, ++element) {
      const std::size_t rows = all.rows[i];
      for (std::size_t r = 0; r < rows && !told.empty(); ++r) {
        const bool each = told.size() == rows;  // otherwise one name for all of them
        const Variable& row = told[each ? r : 0];
        found.push_back({all.names[i], each ? std::string(row.name) : fmt::format("{}[{}]", row.name, r),
                         row.unit.empty() ? drawn->unit_of(element, r) : std::string(row.unit), first + r});
      }
      first += rows;
    }
  }
  return found;
}

}  // namespace polyform::host::columns

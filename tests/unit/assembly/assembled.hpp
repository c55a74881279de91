// A model read and assembled, with what was said on the way.
#pragma once

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "framework/host/reading/reader.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

struct Assembled {
  std::unique_ptr<host::System> system;
  host::Diagnostics diagnostics;

  explicit Assembled(const std::string& text) {
    bool missing = false;
    host::Description d = host::read_model_text(text, "model.yaml", registry().catalog(), diagnostics, missing);
    if (!diagnostics.failed()) system = host::System::assemble(std::move(d), registry().keep_alive(), diagnostics);
  }
  const JointData& joint(std::string_view name) const {
    for (const JointData& j : system->view().joints)
      if (j.name == name) return j;
    throw std::runtime_error("no such joint");
  }
  double q(std::string_view name) const { return system->initial_state().q[joint(name).q_offset]; }
  double v(std::string_view name) const { return system->initial_state().v[joint(name).v_offset]; }
  std::string messages() const {
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
    return all;
  }
  /// Largest residual and largest violation in velocity of the cut joints.
  std::pair<double, double> open() const {
    const SystemView& view = system->view();
    TreeKinematics tree(view);
    const ConstStateView state = system->initial_state();
    tree.evaluate(state.q.data(), state.v.data(), state.eta.data(), state.etadot.data());
    std::pair<double, double> worst;
    for (const JointData& joint : view.cut_joints()) {
      std::vector<double> hint(
          system->initial_state().q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
          system->initial_state().q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
      double rate[6];
      JointConstraint c;
      joint_constraint(joint, motion_of(joint.base_frame, tree.frames()), motion_of(joint.moving_frame, tree.frames()),
                       hint.data(), rate, c);
      for (std::size_t r = 0; r < c.rows; ++r) {
        worst.first = std::max(worst.first, std::abs(c.residual[r]));
        worst.second = std::max(worst.second, std::abs(dot(c.T[r], c.relative.twist)));
      }
    }
    return worst;
  }
};

}  // namespace polyform::test

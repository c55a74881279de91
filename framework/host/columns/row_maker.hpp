// From observations to rows of a result: the channels, and their values.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/body_axes_columns.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/host/columns/element_outputs.hpp"
#include "framework/host/columns/violation_columns.hpp"
#include "framework/host/results/channel.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline columns {

/// Channels in the order of the outer contract: time, the user's joints, the user's bodies, energies, constraints,
/// modules (variables and states by their own names), elements (states of forces, then outputs of forces, constraints
/// and modules, then the discrete states of these, all by their own names), reactions (after those of joints: forces of
/// constraints, multipliers of modules), accelerations (of the joints, then of the bodies with their modes), body axes
/// (BodyAxesColumns), violations (of the joints, then of the constraint elements). The system outlives it.
/// Its members are one part for each group of channels.
class RowMaker {
 public:
  /// Groups of which no column is asked for cost nothing in a row. Failure (bad_input) when a pattern matches no
  /// column, or a number of an element would have the name of another column. Failures of ElementOutputs.
  RowMaker(const System&, const Columns&);

  const std::vector<Channel>& channels() const { return channels_; }
  /// For another run of the system, whose numbers may have changed in place: signs are settled anew. False where
  /// columns hold numbers of the system; then the object has to be made anew, and the old one is of no use.
  bool begin_anew() {
    settled_ = false;
    return !outputs_ && !body_axes_ && !violations_;
  }
  /// The values at one instant, one per channel; valid until the next call. work: ∫ P dt of all that is applied without
  /// potential, since the start. The first call settles the sign of each quaternion: w ≥ 0 or, if w vanishes (below
  /// 1e-12), the first component that does not vanish is positive. Later calls keep it, so that quaternions stay as
  /// continuous as the solver's.
  std::span<const double> make(double time, const Observation&, double work = 0);

 private:
  void add_joint(const JointData&);
  void add_body(const BodyData&);
  void add_reaction(const JointData&);
  void add_modules();
  void add_elements();
  void check_names() const;
  template <class Group>
  void add_discrete(const Group&);
  void add_multipliers();
  /// Of the joints and bodies whose names may_have() takes.
  void add_accelerations(const System&, const std::function<bool(std::string_view)>& may_have);
  double* put_accelerations(const Observation&, double* out) const;
  void settle_signs(const Observation&);

  struct JointColumns {
    std::size_t q, nq, v, nv;
  };
  /// A quaternion among the joint coordinates, and where it starts in the row.
  struct BallColumns {
    std::size_t q, column;
    double sign = 1;
  };
  struct BodyColumns {
    std::size_t body, modes, mode_offset;
    double sign = 1;
  };

  BodyColumns columns_of(BodyIndex) const;

  const SystemView& view_;
  Columns columns_;
  std::vector<Channel> channels_;
  std::vector<JointColumns> joints_;
  std::vector<BallColumns> balls_;
  std::vector<BodyColumns> bodies_;
  std::vector<std::size_t> reactions_;
  /// The columns with accelerations.
  struct Accelerated {
    std::vector<JointColumns> joints;
    std::vector<BodyColumns> bodies;
  } accelerated_;
  std::vector<std::size_t> constraint_rows_;  ///< that have a column, into Observation::constraint_multipliers
  std::vector<std::size_t> module_states_;    ///< first-order states of modules, in the order of their channels
  std::vector<std::size_t> force_states_;     ///< first-order states of forces
  std::unique_ptr<ElementOutputs> outputs_;
  std::unique_ptr<BodyAxesColumns> body_axes_;
  std::unique_ptr<ViolationColumns> violations_;
  std::vector<double> row_;
  std::vector<std::size_t> chosen_;  ///< if patterns choose columns: their places in the row
  std::vector<double> chosen_row_;   ///< their values
  bool settled_ = false;
};

}  // namespace polyform::host::columns

// The rows of all elements that touch, stick or lock at times, at states of any solver.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/own_batch.hpp"
#include "polyform/contract/asked_rows.hpp"
#include "polyform/contract/loaded_friction.hpp"
#include "polyform/contract/near_rows.hpp"
#include "polyform/contract/unilateral.hpp"
#include "polyform/contract/unilateral_places.hpp"
#include "polyform/contract/unilateral_velocities.hpp"
#include "polyform/mechanics/attachments.hpp"

namespace polyform::host::inline unilateral {

/// Who finds the forces of rows that hold at times: nobody, the host by events, or an integrator in its steps. apart:
/// the host, of a state in which no element with NearRows touches anything, which leaves those out.
enum class UnilateralUse { none, events, apart, steps };

/// Own batches of the elements that give UnilateralRows or NearRows, fed from Solver::decode. Rows are numbered point
/// after point, three per point: the normal, then the tangents. Nothing allocates after construction, but for
/// find_near() where there are more points than ever before.
///
/// The forces of rows reach a solver as first-order states: put_forces() writes them into its y.
///
/// Most of its functions read one number of the evaluation; most of its members are arrays over points or rows.
class UnilateralSet {
 public:
  static constexpr std::size_t rows_per_point = 3;
  /// What passes the end of a place at a slope of up to this goes out there and does not come down
  /// (unilateral_places.hpp).
  static constexpr double steepest = 10;

  /// Failure (bad_input) if the solver gives no SecondOrderSystem or keeps first-order states in a form of its own, or
  /// an element touches a flexible body, or has NearRows that are to be used by events; (simulation_failed) if memory
  /// runs out. start: a state that the solver can encode, at time t. With no use it is empty.
  UnilateralSet(const SystemView&, double t, const ConstStateView& start, Solver&, UnilateralUse);
  ~UnilateralSet();  // where Motion is known
  UnilateralSet(const UnilateralSet&) = delete;
  UnilateralSet& operator=(const UnilateralSet&) = delete;

  bool empty() const { return batches_.empty(); }
  /// Finds the points of NearRows that may close within `step`, s; all points are numbered anew. Failure
  /// (simulation_failed) if memory runs out.
  void find_near(double t, std::span<const double> y, double step);
  /// What a point is about: the frame of its side 0 or 1, ground too where it has none, and the first of its joint
  /// velocities among those of the system, or UnilateralPoint::none.
  FrameIndex frame_of(std::size_t k, std::size_t side) const;
  std::size_t velocity_of(std::size_t k) const { return velocities_[k].first; }
  /// Three numbers by which a point is the same one after find_near().
  std::array<std::uint64_t, 3> key_of(std::size_t k) const;
  std::size_t points() const { return points_.size(); }
  std::span<const std::size_t> all_points() const { return all_; }
  /// After find_near(): the first element of NearRows that has points; "" where none has.
  std::string_view near_element() const;
  const UnilateralPoint& point(std::size_t k) const { return points_[k]; }
  /// Element and point, for messages: "`floor` (contact)".
  std::string name_of(std::size_t k) const;
  /// The same element.
  std::size_t element_of(std::size_t k) const { return elements_[k]; }
  std::size_t elements() const { return element_names_.size(); }
  const std::string& element_name(std::size_t element) const { return element_names_[element]; }

  /// Gaps, rows and rates at a state. Failure (simulation_failed) when the solver cannot decode it.
  void evaluate(double t, std::span<const double> y);
  /// The same without rates and their terms, which stay as they are.
  void find_rows(double t, std::span<const double> y);
  /// The same of some points alone, in ascending order. What is known of others is that of a state before.
  void evaluate(double t, std::span<const double> y, std::span<const std::size_t> points);
  /// Per element: how far its surfaces are apart at least, m, below zero where that is not known; and a speed that they
  /// do not come near each other faster than, m/s. The points stay where they were evaluated.
  void bound_gaps(double t, std::span<const double> y, std::span<double> apart, std::span<double> speeds);
  double gap(std::size_t k) const { return gap_[k]; }
  /// How far the place of a point reaches on, m, where it may begin to touch and lets go, m, and which part of the
  /// surface it is at (unilateral_places.hpp).
  double place(std::size_t k) const { return place_[k]; }
  double begin(std::size_t k) const { return begin_[k]; }
  double end(std::size_t k) const { return end_[k]; }
  /// The gap that has to close where a point does not touch: beyond the end of its place it is larger.
  double open_gap(std::size_t k) const { return gap_[k] + steepest * std::max(0.0, -place_[k]); }
  std::uint32_t feature(std::size_t k) const { return feature_[k]; }
  bool has_place(std::size_t k) const { return !(begin_[k] < 0); }
  /// Whether a point that may begin to touch lies beyond the end of its place, and deeper than rounding reaches on
  /// there: it came in beside the surface and not through it.
  bool is_beside(std::size_t k) const { return place_[k] < 0 && open_gap(k) < place_[k] - begin_[k]; }
  bool has_ended(std::size_t k) const { return end_[k] < 0; }
  double holding(std::size_t k) const { return holding_[k]; }
  double sliding(std::size_t k) const { return sliding_[k]; }
  /// Whether any friction grows with what its joint transmits. It counts with the reactions that were taken last.
  bool is_loaded() const;
  /// Whether the friction of a point does.
  bool is_loaded(std::size_t k) const;
  /// Takes reactions that were observed at the evaluated state. By how much friction changes, of the largest.
  double take_reactions(const Observation&);
  /// The reactions of the joints whose friction grows with them, as they were taken last; and others in their place.
  void copy_loads(std::vector<Spatial>& loads) const;
  void put_loads(std::span<const Spatial> loads);
  /// The element whose friction the reactions that were taken last changed most.
  std::size_t changed_element() const { return changed_element_; }
  double rate(std::size_t row) const { return rates_[row]; }  ///< at the evaluated state
  /// The line of a row of friction, ground axes, at the evaluated state: of unit length, or zero if it only turns.
  const Vec3& tangent(std::size_t k, std::size_t i) const { return A_[2 * (rows_per_point * k + 1 + i)].linear; }
  /// The sum of the sizes of the terms of a rate, which rounding is told by.
  double terms(std::size_t row) const { return terms_[row]; }
  /// The largest angular velocity of what all rows are about, at the evaluated state, rad/s.
  double turning() const { return turning_; }
  /// The largest velocity of what they are about, at the evaluated state, m/s.
  double fastest() const { return fastest_; }
  /// The wrench of a unit force along a row on the body of one of its sides, about the origin of its frame, ground
  /// axes; at the evaluated state.
  Spatial wrench_of(std::size_t row, std::size_t side) const;
  /// From the axes of the body of one side of a point to ground axes, at the evaluated state. The side has a body.
  const Mat3& orientation_of(std::size_t point, std::size_t side) const;
  /// The parts of rates of some points at velocities of another state with the positions of the evaluated one, three
  /// per row: of side 0, of side 1, and of the joint velocity. The points stay where they were evaluated.
  void rate_parts_at(double t, std::span<const double> y, std::span<const std::size_t> points, std::span<double> parts);
  /// Rates of the evaluated rows of some points at velocities of another state with the same positions.
  void rates_at(double t, std::span<const double> y, std::span<const std::size_t> points, std::span<double> rates);
  /// d/dt of the rates of the evaluated rows, from what the solver observes at that state.
  void accelerations(const Observation&, std::span<double> out) const;

  /// Whether forces of the rows of an element have a resultant, or balance each other within it; at the evaluated
  /// state.
  bool has_resultant(std::size_t element, std::span<const double> forces) const;

  /// The forces of all rows into y, at the evaluated state.
  void put_forces(std::span<const double> forces, std::span<double> y);
  void put_modes(std::span<const UnilateralMode> modes, std::span<double> y);
  /// Sets to zero what stands in the places of the elements' states.
  void leave_out_states(std::span<double> y) const;
  /// Writes, in the places of the elements' states, whose they are.
  void put_elements(std::span<std::size_t> y) const;
  void pass_impact(std::size_t point, double loss, std::span<double> y);

 private:
  /// The elements of one type. Its members are the batch, the interfaces that it offers, and the places of its points
  /// and states among those of all elements.
  struct Batch {
    std::unique_ptr<Attachments> attached;
    std::vector<Vec3> arms;                        ///< of a batch that is asked for some of its points: those of its
    std::vector<MarkerMotion> motions_of_markers;  ///< markers, of which some are looked at; else `attached` has them
    std::vector<FrameIndex> frames;                ///< of the markers
    std::vector<std::size_t> velocities;           ///< of the attached joint velocities, among those of the system
    UnilateralRows* rows;
    NearRows* near;                                         ///< nullptr if its points are always the same
    UnilateralPlaces* places;                               ///< nullptr if they have no ends
    UnilateralVelocities* velocity_parts;                   ///< nullptr if each row is about one velocity at most
    AskedRows* asked;                                       ///< nullptr if all of its points are evaluated at once
    std::vector<std::size_t> first_marker, first_velocity;  ///< per instance
    std::size_t first_element;
    LoadedFriction* loaded;  ///< nullptr if no friction grows with what a joint transmits
    std::span<const JointIndex> joints;
    std::vector<Spatial> reactions, motions;           ///< of these
    std::vector<double> given_holding, given_sliding;  ///< of the points, without what grows
    OwnBatch object;
    std::size_t first, count;        ///< points
    std::size_t state, state_count;  ///< among the first-order states
    std::vector<std::size_t> slots;  ///< of the states, in y
  };
  /// The joint velocities that a point is about, among those of the system, which follow each other.
  struct Velocities {
    std::size_t first, count;
    std::size_t further;  ///< where `further_` has the parts of all but the first
  };
  struct Motion;
  double part_of(std::size_t row, std::size_t velocity) const;
  void add(const SystemView&, const ForceInstances&);
  void list_points();
  void find_slots(double t, const ConstStateView& start, Solver&);
  void decode(double t, std::span<const double> y);
  void decode_motion(double t, std::span<const double> y);
  void find_rows(double t, std::span<const double> y, std::span<const std::size_t> points);
  void evaluate(Batch&, std::span<const std::size_t> points);
  void gather(Batch&) const;
  void gather(Batch&, std::size_t marker) const;
  static Strided<const MarkerMotion> motions_of(const Batch& b) {
    return b.asked != nullptr ? Strided<const MarkerMotion>(b.motions_of_markers) : b.attached->motions();
  }
  static std::span<const Vec3> arms_of(const Batch& b) {
    return b.asked != nullptr ? std::span<const Vec3>(b.arms) : b.attached->arms();
  }
  void find_fastest();
  void find_rates();
  double rate_of(std::size_t point, std::size_t row, double* terms) const;
  ForceInput attachments_of(const Batch&) const;
  void find_motions(Batch&) const;
  void renew_loaded(Batch&);
  void add_loaded(Batch&);
  template <class Change>
  void change_states(const Batch&, std::span<double> y, const Change&);

  const SystemView& view_;
  Solver& solver_;
  std::vector<Batch> batches_;
  std::vector<UnilateralPoint> points_;
  std::vector<std::size_t> batch_of_, elements_;     ///< per point
  std::vector<std::array<std::size_t, 2>> markers_;  ///< per point, in its batch
  std::vector<Velocities> velocities_;               ///< per point
  std::vector<std::string> element_names_;
  std::unique_ptr<Motion> motion_;
  double time_ = 0;                          ///< of the last decoded state
  std::vector<double> decoded_;              ///< that state; empty where there is none
  bool gathered_ = false;                    ///< whether the attachments stand there
  double turning_ = 0, fastest_ = 0;         ///< at the evaluated state
  std::size_t changed_element_ = 0;          ///< by the reactions that were taken last
  std::vector<double> place_, begin_, end_;  ///< per point
  std::vector<std::uint32_t> feature_;       ///< per point
  std::vector<double> further_;              ///< of the velocities, row after row
  std::vector<double> gap_, B_, bias_, holding_, sliding_, before_, rates_, terms_;
  std::vector<Spatial> A_;
  std::vector<std::size_t> all_, evaluated_;  ///< points: all of them, and those that were evaluated last
  std::vector<std::size_t> own_;              ///< room for points of one batch, as it counts them
  std::vector<Marker> ends_of_rows_;          ///< what the rows are about, each place once
  std::vector<double> states_;                ///< room for those of one batch
};

/// Whether any element of the system has rows that hold at times.
bool has_unilateral_rows(const SystemView&);
/// Failure (bad_input) if any element of the system has rows that hold at times: `what` cannot be done with them.
void refuse_unilateral_rows(const SystemView&, std::string_view what);

}  // namespace polyform::host::inline unilateral

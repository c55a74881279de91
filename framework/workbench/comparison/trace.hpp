// The quantities of one run that are compared: poses, joint coordinates, modal coordinates, reactions and
// accelerations, row by row. They are kept in a file, so that long runs of large systems can be compared.
#pragma once

#include <array>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/element_outputs.hpp"
#include "framework/host/simulation/row_sink.hpp"
#include "framework/workbench/comparison/open_reactions.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline comparison {

/// The quantities in which runs are compared. Joint coordinates are rad or m, their accelerations likewise; modal
/// coordinates as their body type defines them. Outputs are those of elements, forces of constraints that are unique,
/// and coordinates of joints that are code in other units. Each is shown in its unit, and does not decide who agrees:
/// they follow from the motion, accelerations and reactions, which do decide, and their numbers may be as small as
/// rounding.
enum class Quantity {
  position,
  angle,
  joint,
  modal,
  force,
  moment,
  acceleration,
  angular_acceleration,
  joint_acceleration,
  output
};
inline constexpr std::array quantities{Quantity::position,
                                       Quantity::angle,
                                       Quantity::joint,
                                       Quantity::modal,
                                       Quantity::force,
                                       Quantity::moment,
                                       Quantity::acceleration,
                                       Quantity::angular_acceleration,
                                       Quantity::joint_acceleration,
                                       Quantity::output};
std::string_view name_of(Quantity);
/// A stiff system may have very different forces and accelerations while the motions are close.
enum class Family { motion, reaction, acceleration, output };
constexpr Family family_of(Quantity q) {
  return q < Quantity::force          ? Family::motion
         : q < Quantity::acceleration ? Family::reaction
         : q < Quantity::output       ? Family::acceleration
                                      : Family::output;
}
constexpr bool is_reaction(Quantity q) { return family_of(q) == Family::reaction; }

/// A few neighbouring numbers of a row that are compared as one.
struct TraceItem {
  enum class Kind {
    vector,      ///< three numbers: length of the difference
    quaternion,  ///< w x y z: angle between the two
    turn,        ///< an angle up to whole turns
    number
  };
  Quantity quantity;
  Kind kind;
  bool length;            ///< in m: the size of the system is the scale of differences
  std::size_t offset;     ///< into the row
  std::string_view name;  ///< of the body or joint; of an output with its element and unit
  double inertia = 0;     ///< for an acceleration of a body: force or moment per acceleration, kg or kg m²
  std::size_t size() const { return kind == Kind::vector ? 3 : kind == Kind::quaternion ? 4 : 1; }
};

/// The numbers that a row has. The names of its items lie in an object that outlives it.
class TraceItems {
 public:
  const std::vector<TraceItem>& items() const { return items_; }
  std::size_t width() const { return width_; }
  /// Whether any item is of this quantity.
  bool has(Quantity) const;
  /// Places of modes and counts, which change only where rows touch, stick or lock.
  const std::vector<std::size_t>& switches() const { return switches_; }

 protected:
  void add(Quantity, TraceItem::Kind, bool length, std::string_view name, double inertia = 0);
  /// Room for a number that is not compared.
  void pass() { ++width_; }
  /// Room for a mode or a count.
  void add_switch() { switches_.push_back(width_++); }

 private:
  std::vector<TraceItem> items_;
  std::vector<std::size_t> switches_;
  std::size_t width_ = 0;
};

class TraceRows;

/// The scale of what acts and could act at the initial state, springs included.
Scale acting_at_start(const System&);

/// The user's bodies and joints. If redundant constraints leave a reaction open in part, the unique rest is compared.
/// The system outlives the layout.
class TraceLayout final : public TraceItems {
 public:
  explicit TraceLayout(const System&);

  /// How far the largest body reaches: its mass centre and joints from its frame origin, its radius of gyration, m.
  double reach() const { return reach_; }
  /// The scale at the start.
  const Scale& acting() const { return acting_; }
  /// Fills a row of width() numbers. outputs: of the elements, or none if the system has none.
  void fill(const Observation&, std::span<const double> outputs, std::span<double> row) const;
  const SystemView& view() const { return view_; }

  /// Finds the directions in which reactions are open, at some rows of a run because they change along the motion. They
  /// are kept in the axes of the body in which they move least. Does nothing if none is open.
  void leave_open(TraceRows& run);
  /// Removes the open part from the reactions of a row.
  void keep_unique(std::span<double> row) const;

 private:
  /// A reaction that is open in part.
  struct OpenPlace {
    OpenReaction reaction;
    std::size_t force;  ///< its place in a row; the moment follows
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  void add_coordinates(const JointData&);
  std::string_view kept(std::string name);
  std::string_view told(const JointData&, const Variable&);
  void add_accelerations(const JointData&);
  void add_switches();
  Mat3 axes(std::span<const double> row, BodyIndex) const;

  const System& system_;
  const SystemView& view_;
  std::vector<std::size_t> bodies_, joints_;  ///< their numbers in the view
  std::vector<std::size_t> orientations_;     ///< per body of the view, the place of its quaternion
  std::vector<OpenPlace> open_;
  std::deque<std::string> names_;             ///< that nothing else keeps
  std::vector<std::size_t> constraint_rows_;  ///< whose forces are compared as outputs
  std::vector<std::size_t> switched_;         ///< first-order states that are modes and counts
  std::size_t state_ = none;                  ///< place of the canonical state, if some reactions are open
  double reach_ = 0;
  Scale acting_;
};

/// Rows of one run in a temporary file.
class TraceRows {
 public:
  /// Failure (simulation_failed) if no temporary file can be made.
  explicit TraceRows(std::size_t width);
  virtual ~TraceRows() = default;

  /// Appends a row of so many numbers.
  void put(double time, std::span<const double> row);

  /// Goes back to the first row, for reading; returns the number of rows.
  std::size_t rewind();
  /// The next row: its time, and the numbers. Call at most as often as there are rows.
  double next(std::span<double> row);
  /// The same with open parts of reactions left in.
  double next_as_stored(std::span<double> row);

 protected:
  /// Changes a row that is read.
  virtual void refine(std::span<double>) const {}
  /// Hands all rows to the operating system.
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };

  std::unique_ptr<std::FILE, Close> file_;
  std::vector<double> buffer_;  ///< time, then the row
};

/// Keeps the rows of a running simulation. A child process may fill it for its parent.
class Trace final : public TraceRows, public RowSink {
 public:
  /// Failure as TraceRows.
  explicit Trace(const TraceLayout& layout) : TraceRows(layout.width()), layout_(layout), row_(layout.width()) {
    if (has_outputs(layout.view())) outputs_ = std::make_unique<ElementOutputs>(layout.view());
  }

  void row(double time, const Observation&) override;
  void finish(const RunRecord&) override { flush(); }

 private:
  void refine(std::span<double> row) const override { layout_.keep_unique(row); }

  const TraceLayout& layout_;
  std::unique_ptr<ElementOutputs> outputs_;
  std::vector<double> row_;
};

}  // namespace polyform::host::comparison

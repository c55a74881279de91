// What is compared of one run: poses, joint coordinates, modal coordinates and reactions row by row, kept outside
// memory, so that long runs of large systems can be compared.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include "framework/assembly/system.hpp"
#include "framework/simulation/row_sink.hpp"

namespace polyform::host {

/// What runs are compared in. Joint coordinates are rad or m; modal coordinates as their body type defines them.
enum class Quantity { position, angle, joint, modal, force, moment };
inline constexpr std::array quantities{Quantity::position, Quantity::angle, Quantity::joint,
                                       Quantity::modal,    Quantity::force, Quantity::moment};
std::string_view name_of(Quantity);
constexpr bool is_reaction(Quantity q) { return q == Quantity::force || q == Quantity::moment; }

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
  bool length;            ///< in m, so that differences are to be seen against the size of the system
  std::size_t offset;     ///< into the row
  std::string_view name;  ///< of the body or joint
  std::size_t size() const { return kind == Kind::vector ? 3 : kind == Kind::quaternion ? 4 : 1; }
};

/// Which numbers a row has. What the names of its items lie in outlives it.
class TraceItems {
 public:
  const std::vector<TraceItem>& items() const { return items_; }
  std::size_t width() const { return width_; }
  /// Whether any item is of this quantity.
  bool has(Quantity) const;

 protected:
  void add(Quantity, TraceItem::Kind, bool length, std::string_view name);
  /// Room for a number that is not compared.
  void pass() { ++width_; }

 private:
  std::vector<TraceItem> items_;
  std::size_t width_ = 0;
};

/// The user's bodies and joints; reactions of those joints where redundant constraints leave none open. The system
/// outlives it.
class TraceLayout final : public TraceItems {
 public:
  explicit TraceLayout(const System&);

  /// How far the largest body reaches: its mass centre and joints from its frame origin, its radius of gyration, m.
  double reach() const { return reach_; }
  /// Fills a row of width() numbers.
  void fill(const Observation&, std::span<double> row) const;

 private:
  void add_joint(const JointData&);

  std::vector<std::size_t> bodies_, joints_, reactions_;  ///< in the view
  const SystemView& view_;
  double reach_ = 0;
};

/// Rows of one run in a temporary file.
class TraceRows {
 public:
  /// Failure (simulation_failed) when no temporary file can be made.
  explicit TraceRows(std::size_t width);

  /// Appends a row of so many numbers.
  void put(double time, std::span<const double> row);

  /// Back to the first row, for reading; returns the number of rows.
  std::size_t rewind();
  /// The next row: its time, and the numbers. Call at most as often as there are rows.
  double next(std::span<double> row);

 protected:
  /// Hands all rows to the system.
  void flush();

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };

  std::unique_ptr<std::FILE, Close> file_;
  std::vector<double> buffer_;  ///< time, then the row
};

/// The rows of a run as it goes, which a process made by fork may fill for the one it comes from.
class Trace final : public TraceRows, public RowSink {
 public:
  /// Failure as TraceRows.
  explicit Trace(const TraceLayout& layout) : TraceRows(layout.width()), layout_(layout), row_(layout.width()) {}

  void row(double time, const Observation&) override;
  void finish(const RunRecord&) override { flush(); }

 private:
  const TraceLayout& layout_;
  std::vector<double> row_;
};

}  // namespace polyform::host

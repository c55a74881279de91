// Brings the coordinates of another engine back onto its loops and onto the rows of elements.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "engine.hpp"
#include "engine_rows.hpp"
#include "polyform/helpers/failure.hpp"

namespace polyform::witnesses {

/// y = [q v x] of the system view. Nothing allocates after construction.
class EngineClosing {
 public:
  /// The arguments outlive the object. loaded: all bodies on which anything acts.
  EngineClosing(const SystemView&, Engine&, TreeKinematics&, EngineRows&, std::span<const BodyIndex> loaded);

  /// Evaluates the motions of the tree and the rows at a state.
  void place(double t, std::span<const double> y) noexcept;
  /// Changes y. False after failure().
  bool correct(double t, std::span<double> y, Correction&) noexcept;
  std::string_view failure() const noexcept { return failure_.text(); }

 private:
  bool close_loops(std::span<double> y, Correction&) noexcept;
  bool return_to_rows(double t, std::span<double> y, Correction&) noexcept;
  bool close_rows(double t, std::span<double> y, Correction&) noexcept;
  bool step(EngineRows::Level, std::span<double> y) noexcept;

  const SystemView& view_;
  Engine& engine_;
  TreeKinematics& tree_;
  EngineRows& rows_;
  std::span<const BodyIndex> loaded_;
  std::vector<double> step_;  ///< per velocity coordinate
  Failure failure_;
};

}  // namespace polyform::witnesses

// Initial velocities that respect loops, constraint elements and modules, with given rates kept where those allow it.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/drawn_rates.hpp"
#include "framework/host/assembly/inertia_metric.hpp"
#include "framework/host/assembly/keeping.hpp"

namespace polyform::host::inline assembly {

class StartRates {
 public:
  StartRates(Start& start, BodyVelocities& bodies) : start_(start), bodies_(bodies) {}
  /// Finds velocities at the positions found. Velocities of bodies belong to the drawn pose: if bodies have left it,
  /// the joint rates of the drawn pose hold at the new one. False, with an error told, if no rates meet all rows.
  bool find(const std::vector<double>& drawn);

 private:
  /// Which rows count, and whether given rates are kept.
  struct Projection {
    ConstraintJacobian::Of rows;
    bool keep;
  };
  /// What a step moves.
  struct Search {
    std::vector<double> w;  ///< rates of the tree joints, then of modes
    std::span<const Spatial> excess;
    bool keeps_bodies;          ///< tries to keep, later keeps the given velocities of bodies
    bool counts_given = false;  ///< the metric counts what is given of bodies
  };
  /// Whether anything but the joints of the tree asks something of the rates.
  bool has_rows() const;
  bool project(const Projection&);
  bool step(ConstraintJacobian&, Keeping&, InertiaMetric&, Search&);
  bool close_rates();
  std::vector<Keeping::BodyVelocity> given_bodies() const;
  std::vector<InertiaMetric::Given> given_parts() const;
  std::vector<char> decided_columns(std::vector<char> kept) const;

  Start& start_;
  BodyVelocities& bodies_;
  double met_part_ = met;  ///< the part of a row up to which its rates meet it
  int newton_steps_ = 0;   ///< of the last projection: more than one where rows are nonlinear in velocities
};

}  // namespace polyform::host::inline assembly

// Watches the loops of a run for singular positions: where the rows of a loop become dependent, it can go on in more
// ways than one, and rounding may choose.
#pragma once

#include <string>
#include <vector>

#include "framework/host/integration/integration.hpp"
#include "framework/host/watches/energy_watch.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform::host::inline watches {

/// Each loop is looked at by itself, with the joints on its way. Its measure is λ, the least eigenvalue that does not
/// vanish everywhere of the rows' Gram matrix, relative to the largest: near a singular position x rad away it goes
/// with x². Looks are far apart where λ is large, and at each step where it will soon vanish. A loop at rest may begin
/// to move at any time: the first looks follow the beginning, and each later one by as much as has passed since then.
/// Its members are the arrays of one look, and what was seen so far.
class SingularWatch {
 public:
  /// tolerance: relative, of the integrator's steps; 0 where it controls no errors.
  SingularWatch(const SystemView&, Solver&, double tolerance);

  /// When it is empty, no other function needs to be called.
  bool empty() const { return loops_.empty(); }
  /// After each step of the integrator. states: the solver's, of which an integrator may carry more.
  void look(Integration&);
  /// Before a step at whose beginning the forces or the velocities jump: the next look does not wait.
  void begin_anew();
  /// Whether the last step came as near to a singular position of a loop as it is long, or passed it.
  bool beside() const { return beside_; }
  /// Whether warnings() tells that energy was lost or won at singular positions.
  bool tells_energy(double moved) const;
  /// A sentence for each loop that left a singular position on another branch than it came on, or that missed a
  /// singular position narrowly; and one sentence if energy was lost or won there. moved: the energy that takes part in
  /// the motion, J.
  std::vector<std::string> warnings(double moved) const;

 private:
  struct Passage {
    double time = 0;    ///< s
    double angle = 0;   ///< from the singular position, rad
    double turned = 0;  ///< by which the rates of the joints changed their direction, rad
  };
  /// A loop with what was measured of it at three times: at the last look, at the one before, and at the nearest one to
  /// a singular position. One look after the other needs all of it.
  struct Loop {
    std::size_t cut = 0;            ///< joint
    std::vector<std::size_t> path;  ///< tree joints, each once
    double length = 0;              ///< of the loop, m: makes turning and moving comparable
    std::size_t rank = 0;           ///< of its rows, the largest seen
    // At the last look:
    double measure = 0, shortly_before = 0;  ///< λ
    double slope = 0;                        ///< of λ, 1/s
    double speed = 0;                        ///< largest rate of its joints, rad/s
    double acceleration = 0;                 ///< largest of its joints, rad/s²
    /// How far it is open along the row that becomes dependent, as a part of its length or in rad: next to a singular
    /// position no small motion of its joints closes that.
    double opening = 0;
    std::vector<double> rates, rates_shortly_before;  ///< of its joints, as angles
    // On the way to a singular position: the last look at which λ fell, and was more than rounding.
    bool approaches = false, passes = false, near = false;
    double measure_before = 0, time_before = 0, balance_before = 0, speed_before = 0;
    std::vector<double> rates_before;
    double least = 0, time_of_least = 0;  ///< λ of all looks since, and of the step that passes
    double opening_of_least = 0;          ///< there
    // turning: it went on along another branch. miss: it went straight on where its lengths allow no passage.
    std::size_t turnings = 0, misses = 0;
    Passage turning, miss;  ///< the first
  };

  bool place(Integration&, double t);
  double measure(Loop&);
  void find_rates(Loop&) const;
  void follow(Loop&, double now);
  void find_least(Integration&, Loop&);
  void pass(Loop&, double now, double step);

  const CentredView centred_;
  const SystemView& view_;
  Solver& solver_;
  const bool controls_errors_;  ///< the integrator, of its steps
  EnergyWatch energy_;
  TreeKinematics tree_;
  std::vector<Loop> loops_;
  std::vector<double> y_, q_, v_, eta_, etadot_, x_;
  double next_ = -1;        ///< time of the next look, s
  double seen_until_ = -1;  ///< time of the last look, s
  double began_ = 0;        ///< the motion, or its part since a jump, s
  bool begins_ = true, beside_ = false;
  std::size_t steps_ = 0, looks_ = 0;
  // Over all loops: how often a singular position was passed nearby; when first, and in the loop of which joint.
  std::size_t passages_ = 0, first_cut_ = 0;
  double first_passage_ = 0;
};

}  // namespace polyform::host::inline watches

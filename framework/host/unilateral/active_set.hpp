// Which points of a contact problem are open, stick or slip. Nothing here knows mechanics.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "framework/host/unilateral/cone_problem.hpp"
#include "framework/host/unilateral/force_shares.hpp"
#include "polyform/contract/unilateral.hpp"

namespace polyform::host::inline unilateral {

/// Finds modes whose forces and rates contradict nothing: closed points push and do not part, friction at rest stays
/// within its bound, and what slides is not held. It changes one mode at a time, the one that is contradicted most.
/// When modes come again, it is the first one that is contradicted (the rule of the least index, by which such searches
/// end); and after so many changes as there may be, there are no modes that fit.
class ActiveSet {
 public:
  struct Point {
    double sliding = 0;  ///< friction while it slides: a share of the normal force, or, without one, the force
    bool locks = false;  ///< whether a point without tangents sticks where it is closed, for its mode
    UnilateralMode mode = UnilateralMode::open;
    double direction[2] = {0, 0};  ///< of sliding
    bool guided = false;           ///< has broken away: it is accelerated along its direction, or was
    double alone = 0;              ///< acceleration that its friction would give the bodies if nothing else held them
  };
  /// What has happened at a point, by which the set is asked for.
  enum class Event { none, closes, pulls, grips, rests };

  /// points: those of the problem; the problem's friction is that at rest, or of what slides. pressed: the largest
  /// acceleration that a normal force of a point has made since it closed. Where forces and accelerations vanish
  /// together, as of a box that is lifted off with all of its corners, what is left of them is rounding of that.
  ActiveSet(ConeProblem problem, std::vector<Point> points, double pressed = 0)
      : problem_(std::move(problem)), points_(std::move(points)), pressed_(pressed) {}
  /// The event: at which point. One that closes is closed to begin with, one that pulls is open, one that lost its grip
  /// slips.
  void fire(std::size_t point, Event);
  /// False if no modes fit; then those of the last try remain.
  bool find();
  const std::vector<Point>& points() const { return points_; }

 private:
  /// A mode that something contradicts.
  struct Contradiction {
    std::size_t point;
    UnilateralMode next;
  };
  bool is_fired(std::size_t p, Event e) const { return event_ == e && fired_ == p; }
  bool is_closed(std::size_t p) const { return points_[p].mode != UnilateralMode::open; }
  /// Whether a force along a row moves it.
  bool moves(Eigen::Index row) const { return problem_.W(row, row) > 0; }
  /// The mode of a closed point that is not pushed along the surface.
  UnilateralMode closed_mode(std::size_t p) const;
  double friction_of(std::size_t p) const;
  /// What accelerations along normals are parts of.
  double normal_motion() const;
  void slip(std::size_t p);
  bool break_away();
  Eigen::VectorXd eased_rates(const std::vector<char>& which) const;
  bool guide_by_forces();
  void guide_by_rates();
  bool turn_to_rates(std::span<const std::size_t> which);
  bool is_guided_rightly();
  std::vector<char> sharing_with(std::size_t point) const;
  void slide_on();
  bool go_on();
  bool rest_all();
  void begin_with_cones();
  void take_modes();
  bool settle();
  bool solve_modes();
  void push(Eigen::Index row, double force, Eigen::VectorXd& forces) const;
  std::optional<Contradiction> contradiction(bool first) const;
  std::vector<UnilateralMode> modes() const;

  ConeProblem problem_;
  std::vector<Point> points_;
  double pressed_ = 0;
  std::size_t fired_ = 0;
  Event event_ = Event::none;
  Eigen::VectorXd forces_, rates_;
  ForceShares shares_;
  std::vector<Eigen::Index> rows_;  ///< of the unknowns of the last modes
  std::vector<ForceShares::Limits> limits_;
};

}  // namespace polyform::host::inline unilateral

// What a run tells of its impacts and of what stuck.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "framework/host/unilateral/contact_sizes.hpp"
#include "framework/host/unilateral/contact_told.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

class UnilateralTally {
 public:
  explicit UnilateralTally(const UnilateralSet& set) : set_(set), elements_(set.elements()), widest_(set.points()) {}

  void impact(std::size_t point, double t, double loss);
  /// An impact whose bounce was too low to follow.
  void close(std::size_t point, double t);
  /// The element was so in the whole step from `begin` to `end`, s.
  void see_step(std::size_t element, bool is_closed, bool is_stuck, double begin, double end);
  /// Friction left accelerations without solution, and an impulse took its place.
  void jam(std::size_t point, double t);
  /// Impacts that passed on from one to the next without end, and were ended.
  void pass_on(std::size_t point, double t);
  /// At each row, after the set was evaluated there: surfaces that overlap though nothing holds them have lost an
  /// impact. sizes: of the points.
  void see_row(double t, std::span<const UnilateralMode> modes, std::span<const ContactSizes> sizes);
  /// Friction by the load of a joint has more than one solution.
  void load_otherwise(std::size_t point, double t);
  /// Restitution gave energy.
  void gain(std::size_t point, double t, double energy);
  /// More points held than it takes, some of the element among them. is_open: even their resultant is not unique.
  void share(std::size_t element, bool is_open);

  /// How many numbers keep() appends: all that was counted, for begin_from() of the same model.
  std::size_t numbers() const;
  void keep(std::vector<double>& out) const;
  void begin_from(std::span<const double> kept);

  /// A sentence for each element that had something to tell.
  std::vector<std::string> notes() const;
  /// The same in numbers, for each element that ever closed.
  std::vector<ContactTold> told() const;
  /// The elements whose forces were not unique at times.
  std::vector<std::string> open() const;
  /// A sentence for each that raises a doubt.
  std::vector<std::string> warnings() const;

 private:
  struct Count {
    std::size_t times = 0;
    double first = 0, last = 0, sum = 0;

    void add(double t, double amount) {
      if (times++ == 0) first = t;
      last = t;
      sum += amount;
    }
  };
  struct Element {
    Count impacts, closed_bounces, jams, ended, gained, otherwise;
    Count overlaps;                      ///< its sum is the deepest one
    Count sticks;                        ///< when each spell of sticking began, and its time in all, s
    double stuck_until = 0, closed = 0;  ///< s
    bool is_stuck = false, is_shared = false, is_open = false;
  };
  static constexpr std::array counts{&Element::impacts, &Element::closed_bounces, &Element::jams,
                                     &Element::ended,   &Element::gained,         &Element::overlaps,
                                     &Element::sticks,  &Element::otherwise};
  Element& element_of(std::size_t point) { return elements_[set_.element_of(point)]; }

  const UnilateralSet& set_;
  std::vector<Element> elements_;
  std::vector<double> widest_;  ///< per point, the widest gap of all rows, m or rad
};

}  // namespace polyform::host::inline unilateral

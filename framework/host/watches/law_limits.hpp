// Warns of elements that a motion takes beyond the range in which their law holds.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/host/watches/element_events.hpp"

namespace polyform::host::inline watches {

/// Looks at the ends of accepted steps alone, because a step that is made again may have gone through anything.
class LawLimits {
 public:
  /// Both outlive the object. Without elements that tell such a range it costs nothing.
  LawLimits(const SystemView&, const ElementEvents&);

  /// Takes what elements tell of the state at which their events were evaluated last.
  void look();
  /// What was taken belongs to the motion, at the time t.
  void accept(double t);
  /// A sentence for each element that was, among those of its type, the farthest beyond at some step; with its bodies
  /// and the time of its largest value. Elements that were never the farthest are not told.
  std::vector<std::string> warnings() const;

 private:
  struct Worst {
    LawExcess excess;
    double time = 0;
  };
  std::string body_of(const ElementEvents::LawSource&, std::size_t marker) const;

  const SystemView& view_;
  std::vector<ElementEvents::LawSource> sources_;
  std::vector<LawExcess> taken_;                                 ///< per source
  std::map<std::pair<std::size_t, std::size_t>, Worst> beyond_;  ///< by source and instance
};

}  // namespace polyform::host::watches

// Whether an inertia can be that of a body.
#pragma once

#include <span>

#include "framework/host/reading/report.hpp"

namespace polyform::host::inline reading {

/// An inertia of the file that no distribution of mass has, if only by rounding, and the bodies that have it: several
/// where it is that of a chain.
struct DoubtfulInertia {
  Place place;
  std::string path;
  std::size_t first_body = 0, bodies = 1;
};

/// How far the inertia (of any unit) is from one that a distribution of mass can have: the largest of its negative
/// second moments of mass, as a positive number; 0 if it can.
double shortfall(const Sym3&) noexcept;

/// The nearest inertia that a distribution of mass can have: its negative second moments are made 0.
Sym3 mended(const Sym3&) noexcept;

/// Mends the inertias that only rounding keeps from being those of a body, and says nothing. For each of the others it
/// reports an error, or a warning if the model is lenient, and leaves it as it is.
void judge_inertias(Description&, std::span<const DoubtfulInertia>, Report&);

}  // namespace polyform::host::reading

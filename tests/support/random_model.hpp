// Random models as model text, for comparing formulations: trees and loops with every kind of joint, at random states.
#pragma once

#include <cstdint>
#include <string>

namespace polyform::test {

struct RandomModelSettings {
  std::uint64_t seed = 1;
  int bodies = 8;
  int loops = 0;                     ///< spherical joints between random bodies that close loops
  bool forces = true;                ///< springs, joint efforts and point forces
  bool loops_are_redundant = false;  ///< close loops by fixed joints and parallel hinges too
};

/// A model file's text. Bodies hang on earlier bodies or on ground by joints of random type, written in either
/// direction; velocities are given as joint rates.
std::string random_model(const RandomModelSettings&);

}  // namespace polyform::test

// Frames that a file holds elsewhere than it draws them.
#pragma once

#include <string>

#include "mechanism.hpp"

namespace polyform::importers {

/// Joints close loops where they are drawn. A loop that is to close elsewhere closes at a body without mass, which is
/// drawn there and which prescribed coordinates put to its place.
class MovedFrames {
 public:
  /// What is added gets its names from these; all outlive this.
  MovedFrames(Mechanism& m, NameGiver& bodies, NameGiver& joints, NameGiver& elements)
      : m_(m), bodies_(bodies), joints_(joints), elements_(elements) {}

  /// The body that a loop closes at: `drawn` moves to `held` in it, both in ground as `carrier` is drawn. It is the
  /// carrier itself where both are the same but for the digits of a file.
  std::string put(const std::string& name, const std::string& carrier, const Frame& drawn, const Frame& held,
                  Place place);
  static bool are_same(const Frame& drawn, const Frame& held);

 private:
  std::string add(const std::string& name, const std::string& type, const std::string& carrier, const Frame& drawn,
                  const Vec3& axis, double by, Place place);

  Mechanism& m_;
  NameGiver &bodies_, &joints_, &elements_;
};

}  // namespace polyform::importers

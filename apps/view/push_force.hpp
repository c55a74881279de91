// A force that a person puts on a body while a run goes on.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "polyform/contract/force.hpp"

namespace polyform::apps {

/// What a person asks for. A body of the model's order; `none`: nothing pushes.
struct Push {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t body = none;
  Vec3 point{};  ///< of the body as it is without load, in its axes from its origin, m
  Vec3 force{};  ///< ground axes, N
};

/// A push as shares of markers. A share of 0 is none.
struct SharedPush {
  struct Share {
    std::size_t marker = 0;
    double part = 0;  ///< of the force
    Vec3 arm{};       ///< from the marker to where the force acts, in the axes of the marker, m
  };
  std::array<Share, 2> shares{};
  Vec3 force{};  ///< the whole, ground axes, N
};

/// The markers through which all bodies can be pushed: the frame of each body, and on a flexible one the points between
/// which pictures draw lines. A push between two of them is shared by both as the lever has it.
class PushPlaces {
 public:
  /// The frames of so many bodies, in the model's order.
  explicit PushPlaces(std::size_t bodies);
  /// Points of a flexible body, in its axes from its origin (m), and the pairs of them that lines join.
  void add_lines(std::size_t body, const std::vector<Vec3>& points,
                 const std::vector<std::pair<std::size_t, std::size_t>>& edges);
  std::size_t size() const { return bodies_.size(); }
  const std::vector<std::size_t>& bodies() const { return bodies_; }  ///< of each marker
  const std::vector<Vec3>& points() const { return points_; }         ///< of each marker, in axes of its body
  SharedPush shared(const Push&) const;

 private:
  struct Lines {
    std::size_t body;
    std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< markers
  };
  std::size_t frames_;
  std::vector<std::size_t> bodies_;
  std::vector<Vec3> points_;
  std::vector<Lines> lines_;
};

/// A force type of one instance, attached to the markers of PushPlaces (field `bodies`). The push changes between the
/// steps of a run only.
class PushForce final : public ForceType {
 public:
  explicit PushForce(const SharedPush& push) : push_(push) {}

  const TypeDescriptor& descriptor() const noexcept override;
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;

 private:
  const SharedPush& push_;
};

}  // namespace polyform::apps

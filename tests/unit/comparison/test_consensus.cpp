#include <catch2/catch.hpp>

#include <array>

#include "framework/comparison/consensus.hpp"

using namespace polyform;
using namespace polyform::host;

namespace {

const Vec3 z{0, 0, 1};

Pose pose(double x, double angle) { return {axis_angle(z, angle), {x, 0, 0}}; }

/// A record of one body whose pose at time k is given.
void fill(PoseRecord& record, const std::vector<Pose>& poses) {
  for (std::size_t k = 0; k < poses.size(); ++k) {
    std::array<Observation::Body, 1> body{};
    body[0].pose = poses[k];
    Observation now;
    now.bodies = body;
    record.row(static_cast<double>(k), now);
  }
}

}  // namespace

TEST_CASE("the consensus of two poses is their mean") {
  const std::array poses{pose(1, 0.2), pose(3, 0.4)};
  const Pose agreed = consensus(poses);
  CHECK(agreed.position.x == Approx(2));
  CHECK(norm(rotation_vector(agreed.orientation)) == Approx(0.3));
}

TEST_CASE("one outlier of three does not move the consensus") {
  const std::array poses{pose(1, 0.2), pose(1, 0.2), pose(100, 2)};
  const Pose agreed = consensus(poses);
  CHECK(agreed.position.x == 1);
  CHECK(norm(rotation_vector(conjugate(agreed.orientation) * pose(0, 0.2).orientation)) < 0.5);
}

TEST_CASE("the sign of a quaternion does not matter") {
  Pose flipped = pose(1, 0.2);
  auto& q = flipped.orientation;
  q = {-q.w, -q.x, -q.y, -q.z};
  const std::array poses{pose(1, 0.2), flipped};
  CHECK(norm(rotation_vector(consensus(poses).orientation)) == Approx(0.2));
}

TEST_CASE("deviations are the largest over the rows, with their times") {
  PoseRecord a(1), b(1);
  fill(a, {pose(0, 0), pose(0, 0), pose(0, 0)});
  fill(b, {pose(0, 0), pose(2, 0.1), pose(1, 0.4)});
  const std::array records{&a, &b};
  const std::vector<Deviation> result = deviations(records, 1);
  for (const Deviation& d : result) {
    CHECK(d.position == Approx(1));
    CHECK(d.position_time == 1);
    CHECK(d.angle == Approx(0.2));
    CHECK(d.angle_time == 2);
  }
}

TEST_CASE("runs of different length are compared over the rows that both have") {
  PoseRecord a(1), b(1);
  fill(a, {pose(0, 0), pose(5, 0)});
  fill(b, {pose(0, 0)});
  const std::array records{&a, &b};
  CHECK(deviations(records, 1)[0].position == 0);
}

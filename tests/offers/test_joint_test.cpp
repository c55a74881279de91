// Tests of one joint by itself, as authors write them: a joint of primitives, one with a kernel, one that depends on
// time.
#include "plugins/elements/joints/joint_types.hpp"
#include "polyform/helpers/joint_test.hpp"
#include "sdk/examples/varilead-rheonomic-joint/varilead_rheonomic_joint.hpp"
#include "tests/offers/offers.hpp"

using namespace polyform;

namespace {

void require_sound(testing::JointTest& joint) {
  CHECK(joint.twist_error() < 1e-10);
  CHECK(joint.bias_error() < 1e-10);
  CHECK(joint.round_trip_error() < 1e-13);
}

TimeFunction polynomial(std::span<const double> coefficients) {
  TimeFunction f;
  f.kind = TimeFunction::Kind::polynomial;
  f.data = coefficients;
  return f;
}

/// A screw with a mistake that a test may look for.
class WrongScrew final : public JointType, public JointKernel {
 public:
  enum class Wrong { nothing, subspace, bias, turns };
  explicit WrongScrew(Wrong wrong) : wrong_(wrong) {}
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr Variable position[] = {{.name = "angle", .unit = "rad", .kind = Variable::Kind::angle}};
    static constexpr Variable velocity[] = {{.name = "angular velocity", .unit = "rad/s"}};
    static constexpr TypeDescriptor descriptor{.name = "wrong-screw", .positions = position, .velocities = velocity};
    return descriptor;
  }
  bool define(const JointInstance&, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position({});
    return true;
  }
  const JointKernel* kernel() const noexcept override { return this; }
  /// p = [0, 0, 0.1 q²]
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const double q = batch.q[i], v = batch.v[i];
      out[i].R_FM = axis_rotation(Vec3{0, 0, 1}, std::cos(q), std::sin(q));
      out[i].p_FM = {0, 0, 0.1 * q * q};
      out[i].H[0] = {{0, 0, 1}, {0, 0, (wrong_ == Wrong::subspace ? 0.1 : 0.2) * q}};
      out[i].twist = v * out[i].H[0];
      out[i].bias = {{}, {0, 0, wrong_ == Wrong::bias ? 0 : 0.2 * v * v}};
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    std::ranges::copy(batch.v, qdot.begin());
  }
  void coordinates(std::span<const double>, const Mat3& R, const Vec3&, std::span<double> q) const noexcept override {
    const double angle = std::atan2(R(1, 0), R(0, 0)), turn = 2 * M_PI;
    q[0] = wrong_ == Wrong::turns ? angle : angle + turn * std::round((q[0] - angle) / turn);
  }
  Quat orientation(std::span<const double>, std::span<const double> q) const noexcept override {
    return axis_angle(Vec3{0, 0, 1}, q[0]);
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = 0; }

 private:
  Wrong wrong_;
};

}  // namespace

TEST_CASE("joints of primitives by themselves: a universal joint askew, a free one") {
  testing::JointTest cross(joints::universal());
  cross.set("position", Vec3{1, 2, 3}).set("axis", Vec3{1, 0, 0}).set("axis2", Vec3{0.3, 1, 0});
  Pose askew;
  askew.orientation = {0.5, 0.5, 0.5, 0.5};
  cross.place(askew, {});
  cross.create();
  CHECK(cross.position().y == 2);
  cross.q = {0.4, -1.1};
  cross.v = {2, 3};
  require_sound(cross);
  testing::JointTest free(joints::free());
  free.create();
  free.q = {0.1, 0.2, 0.3, 0.5, -0.5, 0.5, 0.5};
  free.v = {1, 2, 3, -1, 0.5, 2};
  require_sound(free);
  CHECK(free.position_rates()[0] == 1);
  CHECK_THROWS_WITH(free.kernel(), Catch::Contains("no kernel"));
}

TEST_CASE("a hinge that functions of time move, by itself") {
  const double turn[] = {0.2, 3, 0.4}, shift[] = {0, 0.1, -0.2};
  testing::JointTest hinge(joints::moving_hinge());
  hinge.set("position", Vec3{}).set("axis", Vec3{0, 1, 0}).set("drive_axis", Vec3{0, 0, 1});
  hinge.set("turn", std::vector{polynomial(turn)}).set("shift", std::vector{polynomial(shift)});
  hinge.create();
  hinge.time = 0.6;
  hinge.q[2] = 0.5;
  hinge.v[2] = -1.5;
  require_sound(hinge);
  const JointMotion m = hinge.motion();
  CHECK(m.p_FM.z == Approx(0.1 * 0.6 - 0.2 * 0.36));
  CHECK(m.twist.linear.z == Approx(0.1 - 0.4 * 0.6));
  CHECK(m.bias.linear.z == Approx(-0.4));
  CHECK(hinge.q[1] == Approx(0.2 + 1.8 + 0.4 * 0.36));
}

TEST_CASE("a kernel with a clock by itself: a screw whose lead grows") {
  testing::JointTest screw(example::varilead_rheonomic_joint());
  screw.set("position", Vec3{}).set("axis", Vec3{0, 0, 2}).set("lead", std::vector<double>{0.02, 0.03, -0.01});
  screw.create();
  CHECK(screw.parameters().size() == 6);
  screw.time = 1.2;
  screw.q[0] = 15;
  screw.v[0] = 2;
  require_sound(screw);
  CHECK(screw.motion().p_FM.z == Approx(15 * (0.02 + 0.036 - 0.0144)));
  CHECK(screw.position_rates() == std::vector<double>{2, 1});
  CHECK(screw.coordinates(screw.motion().R_FM, screw.motion().p_FM)[0] == Approx(15).epsilon(1e-14));
}

TEST_CASE("a wrong subspace, bias and count of turns show") {
  using Wrong = WrongScrew::Wrong;
  for (const Wrong wrong : {Wrong::nothing, Wrong::subspace, Wrong::bias, Wrong::turns}) {
    const WrongScrew type(wrong);
    testing::JointTest screw(type);
    screw.create();
    screw.q = {9};
    screw.v = {1};
    CHECK((screw.twist_error() > 1e-3) == (wrong == Wrong::subspace));
    CHECK((screw.bias_error() > 1e-3) == (wrong == Wrong::bias || wrong == Wrong::subspace));
    CHECK((screw.round_trip_error() > 1e-3) == (wrong == Wrong::turns));
  }
  testing::JointTest hinge(joints::moving_hinge());
  CHECK_THROWS_WITH(hinge.set("axs", Vec3{}), Catch::Contains("'axs' is none of this type"));
}

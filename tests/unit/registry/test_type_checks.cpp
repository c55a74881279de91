// Names that a type gives to its numbers: those of results are told apart by them.
#include <array>
#include <catch2/catch.hpp>
#include <span>

#include "framework/host/registry/type_checks.hpp"

namespace {

using namespace polyform;
using Catch::Matchers::Contains;

class Declared final : public ModuleType {
 public:
  Declared(std::span<const Variable> variables, std::span<const Variable> states, std::span<const Variable> rows,
           std::span<const Variable> outputs)
      : descriptor_{.name = "named",
                    .meaning = "a module for tests",
                    .variables = variables,
                    .states = states,
                    .rows = rows,
                    .outputs = outputs} {}
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ModuleBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }

 private:
  TypeDescriptor descriptor_;
};

/// A kernel that nothing calls.
class NoKernel final : public JointKernel {
 public:
  void evaluate(const JointBatch&, Strided<JointMotion>) const noexcept override {}
  void position_rates(const JointBatch&, std::span<double>) const noexcept override {}
  void coordinates(std::span<const double>, const Mat3&, const Vec3&, std::span<double>) const noexcept override {}
  Quat orientation(std::span<const double>, std::span<const double>) const noexcept override { return {}; }
  void neutral(std::span<double>) const noexcept override {}
};

const std::array<Variable, 1> rate{{{"rate", "rad/s"}}};

class DeclaredJoint final : public JointType {
 public:
  explicit DeclaredJoint(std::span<const Variable> positions)
      : descriptor_{.name = "told", .meaning = "a joint for tests", .positions = positions, .velocities = rate} {}
  const JointKernel* kernel() const noexcept override { return &kernel_; }
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(const JointInstance&, JointDefinition&, FieldSink&) const noexcept override { return true; }

 private:
  NoKernel kernel_;
  TypeDescriptor descriptor_;
};

const std::array<Variable, 1> speed{{{"speed", "m/s"}}}, place{{{"place", "m"}}}, pull{{{"pull", "N"}}},
    strain{{{"strain", ""}}}, dotted{{{"a.b", "m"}}};
const std::array<Variable, 2> twice{{{"speed", "m/s"}, {"speed", "m/s"}}};

}  // namespace

TEST_CASE("variables, states, rows and outputs of a module have names, each of its own") {
  CHECK(host::mistake_of(Declared(speed, place, pull, strain)).empty());
  CHECK_THAT(host::mistake_of(Declared(speed, speed, pull, strain)),
             Contains("gives two of its numbers the name 'speed': its state cannot be told from the other"));
  CHECK_THAT(host::mistake_of(Declared(speed, place, speed, strain)), Contains("its row cannot be told"));
  CHECK_THAT(host::mistake_of(Declared(speed, place, pull, pull)), Contains("its output cannot be told"));
  CHECK_THAT(host::mistake_of(Declared(twice, place, pull, strain)), Contains("declares the variable 'speed' twice"));
  CHECK_THAT(host::mistake_of(Declared(speed, dotted, pull, strain)), Contains("has a point, comma, quote or bracket"));
}

TEST_CASE("coordinates that are lengths or angles are in m and rad") {
  using Kind = Variable::Kind;
  const std::array<Variable, 2> slip{
      {{.name = "turn", .unit = "rad", .kind = Kind::angle}, {.name = "slip", .unit = "mm", .kind = Kind::length}}};
  const std::array<Variable, 1> turn{{{.name = "turn", .unit = "deg", .kind = Kind::angle}}};
  CHECK_THAT(host::mistake_of(DeclaredJoint(slip)), Contains("'slip' is a length in 'mm': lengths are in m"));
  CHECK_THAT(host::mistake_of(DeclaredJoint(turn)), Contains("'turn' is an angle in 'deg': angles are in rad"));
  const std::array<Variable, 1> like_a_column{{{.name = "q", .unit = "rad", .kind = Kind::angle}}},
      list{{{.name = "a,b", .unit = "m"}}};
  CHECK_THAT(host::mistake_of(DeclaredJoint(like_a_column)),
             Contains("has the name 'q', which columns of results have"));
  CHECK_THAT(host::mistake_of(DeclaredJoint(list)), Contains("'a,b' has a point, comma"));
}

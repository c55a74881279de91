// Coordinates of joints that are code: how they are compared follows from their units.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "framework/host/reading/reader.hpp"
#include "framework/workbench/comparison/consensus.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::test;

namespace {

/// Another joint type with the unit of its first coordinate in other words.
class Told final : public JointType {
 public:
  Told(const JointType& of, std::string_view unit, std::string_view rate) : of_(of), descriptor_(of.descriptor()) {
    for (const Variable& one : of.descriptor().positions) positions_.push_back(one);
    for (const Variable& one : of.descriptor().velocities) velocities_.push_back(one);
    positions_[0].unit = unit;
    positions_[0].kind = Variable::Kind::number;
    velocities_[0].unit = rate;
    descriptor_.positions = positions_;
    descriptor_.velocities = velocities_;
  }
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(const JointInstance& joint, JointDefinition& out, FieldSink& sink) const noexcept override {
    return of_.define(joint, out, sink);
  }
  const JointKernel* kernel() const noexcept override { return of_.kernel(); }

 private:
  const JointType& of_;
  std::vector<Variable> positions_, velocities_;
  TypeDescriptor descriptor_;
};

std::vector<TraceItem> items_of(const TraceLayout& layout, Quantity quantity) {
  std::vector<TraceItem> all;
  for (const TraceItem& item : layout.items())
    if (item.quantity == quantity) all.push_back(item);
  return all;
}

}  // namespace

TEST_CASE("a length that a joint type tells is compared with the size of the system, four parts as one orientation") {
  const auto bead = system_from_file(std::string(POLYFORM_MODELS) + "/bead_on_a_wire.yaml");
  const TraceLayout layout(*bead);
  const auto items = items_of(layout, Quantity::joint), rates = items_of(layout, Quantity::joint_acceleration);
  REQUIRE(items.size() == 2);
  CHECK(items[0].name == "wire.way");
  CHECK(items[0].length);
  CHECK(items[0].kind == TraceItem::Kind::number);
  CHECK(items[1].kind == TraceItem::Kind::quaternion);
  REQUIRE(rates.size() == 4);
  CHECK(rates[0].length);
  CHECK_FALSE(rates[1].length);
  CHECK(items_of(layout, Quantity::output).empty());
}

TEST_CASE("coordinates in other units are shown in these, and do not decide who agrees") {
  Catalog catalog = test::registry().catalog();
  const Told told(*find(catalog.joints, "point-on-curve"), "span", "span/s");
  catalog.joints["point-on-curve"] = &told;
  Diagnostics diagnostics;
  bool missing = false;
  const auto bead =
      System::assemble(read_model(std::string(POLYFORM_MODELS) + "/bead_on_a_wire.yaml", catalog, diagnostics, missing),
                       test::registry().keep_alive(), diagnostics);
  REQUIRE(bead != nullptr);
  const TraceLayout layout(*bead);
  const auto outputs = items_of(layout, Quantity::output);
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].name == "wire.way, span");
  CHECK(outputs[1].name == "d/dt wire.way_rate, span/s^2");
  CHECK(items_of(layout, Quantity::joint).size() == 1);  // the orientation

  // Two runs that differ in this coordinate alone: its difference is shown, and they agree.
  std::vector<double> row(layout.width(), 0.5);
  TraceRows first(layout.width()), second(layout.width());
  first.put(0, row);
  row[outputs[0].offset] += 1e-3;
  second.put(0, row);
  const std::vector<Witness> witnesses{{&first, true, {"a"}}, {&second, true, {"b"}}};
  const Verdict verdict = judge(layout, witnesses, scales_of(layout, layout.reach(), layout.acting(), witnesses), 1e-6);
  CHECK_FALSE(verdict.first);
  REQUIRE(verdict.deviations[0][Quantity::output]);
  CHECK(verdict.deviations[0][Quantity::output]->value == Approx(5e-4));
}

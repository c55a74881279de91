// The mechanism by which the contract grows, and the base classes, which do not.
#include <dlfcn.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "polyform/contract/ability_reasons.hpp"
#include "polyform/contract/asked_rows.hpp"
#include "polyform/contract/batch_evaluation.hpp"
#include "polyform/contract/batch_integration.hpp"
#include "polyform/contract/body_groups.hpp"
#include "polyform/contract/corrected_quaternions.hpp"
#include "polyform/contract/cost_model.hpp"
#include "polyform/contract/device.hpp"
#include "polyform/contract/device_program.hpp"
#include "polyform/contract/device_world.hpp"
#include "polyform/contract/failed_step.hpp"
#include "polyform/contract/flexible_validity.hpp"
#include "polyform/contract/force_law.hpp"
#include "polyform/contract/given_derivatives.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/integral_sizes.hpp"
#include "polyform/contract/integrator_choice.hpp"
#include "polyform/contract/kernels.hpp"
#include "polyform/contract/law_validity.hpp"
#include "polyform/contract/model_source.hpp"
#include "polyform/contract/named_files.hpp"
#include "polyform/contract/near_rows.hpp"
#include "polyform/contract/newton_matrix.hpp"
#include "polyform/contract/noted_corrections.hpp"
#include "polyform/contract/particle_model.hpp"
#include "polyform/contract/picture.hpp"
#include "polyform/contract/plugin.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/process_state.hpp"
#include "polyform/contract/rows_by_formulas.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_energies.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/state_time.hpp"
#include "polyform/contract/step_endings.hpp"
#include "polyform/contract/rheonomic_joint.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/contract/stiffest_element.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/contract/unilateral.hpp"
#include "polyform/contract/unilateral_places.hpp"
#include "polyform/contract/unilateral_system.hpp"
#include "polyform/contract/unilateral_velocities.hpp"
#include "polyform/helpers/completed.hpp"
#include "tests/contract/host/try_device.hpp"

namespace {

using namespace polyform;

/// A structure of two versions.
struct Earlier {
  Size<Earlier> size{};
  double a = 1;
};
struct Now {
  Size<Now> size{};
  double a = 1;
  Later<double> b{7.0};
};
/// The same without a size, for arrays.
struct EarlierEntry {
  double a = 1;
};
struct Entry {
  double a = 1;
  Later<double> b{7.0};
};

const Now& as_now(const Earlier& structure) { return reinterpret_cast<const Now&>(structure); }

/// How many virtual functions come before the first one of a class that derives from Base (Itanium C++ ABI).
template <class Base>
struct Probe : Base {
  virtual void first_of_its_own() {}
};
template <class Base>
std::size_t functions_of() {
  const auto words = std::bit_cast<std::array<std::uintptr_t, 2>>(&Probe<Base>::first_of_its_own);
  return (words[0] - 1) / sizeof(void*);
}

/// Receives a plugin that offers nothing but a device.
class DeviceReceiver final : public Registrar {
 public:
  void add(const Formulation&) noexcept override {}
  void add(const JointType&) noexcept override {}
  void add(const ForceType&) noexcept override {}
  void add(const FlexibleBodyType&) noexcept override {}
  void add(const ModuleType&) noexcept override {}
  void add(const ConstraintType&) noexcept override {}
  void add(const IntegratorType&) noexcept override {}
  void add(const ImporterType&) noexcept override {}
  void* query(std::string_view asked) noexcept override {
    return asked == DeviceRegistrar::interface_name ? &devices : nullptr;
  }
  OneDeviceType devices;
};

}  // namespace

TEST_CASE("a member that the maker of a structure does not know has its default") {
  Earlier earlier;
  earlier.a = 3;
  CHECK(has(as_now(earlier), &Now::a));
  CHECK_FALSE(has(as_now(earlier), &Now::b));
  CHECK(get(as_now(earlier), &Now::b) == 7);
  const Now whole = complete(as_now(earlier));
  CHECK(whole.a == 3);
  CHECK(get(whole, &Now::b) == 7);
  CHECK(whole.size.bytes() == sizeof(Now));
}

TEST_CASE("a member that the maker knows is read and written") {
  Now now{.a = 3, .b = 5.0};
  CHECK(get(now, &Now::b) == 5);
  set(now, &Now::b, 6);
  CHECK(get(now, &Now::b) == 6);
}

TEST_CASE("nothing is written beyond a structure of an earlier version") {
  struct {
    Earlier earlier;
    double beside = 11;
  } both;
  set(reinterpret_cast<Now&>(both.earlier), &Now::b, 6);
  CHECK(both.beside == 11);
}

TEST_CASE("a copy has the size of its own type") {
  Earlier earlier;
  const Earlier copy = earlier;
  CHECK(copy.size.bytes() == sizeof(Earlier));
  const Now now = complete(as_now(earlier));
  CHECK(now.size.bytes() == sizeof(Now));
}

TEST_CASE("arrays of an earlier version are stepped through at their own distance") {
  std::vector<EarlierEntry> made(5);
  for (std::size_t i = 0; i < made.size(); ++i) made[i].a = static_cast<double>(i);
  const Strided<const Entry> seen(reinterpret_cast<const Entry*>(made.data()), made.size(), sizeof(EarlierEntry));
  CHECK_FALSE(seen.has(&Entry::b));
  double i = 0;
  for (const Entry& entry : seen) CHECK(entry.a == i++);
  CHECK(i == 5);
  CHECK(seen.get(4, &Entry::b) == 7);
  CHECK(seen.back().a == 4);
  CHECK(seen.subspan(2).front().a == 2);
  CHECK(seen.subspan(1, 2).size() == 2);
  CHECK(seen.last(2)[0].a == 3);
  CHECK(seen.end() - seen.begin() == 5);
  const std::vector<Entry> whole = completed(seen);
  CHECK(whole[3].a == 3);
  CHECK(Strided(whole).get(3, &Entry::b) == 7);
}

TEST_CASE("arrays of a later version are stepped through at their own distance") {
  std::vector<Entry> made{{.a = 1, .b = 2.0}, {.a = 3, .b = 4.0}};
  const Strided<EarlierEntry> seen(reinterpret_cast<EarlierEntry*>(made.data()), made.size(), sizeof(Entry));
  CHECK(seen[1].a == 3);
  seen[1].a = 5;
  CHECK(made[1].a == 5);
  CHECK(Strided(made).get(1, &Entry::b) == 4);
}

TEST_CASE("base classes have the virtual functions that are recorded, and no others"){
#define POLYFORM_BASE(type, functions)          \
  {                                             \
    INFO(#type);                                \
    CHECK(functions_of<type>() == (functions)); \
  }
#include "polyform/contract/contract_table.inc"
}

TEST_CASE("layouts of earlier versions do not depend on later members") {
  const auto now = contract_layouts(sdk_minor);
  std::size_t recorded = 0;
  for (const std::uint32_t layout : now) recorded += layout != 0 ? 1 : 0;
  CHECK(recorded == static_cast<std::size_t>(Structure::count));
  CHECK(contract_layouts(sdk_minor + 1) == now);
}

TEST_CASE("devices that were built with headers of an earlier and of a later SDK run") {
  for (const std::string folder : {"frozen/1.0", "grown/content"}) {
    INFO(folder);
    void* const library = ::dlopen((CONTRACT_FOLDER "/" + folder + "/abacus-device.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library != nullptr);
    DeviceReceiver receiver;
    reinterpret_cast<void (*)(Registrar&)>(::dlsym(library, "polyform_register"))(receiver);
    REQUIRE(receiver.devices.found != nullptr);
    try_device(*receiver.devices.found, [](bool holds, const char* what) {
      INFO(what);
      CHECK(holds);
    });
  }
}

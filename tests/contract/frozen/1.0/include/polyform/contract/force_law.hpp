// The law of a force, told operation by operation: an interface that a ForceBatch offers by name (query).
//
// A model that is compiled, or that runs on a device, has its forces in its own code. For that it takes down what the
// batch computes with the motions of its attachments, once. A force without the interface is evaluated as ever: by its
// plugin, world by world, and not on a device. helpers/law_number.hpp has a number with which evaluate() itself can be
// told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

/// What a recorder knows. where_positive: b where a > 0, else zero, whatever b is there.
enum class LawOperation : std::int32_t {
  add,
  subtract,
  multiply,
  divide,
  negate,
  absolute,
  greater,
  root,
  where_positive
};

/// A number of a law: what a recorder calls it. Number 0 is zero.
using LawIndex = std::uint32_t;

/// Takes down a law. Never throws; where memory runs out it gives number 0, and says so to its owner.
class LawRecorder {
 public:
  virtual LawIndex constant(double) noexcept = 0;
  /// b of operations with one operand: 0.
  virtual LawIndex apply(LawOperation, LawIndex a, LawIndex b) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~LawRecorder() = default;
};

/// The inputs of a batch, as ForceInput has them, instance after instance.
struct LawInput {
  static constexpr std::size_t of_marker = 18;
  Size<LawInput> size{};
  std::span<const LawIndex> parameters{};  ///< ForceLaw::parameters
  std::span<const LawIndex> markers{};     ///< each: R, rows first; position; velocity; angular velocity
  std::span<const LawIndex> q{}, v{}, states{};
};
/// The outputs, as ForceOutput has them; all are 0 on entry.
struct LawOutput {
  Size<LawOutput> size{};
  std::span<LawIndex> wrenches{};  ///< six for each marker: moment, then force
  std::span<LawIndex> efforts{}, state_rates{};
  LawIndex power = 0;
};

class ForceLaw {
 public:
  static constexpr std::string_view interface_name = "polyform.force_law.1";

  /// Why the law of these instances cannot be told: a sentence without a full stop that follows "the force", such as
  /// "depends on time"; empty where it can.
  virtual std::string_view obstacle() const noexcept = 0;
  /// Numbers of the instances on which the outputs depend, in any order; their count and what becomes of them are the
  /// same for all instances of the type with as many attachments.
  virtual std::size_t parameter_count() const noexcept = 0;
  virtual void parameters(std::span<double>) const noexcept = 0;
  /// Tells how the outputs follow from the inputs. What holds for evaluate() holds here: the same numbers give the
  /// same.
  virtual void record(LawRecorder&, const LawInput&, LawOutput&) noexcept = 0;

 protected:
  ~ForceLaw() = default;
};

}  // namespace polyform

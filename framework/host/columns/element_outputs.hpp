// The outputs of all elements of a system (outputs.hpp), evaluated from what any solver observes.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/column_names.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/mechanics/attachments.hpp"

namespace polyform::host::inline columns {

/// Has its own batches of those elements that have outputs. Nothing allocates after construction.
class ElementOutputs {
 public:
  /// Failure (simulation_failed) when memory runs out or a type declares outputs that its batches do not give.
  explicit ElementOutputs(const SystemView&);
  ~ElementOutputs();  // where Frames is known
  ElementOutputs(const ElementOutputs&) = delete;
  ElementOutputs& operator=(const ElementOutputs&) = delete;

  struct Name {
    std::string_view element;
    Variable output;
  };
  /// One for each value: forces, constraints, modules, each in the order of the view.
  std::span<const Name> names() const { return names_; }
  /// The values at what a solver has observed; valid until the next call. One that an element does not write is NaN.
  /// Failure (simulation_failed) when a signal of the model has no value.
  std::span<const double> evaluate(double t, const Observation&);

 private:
  struct Slice {
    std::size_t first = 0, count = 0;
    template <class T>
    std::span<const T> of(std::span<T> all) const {
      return all.subspan(first, count);
    }
  };
  /// The elements of one type. Its members are the batch, and where its inputs and outputs stand among those of the
  /// system, a slice for each.
  struct Batch {
    std::unique_ptr<void, void (*)(void*)> object;  ///< the batch
    OutputSource* outputs;
    const char* kind;
    Attachments attached;
    std::vector<JointIndex> joints;
    Slice states, u, x, multipliers, values, discrete;
    std::vector<Spatial> accelerations, reactions;
    std::vector<double> joint_accelerations, written;  ///< written: values between guards
    std::size_t signals = 0;  ///< how many of the values are signals of the model, which come first
  };
  struct Frames;
  template <class Group>
  void add(const Group&, const char* kind);
  void gather(Batch&, const Observation&);

  const SystemView& view_;
  std::deque<Batch> batches_;
  std::vector<Name> names_;
  std::vector<double> values_;
  std::size_t module_row_ = 0;  ///< while batches are added
  std::unique_ptr<Frames> frames_;
};

/// Whether any element of the system has outputs.
bool has_outputs(const SystemView&);

}  // namespace polyform::host::columns

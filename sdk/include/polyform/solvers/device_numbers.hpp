// Where the numbers of a run on a device stand: in arrays that the compiler knows the sizes of, or in memory that the
// model gives.
#pragma once

#include "polyform/solvers/compiled_room.hpp"

namespace polyform::device {

/// The arrays of a run.
enum class Part { row, rates, sines, work, stages, loop_rows, states, steps, closing_work, events };

/// How many numbers they have.
template <class Model>
constexpr unsigned long count_of(const Model& model, Part part) {
  switch (part) {
    case Part::row: return model.states + model.integrals;
    case Part::rates: return model.states + 1;  // with the power, which a model on which nothing acts does not write
    case Part::sines: return model.angles + model.turns + 1;
    case Part::work: return model.work;
    case Part::stages: return 7 * (model.states + model.integrals);
    case Part::loop_rows: return model.rows + 1;
    case Part::states: return model.states;
    case Part::steps: return model.positions + model.velocities;
    case Part::closing_work: return model.closing_work + 1;
    case Part::events: return model.events + 1;
  }
  return 0;
}

/// Of a compiled model: their sizes are known to the compiler.
template <unsigned long count>
struct OwnNumbers {
  double numbers[count];
  template <class Model>
  POLYFORM_KERNEL explicit OwnNumbers(Model&) {}
  POLYFORM_KERNEL operator double*() { return numbers; }
  POLYFORM_KERNEL operator const double*() const { return numbers; }
};
/// In memory that the model gives.
template <Part part>
struct GivenNumbers {
  double* numbers;
  template <class Model>
  POLYFORM_KERNEL explicit GivenNumbers(Model& model) : numbers(model.give(count_of(model, part))) {}
  POLYFORM_KERNEL operator double*() const { return numbers; }
};

template <class Model>
constexpr bool is_general = requires {
  typename Model::General;
};
template <class Model, Part part, bool general = is_general<Model>>
struct NumbersOf {
  using Type = GivenNumbers<part>;
};
template <class Model, Part part>
struct NumbersOf<Model, part, false> {
  using Type = OwnNumbers<count_of(Model{}, part)>;
};
/// What the model gives after this is free again at the end of the scope.
template <class Model, bool general = is_general<Model>>
struct Given {
  Model& model;
  typename Model::General before;
  POLYFORM_KERNEL explicit Given(Model& of) : model(of), before(of.given()) {}
  POLYFORM_KERNEL ~Given() { model.take_back(before); }
};
template <class Model>
struct Given<Model, false> {
  POLYFORM_KERNEL explicit Given(Model&) {}
};

template <class Model>
constexpr bool may_close() {
  if constexpr (is_general<Model>)
    return true;
  else
    return Model::rows > 0;
}

}  // namespace polyform::device

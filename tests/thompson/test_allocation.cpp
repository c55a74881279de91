// Nothing allocates after compile, with any option.
#include <catch2/catch.hpp>

#include "tests/support/allocations.hpp"
#include "tests/support/random_model.hpp"
#include "tests/thompson/bench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("no construction, form or sequence of angles makes an allocation after compile") {
  for (const int loops : {0, 2}) {
    const auto system = system_from_text(random_model({.seed = 5, .bodies = 12, .loops = loops}));
    for (SolverOptions options : variants()) {
      options.push_back({"angles", "zyx"});
      INFO(text_of(options) << loops << " loops");
      const auto solver = solver_for(*system, thompson_formulation(), options);
      std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
      host::ObservationStore store(system->view());
      Correction correction;
      const std::size_t before = allocations();
      const Status status[] = {solver->derivative(0, y, rate), solver->correct(0, y, correction),
                               solver->observe(0, y, store.now()), solver->encode(system->initial_state(), y)};
      CHECK(allocations() == before);
      for (const Status s : status) CHECK(s == Status::ok);
    }
  }
}

// Nothing allocates after compile, in any formulation.
#include <catch2/catch.hpp>

#include "framework/simulation/observation_store.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("derivative, correct, observe, encode and decode make no allocation") {
  for (const int loops : {0, 2}) {
    const auto system = system_from_text(random_model({.seed = 5, .bodies = 12, .loops = loops}));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO("formulation " << formulation->name() << ", loops " << loops);
      const std::size_t before_compile = allocations();
      const auto solver = solver_for(*system, *formulation);
      CHECK(allocations() > before_compile);  // the counter sees what plugins do
      std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
      host::ObservationStore store(system->view());
      Correction correction;
      const std::size_t before = allocations();
      const Status status[] = {solver->derivative(0, y, rate), solver->correct(0, y, correction),
                               solver->observe(0, y, store.now()), solver->encode(system->initial_state(), y),
                               solver->decode(y, store.now().state)};
      const std::size_t after = allocations();
      CHECK(after == before);
      for (const Status s : status) CHECK(s == Status::ok);
    }
  }
}

// Nothing allocates after compile, by any method.
#include <catch2/catch.hpp>

#include "tests/hierarchy/mixed_model.hpp"
#include "tests/hierarchy/solver_with.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random_model.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("no method allocates while it solves, nor at a level below the last") {
  for (const std::string& model : {random_model({.seed = 5, .bodies = 12, .loops = 2}), std::string(mixed_model)}) {
    const auto system = system_from_text(model);
    for (const char* method : {"udwadia-kalaba", "square-root-free", "orthogonal-complement", "orthonormalization",
                               "generalized-inverse", "oblique-projector"})
      for (const char* level : {"0", "2"}) {
        INFO("method " << method << ", level " << level);
        const auto solver = solver_with(*system, {{"method", method}, {"level", level}});
        std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
        host::ObservationStore store(system->view());
        Correction correction;
        const std::size_t before = allocations();
        const Status status[] = {solver->derivative(0, y, rate), solver->correct(0, y, correction),
                                 solver->observe(0, y, store.now())};
        CHECK(allocations() == before);
        for (const Status s : status) CHECK(s == Status::ok);
      }
  }
}

// Allocations, memory and threads of a formulation.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <thread>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/formulation_checks.hpp"

namespace polyform::host::inline conformance {

namespace {

/// Calls every function of a solver at the case's state.
bool call_all(Solver& solver, const Case& one, std::vector<double>& y, std::vector<double>& ydot,
              ObservationStore& store) {
  Correction correction;
  bool good = solver.encode(one.state.view(), y) == Status::ok;
  for (int round = 0; round < 3; ++round) {
    good &= solver.derivative(0, y, ydot) == Status::ok;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-3 * ydot[i];
    good &= solver.correct(1e-3, y, correction) == Status::ok;
    good &= solver.observe(1e-3, y, store.now()) == Status::ok;
  }
  return good && solver.decode(y, store.now().state()) == Status::ok;
}

/// A solver that goes through a case by Euler's method.
class Drive {
 public:
  Drive(const Formulation& formulation, const Case& one) : Drive(formulation, one, one.state) {}
  /// From another state of the case's system.
  Drive(const Formulation& formulation, const Case& one, State state)
      : one_(one),
        state_(std::move(state)),
        solver_(make_solver(formulation, one.sample.view())),
        y_(solver_->state_size()),
        ydot_(y_.size()) {}
  void start() { solver_->encode(state_.view(), y_); }
  void half_step() { solver_->derivative(one_.time, y_, ydot_); }
  void whole_step() {
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] += 1e-3 * ydot_[i];
    Correction correction;
    solver_->correct(one_.time, y_, correction);
  }
  const std::vector<double>& run() {
    start();
    for (int step = 0; step < steps; ++step) half_step(), whole_step();
    return y_;
  }
  const std::vector<double>& y() const { return y_; }
  static constexpr int steps = 5;

 private:
  const Case& one_;
  State state_;
  SolverPointer solver_;
  std::vector<double> y_, ydot_;
};

/// Two solvers at once, each in its own thread. They start every run together: where the machine is busy, threads that
/// are left to themselves may well run one after the other. False when a run gives anything else than expected.
bool run_side_by_side(Drive& a, Drive& b, int runs) {
  const std::vector<double> alone_a = a.run(), alone_b = b.run();
  std::barrier start(2);
  const auto repeat = [&](Drive& drive, const std::vector<double>& alone, bool& good) {
    for (int i = 0; i < runs; ++i) {
      start.arrive_and_wait();
      good = drive.run() == alone && good;
    }
  };
  bool good_a = true, good_b = true;
  std::thread other([&] { repeat(a, alone_a, good_a); });
  repeat(b, alone_b, good_b);
  other.join();
  return good_a && good_b;
}

}  // namespace

void see_allocations_in(const Formulation& formulation, const std::vector<Case>& cases, Measure& m) {
  for (const Case& one : cases) {
    m.in_model(one.sample.text);
    const SolverPointer solver = make_solver(formulation, one.sample.view());
    std::vector<double> y(solver->state_size()), ydot(y.size());
    ObservationStore store(one.sample.view());
    see_allocations(allocations_of([&] { call_all(*solver, one, y, ydot, store); }), m);
  }
}

void check_calls(const Formulation& formulation, const Systems& systems, const Bench& bench, Checklist& list) {
  claim_no_allocation(list, "nothing is allocated after compile", make_memory_in_compile, [&](Measure& m) {
    for (const auto* cases : {&systems.trees, &systems.loops}) see_allocations_in(formulation, *cases, m);
  });
  constexpr std::string_view share_nothing =
      "a solver must share no memory with others that it writes to: no static variables";
  list.claim("two solvers in turns give what each gives alone", 0, share_nothing, [&](Measure& m) {
    const std::vector<Case>& cases = systems.any();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      m.in_model(cases[i].sample.text);
      Drive a(formulation, cases[i]), b(formulation, cases[(i + 1) % cases.size()]);
      const std::vector<double> alone_a = a.run(), alone_b = b.run();
      a.start(), b.start();
      for (int step = 0; step < Drive::steps; ++step) a.half_step(), b.half_step(), a.whole_step(), b.whole_step();
      m.see(a.y() == alone_a && b.y() == alone_b ? 0 : 1, "the results differ");
    }
  });
  list.claim("two solvers in two threads give what one alone gives", 0, share_nothing, [&](Measure& m) {
    const std::vector<Case>& cases = systems.any();
    const std::size_t pairs = std::min<std::size_t>(cases.size(), 4);
    const int evaluations = bench.count(10000);  // of each thread, in all pairs together
    const int runs = evaluations / static_cast<int>(2 * pairs) / Drive::steps;
    Random random(73);
    for (std::size_t i = 0; i < pairs; ++i) {
      m.in_model(cases[i].sample.text);
      Drive a(formulation, cases[i]), other_state(formulation, cases[i], random_state(*cases[i].sample.system, random)),
          other_system(formulation, cases[(i + 1) % cases.size()]);
      m.see(run_side_by_side(a, other_state, runs) ? 0 : 1, "two states of one system: the results differ");
      m.see(run_side_by_side(a, other_system, runs) ? 0 : 1, "two systems: the results differ");
    }
  });
  list.claim("it depends on t and y alone", 1e-9, "a solver keeps no memory of earlier calls", [&](Measure& m) {
    for (const Case& one : systems.any()) {
      m.in_model(one.sample.text);
      Observed seen(formulation, one.sample.view(), one.state, one.time);
      std::vector<double> first(seen.y().size()), again(first.size()), away = seen.y();
      const auto derivative = [&](const std::vector<double>& y, std::vector<double>& out) {
        require(seen.solver().derivative(one.time, y, out), seen.solver(), formulation.name(), "derivative");
      };
      derivative(seen.y(), first);
      for (std::size_t i = 0; i < away.size(); ++i) away[i] += 0.01 * first[i];
      // Large accelerations lead to where the system may have no solution: a call that fails is an earlier call too.
      if (seen.solver().derivative(one.time, away, again) == Status::ok) seen.at(away);
      derivative(seen.y(), again);
      m.see(largest_difference(first, again), "after a call with another y the derivative is another");
    }
    // A part of y changes alone: what is kept of an earlier call may hang on the other part.
    for (const Case& one : systems.trees) {
      m.in_model(one.sample.text);
      Observed used(formulation, one.sample.view(), one.state, one.time),
          fresh(formulation, one.sample.view(), one.state);
      const std::size_t size = used.y().size(), states = one.sample.view().states;
      std::vector<double> slope(size), expected(size), found(size);
      const auto derivative = [&](Observed& seen, const std::vector<double>& y, std::vector<double>& out) {
        require(seen.solver().derivative(one.time, y, out), seen.solver(), formulation.name(), "derivative");
      };
      derivative(used, used.y(), slope);
      const std::pair<std::size_t, std::size_t> parts[] = {{0, size / 2}, {size / 2, size}, {size - states, size}};
      for (const auto& [from, to] : parts) {
        std::vector<double> y = used.y(), elsewhere = y;
        for (std::size_t i = from; i < to; ++i) y[i] += 0.01 * (slope[i] + 1);
        for (std::size_t i = 0; i < size; ++i) elsewhere[i] += 0.02 * (slope[i] + 1);
        fresh.solver().derivative(one.time, elsewhere, expected);  // which may have no solution
        const Status alone = fresh.solver().derivative(one.time, y, expected);
        derivative(used, used.y(), slope);
        m.see(used.solver().derivative(one.time, y, found) == alone ? 0 : 1,
              "after a call in which a part of y was the same it fails, or fails no more");
        if (alone != Status::ok) continue;
        m.see(largest_difference(expected, found),
              "after a call in which a part of y was the same the derivative is another");
      }
    }
  });
}

}  // namespace polyform::host::conformance

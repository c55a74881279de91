#include "tests/benchmark/results.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace polyform::benchmark {

NLOHMANN_JSON_SERIALIZE_ENUM(Cell::Kind, {{Cell::Kind::good, "good"},
                                          {Cell::Kind::differs, "differs"},
                                          {Cell::Kind::cannot, "cannot"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Cell, kind, column, reason, seconds, deviation, load_seconds, memory)

void to_json(nlohmann::json& j, const Column& c) {
  j = {{"name", c.name}, {"version", c.version}, {"formulation", c.formulation}};
}
void to_json(nlohmann::json& j, const Row& r) {
  j = {{"system", r.system},
       {"bodies", r.bodies},
       {"read_seconds", r.read_seconds},
       {"assemble_seconds", r.assemble_seconds},
       {"model_memory", r.model_memory},
       {"cells", r.cells}};
}
void from_json(const nlohmann::json& j, Row& r) {
  j.at("system").get_to(r.system);
  j.at("bodies").get_to(r.bodies);
  j.at("read_seconds").get_to(r.read_seconds);
  j.at("assemble_seconds").get_to(r.assemble_seconds);
  j.at("model_memory").get_to(r.model_memory);
  j.at("cells").get_to(r.cells);
}
void to_json(nlohmann::json& j, const Run& r) {
  j = {{"model", r.model},
       {"solver", r.solver},
       {"failure", r.failure},
       {"integrator", r.integrator},
       {"bodies", r.bodies},
       {"state_size", r.state_size},
       {"steps", r.steps},
       {"simulated", r.simulated},
       {"step", r.step},
       {"deviation", r.deviation},
       {"conservative", r.conservative},
       {"read_seconds", r.read_seconds},
       {"assemble_seconds", r.assemble_seconds},
       {"compile_seconds", r.compile_seconds},
       {"run_seconds", r.run_seconds},
       {"seconds_per_evaluation", r.seconds_per_evaluation},
       {"energy_drift", r.energy_drift},
       {"memory", r.memory}};
}
void from_json(const nlohmann::json& j, Run& r) {
  j.at("model").get_to(r.model);
  j.at("solver").get_to(r.solver);
  j.at("failure").get_to(r.failure);
  j.at("integrator").get_to(r.integrator);
  j.at("bodies").get_to(r.bodies);
  j.at("state_size").get_to(r.state_size);
  j.at("steps").get_to(r.steps);
  j.at("simulated").get_to(r.simulated);
  j.at("step").get_to(r.step);
  j.at("deviation").get_to(r.deviation);
  j.at("conservative").get_to(r.conservative);
  j.at("read_seconds").get_to(r.read_seconds);
  j.at("assemble_seconds").get_to(r.assemble_seconds);
  j.at("compile_seconds").get_to(r.compile_seconds);
  j.at("run_seconds").get_to(r.run_seconds);
  j.at("seconds_per_evaluation").get_to(r.seconds_per_evaluation);
  j.at("energy_drift").get_to(r.energy_drift);
  j.at("memory").get_to(r.memory);
}
void to_json(nlohmann::json& j, const Correction& r) {
  j = {{"table", r.table},         {"model", r.model}, {"failure", r.failure}, {"bodies", r.bodies},
       {"simulated", r.simulated}, {"step", r.step},   {"seconds", r.seconds}, {"violation", r.violation}};
  if (r.failure.empty()) j["ratios"] = r.ratios;
}
void to_json(nlohmann::json& j, const Results& r) {
  j = {{"unit", "seconds of one evaluation of the accelerations of the whole system, one thread, least of many"},
       {"columns", r.columns},
       {"rows", r.rows},
       {"runs", r.runs},
       {"corrections", r.corrections}};
}

double growth_exponent(const Results& results, const std::string& system, std::size_t column) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Row& row : results.rows) {
    const Cell& cell = row.cells[column];
    if (row.system != system || cell.kind == Cell::Kind::cannot) continue;
    const double u = std::log(static_cast<double>(row.bodies)), v = std::log(cell.seconds);
    n += 1;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  return n < 2 ? 0 : (n * xy - x * y) / (n * xx - x * x);
}

}  // namespace polyform::benchmark

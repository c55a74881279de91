#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {

#ifdef BENCHMARK_MUJOCO
EngineInfo mujoco_engine();
#endif
#ifdef BENCHMARK_SIMBODY
EngineInfo simbody_engine();
#endif
#ifdef BENCHMARK_BULLET
EngineInfo bullet_engine();
#endif
#ifdef BENCHMARK_DART
EngineInfo dart_engine();
#endif

std::vector<EngineInfo> engines() {
  std::vector<EngineInfo> all;
#ifdef BENCHMARK_MUJOCO
  all.push_back(mujoco_engine());
#endif
#ifdef BENCHMARK_SIMBODY
  all.push_back(simbody_engine());
#endif
#ifdef BENCHMARK_BULLET
  all.push_back(bullet_engine());
#endif
#ifdef BENCHMARK_DART
  all.push_back(dart_engine());
#endif
  return all;
}

}  // namespace polyform::benchmark

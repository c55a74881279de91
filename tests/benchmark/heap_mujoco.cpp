// The heap in MuJoCo: contacts as soft constraints, solved by conjugate gradients with sparse matrices.
#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cstring>
#include <stdexcept>

#include "tests/benchmark/heap.hpp"

namespace polyform::benchmark {

namespace {

std::string text_of(const Heap& heap, double step, double time_constant) {
  // A damping ratio below 1 gives bounces; 0.2 about a restitution of 0.5.
  std::string text = fmt::format(
      "<mujoco><size njmax=\"6000\" nconmax=\"6000\" nstack=\"20000000\"/><option timestep=\"{}\" gravity=\"0 0 -{}\" solver=\"CG\" "
      "jacobian=\"sparse\" cone=\"pyramidal\"/><default><geom condim=\"1\" solref=\"{} 0.2\" solimp=\"0.99 0.99 0.001\"/>"
      "</default><worldbody><geom type=\"plane\" size=\"0 0 1\"/>"
      "<geom type=\"plane\" size=\"0 0 1\" zaxis=\"1 0 0\"/><geom type=\"plane\" size=\"0 0 1\" zaxis=\"-1 0 0\" pos=\"{} "
      "0 0\"/><geom type=\"plane\" size=\"0 0 1\" zaxis=\"0 1 0\"/><geom type=\"plane\" size=\"0 0 1\" zaxis=\"0 -1 0\" "
      "pos=\"0 {} 0\"/>",
      step, Heap::gravity, time_constant, heap.side, heap.side);
  for (const Vec3& c : heap.centres)
    text += fmt::format("<body pos=\"{} {} {}\"><freejoint/><geom type=\"sphere\" size=\"{}\" mass=\"{}\"/></body>",
                        c.x, c.y, c.z, Heap::radius, Heap::mass);
  return text + "</worldbody></mujoco>";
}

}  // namespace

HeapRun heap_in_mujoco(const Heap& heap, double duration, double step, double time_constant) {
  HeapRun run;
  double start = processor_time();
  const std::string text = text_of(heap, step, time_constant);
  mjVFS files;
  mj_defaultVFS(&files);
  if (mj_makeEmptyFileVFS(&files, "heap.xml", static_cast<int>(text.size())) != 0) throw std::runtime_error("no room");
  std::memcpy(files.filedata[0], text.data(), text.size());
  char message[1000] = "";
  mjModel* const model = mj_loadXML("heap.xml", &files, message, sizeof message);
  mj_deleteVFS(&files);
  if (model == nullptr) throw std::runtime_error(message);
  mjData* const data = mj_makeData(model);
  run.set_up = processor_time() - start;
  HeapWatch watch(heap, duration);
  std::vector<Vec3> centres(heap.centres.size()), velocities(heap.centres.size());
  const auto steps = static_cast<std::size_t>(duration / step + 0.5);
  for (std::size_t k = 1; k <= steps; ++k) {
    start = processor_time();
    mj_step(model, data);
    run.seconds += processor_time() - start;
    double turning = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const mjtNum *p = data->qpos + 7 * i, *v = data->qvel + 6 * i;
      centres[i] = {p[0], p[1], p[2]};
      velocities[i] = {v[0], v[1], v[2]};
      turning += 0.5 * Heap::inertia * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]);
    }
    watch.see(static_cast<double>(k) * step, centres, velocities, turning);
  }
  mj_deleteData(data);
  mj_deleteModel(model);
  run.steps = steps;
  watch.finish(run);
  return run;
}

}  // namespace polyform::benchmark

// The heap in Bullet: its usual world for rigid bodies, a solver of sequential impulses, in double precision.
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "tests/benchmark/heap.hpp"

namespace polyform::benchmark {

HeapRun heap_in_bullet(const Heap& heap, double duration, double step, double restitution) {
  HeapRun run;
  double start = processor_time();
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.setGravity({0, 0, -Heap::gravity});
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  const auto wall = [&](const btVector3& normal, double offset) {
    shapes.push_back(std::make_unique<btStaticPlaneShape>(normal, offset));
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shapes.back().get());
    info.m_friction = 0;
    info.m_restitution = restitution;
    bodies.push_back(std::make_unique<btRigidBody>(info));
    world.addRigidBody(bodies.back().get());
  };
  wall({0, 0, 1}, 0);
  wall({1, 0, 0}, 0);
  wall({-1, 0, 0}, -heap.side);
  wall({0, 1, 0}, 0);
  wall({0, -1, 0}, -heap.side);
  const std::size_t walls = bodies.size();
  btSphereShape ball(Heap::radius);
  for (const Vec3& c : heap.centres) {
    btRigidBody::btRigidBodyConstructionInfo info(Heap::mass, nullptr, &ball,
                                                  {Heap::inertia, Heap::inertia, Heap::inertia});
    info.m_friction = 0;
    info.m_restitution = restitution;
    info.m_startWorldTransform.setIdentity();
    info.m_startWorldTransform.setOrigin({c.x, c.y, c.z});
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
  }
  run.set_up = processor_time() - start;
  HeapWatch watch(heap, duration);
  std::vector<Vec3> centres(heap.centres.size()), velocities(heap.centres.size());
  const auto steps = static_cast<std::size_t>(duration / step + 0.5);
  for (std::size_t k = 1; k <= steps; ++k) {
    start = processor_time();
    world.stepSimulation(step, 0);
    run.seconds += processor_time() - start;
    double turning = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
      const btRigidBody& body = *bodies[walls + i];
      const btVector3 &p = body.getWorldTransform().getOrigin(), &v = body.getLinearVelocity();
      centres[i] = {p.x(), p.y(), p.z()};
      velocities[i] = {v.x(), v.y(), v.z()};
      turning += 0.5 * Heap::inertia * body.getAngularVelocity().length2();
    }
    watch.see(static_cast<double>(k) * step, centres, velocities, turning);
  }
  for (const auto& body : bodies) world.removeRigidBody(body.get());
  run.steps = steps;
  watch.finish(run);
  return run;
}

}  // namespace polyform::benchmark

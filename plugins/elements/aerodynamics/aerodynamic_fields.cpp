#include "aerodynamic_fields.hpp"

namespace polyform::aerodynamics {

bool define_common(ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  instance.markers[0].point = instance.fields[point].vector;
  if (is_ground(instance.markers[0].body))
    sink.report(Severity::warning, number, body, "the air acts on ground: it moves nothing",
                "Name a body that can move.");
  return check_time_vector(instance.fields[wind], common_specs[wind], number, wind, sink);
}

}  // namespace polyform::aerodynamics

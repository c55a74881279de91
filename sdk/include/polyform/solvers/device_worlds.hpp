// What a launch of a compiled model on a device takes (compiled_device.hpp).
#pragma once

namespace polyform {

/// Worlds of one launch. Number i of world w stands at i · worlds + w, so that threads side by side read side by side.
struct DeviceWorlds {
  unsigned long worlds, rows;
  double step;                ///< of rk4; the first of dopri5, s
  double longest;             ///< no step of dopri5 is longer, s
  double absolute, relative;  ///< tolerances of dopri5
  const double* times;        ///< of the rows, s, rising, all above 0; the run ends at the last
  const double* numbers;      ///< all numbers of each world (DeviceWorld::numbers)
  const double* starts;       ///< states at time 0, and after them how large the work counts at least in tolerances
  double* states;             ///< of the rows, each with the work of what acts where anything does: number i of row
                              ///< r of world w at (r · numbers of a row + i) · worlds + w
  unsigned char* marks;       ///< per world: 0 where it came to its end; its rows mean nothing else
  const void* tables;         ///< of the model; for the general code alone (DeviceProgram), as the next two
  double* rooms;              ///< of the worlds one after the other, where their functions have none of their own
  unsigned long room;         ///< numbers of one of them
};

}  // namespace polyform

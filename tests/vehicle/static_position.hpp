// The static position of the vehicle by hand: the minimum of the potential energy of its suspension, with the geometry
// and the constants written out. It uses neither the model file nor the framework.
#pragma once

namespace polyform::test {

struct StaticPosition {
  double chassis_height;           ///< of its mass centre over the road, m
  double pitch;                    ///< about the y axis: nose down positive, rad
  double front_wheel, rear_wheel;  ///< heights of the wheel centres, m
  double front_load, rear_load;    ///< what the road gives to each wheel, N
};

StaticPosition static_position();

}  // namespace polyform::test

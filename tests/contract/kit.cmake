# The sources of the SDK that the example of a formulation stands on, below sdk/, and the headers among them.
set(kit
  contract/time_function helpers/guarded mechanics/attachments mechanics/constraint mechanics/flexible_nodes
  mechanics/flexible_set mechanics/force_set mechanics/joint_coordinates mechanics/kinematics mechanics/observation
  mechanics/relative_motion mechanics/tree_kinematics)
set(kit_headers mechanics/joint_numbers)

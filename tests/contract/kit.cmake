# The sources of the SDK that the example of a formulation stands on, below sdk/.
set(kit
  contract/time_function helpers/guarded mechanics/attachments mechanics/constraint mechanics/flexible_nodes
  mechanics/flexible_set mechanics/force_set mechanics/kinematics mechanics/observation mechanics/tree_kinematics)

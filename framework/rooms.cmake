# The rooms of the host and the rooms that each may use. CMakeLists.txt links them by it, and cmake/CheckLayers.cmake
# proves that no file includes another room. A room may use the files beside the rooms without saying so. Each room has
# a namespace of its own, inline in polyform::host, so that a name may mean one thing in one room and another in
# another.
#
# host/ reads a model, assembles it and runs it with a solver: what every use of polyform needs. workbench/ holds what is
# built on that: comparisons, linear models, checks of plugins, compiled models, runs on devices, problems with known
# answers, studies.
set(host_rooms process registry expressions reading graph assembly integration results evaluation unilateral columns
  watches simulation)
set(workbench_rooms comparison compilation devices linearization conformance verification studies)
set(rooms ${host_rooms} ${workbench_rooms})
set(uses_process "")
set(uses_registry process)
set(uses_expressions "")
set(uses_reading expressions registry)
set(uses_graph reading registry)
set(uses_assembly graph reading registry expressions)
set(uses_integration "")
set(uses_results assembly graph reading registry)
set(uses_evaluation process integration assembly graph reading expressions registry)
set(uses_unilateral evaluation ${uses_evaluation})
set(uses_columns evaluation results ${uses_evaluation})
set(uses_watches evaluation ${uses_evaluation})
set(uses_simulation unilateral columns watches ${uses_columns})
set(uses_comparison simulation ${uses_simulation})
set(uses_compilation registry process)
set(uses_devices simulation ${uses_simulation})
set(uses_linearization simulation ${uses_simulation})
set(uses_conformance simulation ${uses_simulation})
set(uses_studies simulation ${uses_simulation})
set(uses_verification comparison ${uses_comparison})

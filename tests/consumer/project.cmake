# A project of one KIND from `polyform new`: builds against the installed package, passes its tests, runs its model.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(name my-own-${KIND})
set(folder ${WORKSHOP}/${name})
set(polyform ${PREFIX}/bin/polyform)
file(REMOVE_RECURSE ${folder})

run(${polyform} new ${KIND} ${name} --directory ${folder})
file(GLOB files LIST_DIRECTORIES false ${folder}/*)
list(FILTER files EXCLUDE REGEX "/[.][^/]*$")
foreach(file IN LISTS files)
  file(READ ${file} text)
  expect("${text}" "${name}|testing.hpp|my_own|plugin-path")
endforeach()

run(${CMAKE_COMMAND} -S ${folder} -B ${folder}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${PREFIX}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
  "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wconversion -Wshadow -Werror")
run(${CMAKE_COMMAND} --build ${folder}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${folder}/build --output-on-failure --no-tests=error)
run(${polyform} plugins check ${folder}/build/${name}.so)
file(GLOB model ${folder}/model.*)
run(${polyform} check ${model} --plugin-path ${folder}/build)
run(${polyform} run ${model} --plugin-path ${folder}/build --duration 0.01)
run(${CMAKE_COMMAND} --install ${folder}/build --prefix ${folder}/installed)
set(ENV{POLYFORM_PLUGIN_PATH} ${folder}/installed/${LIBDIR}/polyform/plugins)
run(${polyform} plugins show ${name})

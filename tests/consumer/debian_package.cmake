# The Debian package: what it needs, what it holds, and that it runs from where dpkg unpacks it.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)

set(folder ${WORKSHOP}/debian)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
cmake_path(GET CMAKE_COMMAND PARENT_PATH programs)
run(${programs}/cpack --config ${BUILD}/CPackConfig.cmake -G DEB -B ${folder})
file(GLOB package ${folder}/polyform_${VERSION}_*.deb)

run(dpkg-deb --field ${package} Depends)
foreach(library libc6 libstdc\\+\\+6 libfmt9 libyaml-cpp0 libhdf5 libsundials libboost-filesystem)
  expect("${LAST_OUTPUT}" "${library}")
endforeach()
run(dpkg-deb -x ${package} ${folder}/root)
run(${folder}/root/usr/bin/polyform compare ${folder}/root/usr/share/polyform/models/heavy_top.yaml --duration 0.1)

# The package of the Python module, unpacked beside it.
file(GLOB module ${folder}/python3-polyform_${VERSION}_*.deb)
if(PYTHON)
  run(dpkg-deb --field ${module} Depends)
  expect("${LAST_OUTPUT}" "polyform \\(= ${VERSION}\\).*python3-numpy")
  run(dpkg-deb -x ${module} ${folder}/root)
  set(ENV{PYTHONPATH} ${folder}/root/usr/lib/python3/dist-packages)
  run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/../python/try_package.py
    ${folder}/root/usr/share/polyform/models/heavy_top.yaml)
  expect("${LAST_OUTPUT}" "done .*/dist-packages/polyform/")
endif()

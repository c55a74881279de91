# What `cmake --install` puts where, and the Debian package (`cpack -G DEB`). Nothing in an installation knows its
# place: the command looks from its own folder, the CMake package from its own file.
include(CMakePackageConfigHelpers)

# Plugins in a folder that others may write to would be refused.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Polyform)
set(generated ${CMAKE_BINARY_DIR}/installed)

# The command, and what plugins are built with. Plugins install themselves (polyform_add_plugin).
polyform_variants(variants x86-64-v3 x86-64-v4)
set(recursions ${variants})
list(TRANSFORM recursions PREPEND polyform_recursion_)
install(TARGETS polyform polyform_sdk ${recursions} EXPORT PolyformTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/polyform)
install(DIRECTORY sdk/include/polyform DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN solvers EXCLUDE)
foreach(header IN LISTS POLYFORM_INSTALLED_SOLVER_HEADERS)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES sdk/include/polyform/solvers/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/polyform/solvers/${folder})
endforeach()
install(EXPORT PolyformTargets NAMESPACE Polyform:: DESTINATION ${package_dir})
# The SDK has a count of its own (plugin.hpp).
file(STRINGS sdk/include/polyform/contract/plugin.hpp sdk_version REGEX "sdk_major = [0-9]+, sdk_minor = [0-9]+")
string(REGEX REPLACE ".*sdk_major = ([0-9]+), sdk_minor = ([0-9]+).*" "\\1.\\2" POLYFORM_SDK_VERSION "${sdk_version}")
configure_package_config_file(cmake/PolyformConfig.cmake.in ${generated}/PolyformConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${generated}/PolyformConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/PolyformConfig.cmake ${generated}/PolyformConfigVersion.cmake cmake/PolyformPlugin.cmake
  DESTINATION ${package_dir})

# Texts that the command itself writes.
get_property(plugins GLOBAL PROPERTY POLYFORM_PLUGINS)
set(texts)
# polyform_written(FILE DESTINATION argument...)
function(polyform_written file destination)
  add_custom_command(OUTPUT ${generated}/${file}
    COMMAND ${CMAKE_COMMAND} -E env --unset=POLYFORM_PLUGIN_PATH $<TARGET_FILE:polyform> ${ARGN} > ${generated}/${file}
    DEPENDS polyform ${plugins} VERBATIM)
  install(FILES ${generated}/${file} DESTINATION ${destination})
  set(texts ${texts} ${generated}/${file} PARENT_SCOPE)
endfunction()
file(MAKE_DIRECTORY ${generated}/bash ${generated}/zsh ${generated}/fish)
polyform_written(polyform.schema.json ${POLYFORM_DATA_INSTALL_DIR} schema)
polyform_written(bash/polyform ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
polyform_written(zsh/_polyform ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions completion zsh)
polyform_written(fish/polyform.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
add_custom_target(polyform_written_texts ALL DEPENDS ${texts})

# Models with their references, and the worked examples that `polyform new` begins a project with; the build tree points
# to the sources.
install(DIRECTORY apps/models sdk/examples DESTINATION ${POLYFORM_DATA_INSTALL_DIR})
file(MAKE_DIRECTORY ${POLYFORM_DATA_DIRECTORY})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/apps/models ${POLYFORM_DATA_DIRECTORY}/models SYMBOLIC)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/sdk/examples ${POLYFORM_DATA_DIRECTORY}/examples SYMBOLIC)

# Pages keep their folders, so that the links between them hold.
file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  sdk/*.md apps/pages/*.md apps/pages/site/*.md apps/pages/site/*/*.md apps/pages/site/pictures/*.png
  apps/pages/site/pictures/*.svg plugins/README.md plugins/*/*/README.md)
foreach(page IN LISTS pages ITEMS README.md LICENSE .github/CHANGELOG.md .github/CONTRIBUTING.md)
  cmake_path(GET page PARENT_PATH folder)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
# They link to the folder of the models.
cmake_path(RELATIVE_PATH POLYFORM_DATA_INSTALL_DIR BASE_DIRECTORY ${CMAKE_INSTALL_DOCDIR}/apps OUTPUT_VARIABLE models)
install(CODE "set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/apps/models\")
file(REMOVE_RECURSE \"\${link}\")
file(CREATE_LINK \"${models}/models\" \"\${link}\" SYMBOLIC)")

set(CPACK_PACKAGE_VENDOR "Polyform contributors")
set(CPACK_PACKAGE_CONTACT "Polyform contributors <polyform@localhost>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Two packages: polyform, and the Python module.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME polyform)
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-polyform)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Multibody dynamics with formulations as plugins: Python module")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "polyform (= ${PROJECT_VERSION}), python3 (>= 3.9), python3-numpy")
# The module needs the library of the first package, which is not installed where the packages are made.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
# To write plugins; and for the eigenvalues of linear models with many states.
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "g++, cmake (>= 3.25), make | ninja-build, libfmt-dev, libopenblas0")
include(CPack)

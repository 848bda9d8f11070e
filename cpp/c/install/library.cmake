# SPDX-License-Identifier: Apache-2.0
# The C library, shared and static, and what cmake --install gives: both, headers, find_package, pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

file(GLOB c_sources CONFIGURE_DEPENDS cpp/c/*.cpp)
add_library(hockeystick_c OBJECT EXCLUDE_FROM_ALL ${c_sources})
target_include_directories(hockeystick_c PUBLIC include PRIVATE cpp)
target_link_libraries(hockeystick_c PRIVATE hockeystick_options)
target_compile_definitions(hockeystick_c PRIVATE HS_BUILDING_SHARED HOCKEYSTICK_VERSION="${PROJECT_VERSION}")
set_target_properties(
  hockeystick_c
  PROPERTIES CXX_EXTENSIONS OFF
             CXX_VISIBILITY_PRESET hidden
             VISIBILITY_INLINES_HIDDEN ON
             POSITION_INDEPENDENT_CODE ON)

if(HOCKEYSTICK_LIBRARY)
  # CMake counts a precompiled header among the objects.
  set(objects "$<FILTER:$<TARGET_OBJECTS:hockeystick_c>,EXCLUDE,[.][gp]ch>"
              "$<FILTER:$<TARGET_OBJECTS:hockeystick_core>,EXCLUDE,[.][gp]ch>")
  add_library(hockeystick SHARED ${objects})
  set(libraries hockeystick)
  if(UNIX)
    # As one object: mechanisms register themselves, so that a linker would leave out their files.
    set(whole "${PROJECT_BINARY_DIR}/hockeystick_whole${CMAKE_CXX_OUTPUT_EXTENSION}")
    add_custom_command(
      OUTPUT "${whole}"
      COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -o "${whole}" ${objects}
      DEPENDS hockeystick_c hockeystick_core ${objects}
      COMMAND_EXPAND_LISTS VERBATIM)
    add_library(hockeystick_static STATIC "${whole}")
    set_source_files_properties("${whole}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    list(APPEND libraries hockeystick_static)
  endif()
  foreach(target ${libraries})
    target_link_libraries(${target} PRIVATE Threads::Threads $<BUILD_INTERFACE:hockeystick_options>)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endforeach()
  target_compile_definitions(hockeystick INTERFACE HS_SHARED)
  set_target_properties(hockeystick PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1 EXPORT_NAME hockeystick)
  if(UNIX AND NOT APPLE)
    target_link_options(hockeystick PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cpp/c/hockeystick.map")
    set_target_properties(hockeystick PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cpp/c/hockeystick.map")
  endif()
  if(TARGET hockeystick_static)
    set_target_properties(hockeystick_static PROPERTIES EXPORT_NAME static OUTPUT_NAME hockeystick)
  endif()

  set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/hockeystick")
  install(TARGETS ${libraries} EXPORT hockeystickTargets)
  install(FILES include/hockeystick.h include/hockeystick.hpp TYPE INCLUDE)
  install(EXPORT hockeystickTargets NAMESPACE hockeystick:: DESTINATION ${package_dir})
  configure_package_config_file(cpp/c/install/hockeystickConfig.cmake.in "${PROJECT_BINARY_DIR}/hockeystickConfig.cmake"
                                INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/hockeystickConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/hockeystickConfig.cmake" "${PROJECT_BINARY_DIR}/hockeystickConfigVersion.cmake"
          DESTINATION ${package_dir})
  # From the folder of the file, so that an installation may be moved.
  file(RELATIVE_PATH HOCKEYSTICK_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  configure_file(cpp/c/install/hockeystick.pc.in "${PROJECT_BINARY_DIR}/hockeystick.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/hockeystick.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()

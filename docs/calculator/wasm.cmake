# SPDX-License-Identifier: Apache-2.0
# hockeystick.wasm: the C library without a file of JavaScript that loads it, for hockeystick.mjs.
# A module is never moved; code that could be is a third larger.
set_target_properties(hockeystick_core hockeystick_c PROPERTIES POSITION_INDEPENDENT_CODE OFF)
# calculator.wasm: the same without what the page never asks, for the page.
function(add_module target name core)
  add_executable(${target} EXCLUDE_FROM_ALL $<TARGET_OBJECTS:hockeystick_c> ${core})
  target_link_libraries(${target} PRIVATE hockeystick_options)
  list(TRANSFORM ARGN PREPEND _hs_)
  list(JOIN ARGN "," exports)
  target_link_options(
    ${target}
    PRIVATE
    -Oz
    -flto
    --no-entry
    -sSTANDALONE_WASM
    -sALLOW_MEMORY_GROWTH
    -sMALLOC=emmalloc
    # What the first pass joins, the second makes smaller; functions that stay apart compress better.
    -sBINARYEN_EXTRA_PASSES=--one-caller-inline-max-function-size=20,-Oz
    -sERROR_ON_UNDEFINED_SYMBOLS=0 # hockeystick.mjs has number_of_host and number_by_host
    -sEXPORTED_FUNCTIONS=_malloc,_free,${exports})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .wasm LINKER_LANGUAGE CXX)
endfunction()
set(asked_by_page abi_version version last_error default_options run_new run_free run_add epsilon delta)
set(core $<TARGET_OBJECTS:hockeystick_core>)
add_module(calculator_wasm calculator $<FILTER:${core},EXCLUDE,run/view_rows> ${asked_by_page})
target_sources(calculator_wasm PRIVATE ${CMAKE_CURRENT_LIST_DIR}/view_rows.cpp)
target_include_directories(calculator_wasm PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cpp)
add_module(hockeystick_wasm hockeystick ${core} ${asked_by_page} dpsgd_epsilon run_add_json)

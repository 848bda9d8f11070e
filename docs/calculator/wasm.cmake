# SPDX-License-Identifier: Apache-2.0
# hockeystick.wasm: the C library without a file of JavaScript that loads it, for hockeystick.mjs.
# A module is never moved; code that could be is a third larger.
set_target_properties(hockeystick_core hockeystick_c PROPERTIES POSITION_INDEPENDENT_CODE OFF)
add_executable(hockeystick_wasm EXCLUDE_FROM_ALL $<TARGET_OBJECTS:hockeystick_c> $<TARGET_OBJECTS:hockeystick_core>)
target_link_libraries(hockeystick_wasm PRIVATE hockeystick_options)
set(wasm_exports _malloc _free)
foreach(function abi_version version last_error default_options dpsgd_epsilon run_new run_free run_add run_add_json
                 epsilon delta)
  list(APPEND wasm_exports _hs_${function})
endforeach()
list(JOIN wasm_exports "," wasm_exports)
target_link_options(
  hockeystick_wasm
  PRIVATE
  -Oz
  -flto
  --no-entry
  -sSTANDALONE_WASM
  -sALLOW_MEMORY_GROWTH
  -sMALLOC=emmalloc
  -sERROR_ON_UNDEFINED_SYMBOLS=0 # hockeystick.mjs has number_of_host
  -sEXPORTED_FUNCTIONS=${wasm_exports})
set_target_properties(hockeystick_wasm PROPERTIES OUTPUT_NAME hockeystick SUFFIX .wasm LINKER_LANGUAGE CXX)

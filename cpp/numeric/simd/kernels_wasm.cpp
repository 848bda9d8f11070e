// SPDX-License-Identifier: Apache-2.0
// Two lanes: WebAssembly's 128-bit vectors, if the whole module is compiled with -msimd128. The code is in the
// *_kernel.hpp.
#include "numeric/fft/tables.hpp"

#if defined(__wasm_simd128__)
#define HOCKEYSTICK_ISA wasm
#define HOCKEYSTICK_LANES 2
#define HOCKEYSTICK_WASM
#include "numeric/simd/kernel_table.hpp"

constexpr hockeystick::SimdKernels hockeystick::fft_wasm = wasm::kernel_table("wasm");
#else
constexpr hockeystick::SimdKernels hockeystick::fft_wasm{"wasm"};
#endif

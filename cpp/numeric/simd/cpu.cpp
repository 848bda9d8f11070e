// SPDX-License-Identifier: Apache-2.0
#include "numeric/simd/cpu.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace hockeystick {
namespace {

// Whether the CPU has AVX2 and FMA, and the operating system saves the wide registers.
bool cpu_has_avx2_and_fma() {
#if defined(_MSC_VER) && defined(_M_X64)
  int leaf1[4], leaf7[4];
  __cpuidex(leaf1, 1, 0);
  __cpuidex(leaf7, 7, 0);
  const bool fma = (leaf1[2] >> 12) & 1, os_saves = (leaf1[2] >> 27) & 1, avx2 = (leaf7[1] >> 5) & 1;
  return fma && os_saves && avx2 && (_xgetbv(0) & 6) == 6;
#elif defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

// Whether the CPU also has AVX-512 F and DQ, and the operating system saves the masks and the wider registers.
bool cpu_has_avx512() {
#if defined(_MSC_VER) && defined(_M_X64)
  int leaf7[4];
  __cpuidex(leaf7, 7, 0);
  const bool foundation = (leaf7[1] >> 16) & 1, dq = (leaf7[1] >> 17) & 1;
  return cpu_has_avx2_and_fma() && foundation && dq && (_xgetbv(0) & 0xe6) == 0xe6;
#elif defined(__x86_64__) || defined(__i386__)
  return cpu_has_avx2_and_fma() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

const SimdKernels& chosen_kernel() {
  const char* wanted = std::getenv("HOCKEYSTICK_KERNEL");
  return wanted != nullptr && *wanted != '\0' ? fft_kernel(wanted) : *available_fft_kernels().front();
}

}  // namespace

std::vector<const SimdKernels*> available_fft_kernels() {
  std::vector<const SimdKernels*> kernels;
  if (fft_avx512.forward != nullptr && cpu_has_avx512()) kernels.push_back(&fft_avx512);
  if (fft_avx2.forward != nullptr && cpu_has_avx2_and_fma()) kernels.push_back(&fft_avx2);
  if (fft_neon.forward != nullptr) kernels.push_back(&fft_neon);
  if (fft_sse2.forward != nullptr) kernels.push_back(&fft_sse2);
  kernels.push_back(&fft_scalar);
  return kernels;
}

const SimdKernels& fft_kernel(std::string_view name) {
  std::string names;
  for (const SimdKernels* kernel : available_fft_kernels()) {
    if (name == kernel->name) return *kernel;
    names += (names.empty() ? "" : ", ") + std::string(kernel->name);
  }
  throw std::invalid_argument("kernel (HOCKEYSTICK_KERNEL) must be one of " + names + ", got " + std::string(name));
}

const SimdKernels& default_fft_kernel() {
  static std::atomic<const SimdKernels*> kernel{nullptr};  // no lock: threads that choose at once choose the same
  const SimdKernels* chosen = kernel.load(std::memory_order_relaxed);
  if (chosen == nullptr) kernel.store(chosen = &chosen_kernel(), std::memory_order_relaxed);
  return *chosen;
}

std::string kernel_name() { return default_fft_kernel().name; }

std::vector<std::string> available_kernel_names() {
  std::vector<std::string> names;
  for (const SimdKernels* kernel : available_fft_kernels()) names.emplace_back(kernel->name);
  return names;
}

}  // namespace hockeystick

// SPDX-License-Identifier: Apache-2.0
#include "numeric/simd/cpu.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#if defined(_MSC_VER) && defined(_M_X64)
#include <immintrin.h>
#include <intrin.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hockeystick {
namespace {

#if defined(__x86_64__) || defined(_M_X64)
// The processor is asked itself: not every compiler's run-time library can say what it has.

using Registers = std::array<std::uint32_t, 4>;  // eax, ebx, ecx, edx

Registers cpuid(std::uint32_t leaf) {
#if defined(_MSC_VER)
  int r[4];
  __cpuidex(r, static_cast<int>(leaf), 0);
  return {static_cast<std::uint32_t>(r[0]), static_cast<std::uint32_t>(r[1]), static_cast<std::uint32_t>(r[2]),
          static_cast<std::uint32_t>(r[3])};
#else
  Registers r{};
  __cpuid_count(leaf, 0, r[0], r[1], r[2], r[3]);
  return r;
#endif
}

// Which registers the operating system saves; asks what only processors that have OSXSAVE answer.
std::uint32_t saved_registers() {
#if defined(_MSC_VER)
  return static_cast<std::uint32_t>(_xgetbv(0));
#else
  std::uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
}

// Whether the processor has AVX2 and FMA, and the operating system saves the wide registers.
bool cpu_has_avx2_and_fma() {
  if (cpuid(0)[0] < 7) return false;
  const std::uint32_t features = cpuid(1)[2];
  const bool fma = (features >> 12) & 1, os_saves = (features >> 27) & 1, avx2 = (cpuid(7)[1] >> 5) & 1;
  return fma && os_saves && avx2 && (saved_registers() & 6) == 6;
}

// Whether the processor also has AVX-512 F and DQ, and the operating system saves the masks and the wider registers.
bool cpu_has_avx512() {
  if (!cpu_has_avx2_and_fma()) return false;
  const std::uint32_t features = cpuid(7)[1];
  const bool foundation = (features >> 16) & 1, dq = (features >> 17) & 1;
  return foundation && dq && (saved_registers() & 0xe6) == 0xe6;
}
#else
bool cpu_has_avx2_and_fma() { return false; }
bool cpu_has_avx512() { return false; }
#endif

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
  if (fft_wasm.forward != nullptr) kernels.push_back(&fft_wasm);
  if (fft_sse2.forward != nullptr) kernels.push_back(&fft_sse2);
#if !defined(HOCKEYSTICK_SMALL_MODULE)  // which a module that its host refuses without vectors needs
  kernels.push_back(&fft_scalar);
#endif
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

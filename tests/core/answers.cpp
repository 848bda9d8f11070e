// SPDX-License-Identifier: Apache-2.0
// Prints what every kernel of this build makes of the same numbers, and the answer to each question, a line each, as
// hexadecimal floating point: builds for different processors are compared by these (tests/test_platforms.py). The
// name of a kernel as an argument makes that one answer, and adds hashes of the answers to 10^4 more questions.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "mechanisms/registry.hpp"
#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/simd/cpu.hpp"
#include "questions.hpp"
#include "run/dpsgd.hpp"

namespace {

using namespace hockeystick;
using Numbers = std::vector<double>;

void print(const std::string& name, const Numbers& numbers) {
  std::printf("%s:", name.c_str());
  for (const double x : numbers) std::printf(" %a", x);
  std::puts("");
}

// 64 numbers from `first` on, each `ratio` times the one before.
Numbers geometric(double first, double ratio) {
  Numbers numbers(64, first);
  for (std::size_t i = 1; i < numbers.size(); ++i) numbers[i] = numbers[i - 1] * ratio;
  return numbers;
}

// The error bound, and some of a sequence to the power, alone and as a product.
void add_powers(const SimdKernels& kernel, std::size_t size, std::int64_t power, Numbers& to) {
  const RealFft fft(size, kernel);
  Numbers sequence(size);
  for (std::size_t k = 0; k < size; ++k) sequence[k] = 1 / (static_cast<double>(k + 1) * static_cast<double>(k + 2));
  Numbers copy = sequence, factor = sequence;
  to.push_back(cyclic_power(fft, copy, power));
  CyclicProduct product(fft);
  product.multiply(sequence, 2), product.multiply(factor, 3);
  to.push_back(product.finish(sequence));
  for (std::size_t k = 0; k < size; k += size / 2) to.push_back(copy[k]), to.push_back(sequence[k]);
}

Numbers powers(const SimdKernels& kernel) {
  Numbers all;
  for (const std::size_t size : {2u, 6u, 20u, 64u, 768u, 2560u, 65536u}) add_powers(kernel, size, 7, all);
  add_powers(kernel, 4096, 1000, all);
  return all;
}

Numbers functions(const SimdKernels& kernel) {
  Numbers all;
  const auto add = [&all](void (*apply)(double*, std::size_t), Numbers numbers) {
    apply(numbers.data(), numbers.size());
    all.insert(all.end(), numbers.begin(), numbers.end());
  };
  add(kernel.exponentials, geometric(-1e-9, 1.5));
  add(kernel.exponentials, geometric(1e-9, 1.5));
  add(kernel.exponentials_less_1, geometric(-1e-9, 1.4));
  add(kernel.logarithms, geometric(1e-300, 1e9));
  add(kernel.logarithms_of_1_plus, geometric(1e-18, 2.0));
  add(kernel.normal_tails, geometric(1e-3, 1.17));
  return all;
}

// Numbers in [0, 1) that are the same everywhere.
class Drawn {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 32) * 0x1p-32;
  }
  double between(double low, double high) { return low + (high - low) * (*this)(); }
  double of_sizes(double low, double high) { return math::pow(10, between(low, high)); }

 private:
  std::uint64_t state_ = 1;
};

// FNV-1a, of all bits of the bounds.
class Hash {
 public:
  void add(const Answer& answer) {
    for (const double x : {answer.lower, answer.upper}) {
      std::uint64_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      for (int k = 0; k < 8; ++k) state_ = (state_ ^ (bits >> (8 * k) & 255)) * 1099511628211u;
    }
    ++count_;
  }
  // As two numbers that doubles hold, after how many answers there were.
  void print(const char* name) const {
    std::printf("hash %s: %x %x %x\n", name, count_, static_cast<unsigned>(state_ >> 32),
                static_cast<unsigned>(state_ & 0xffffffff));
  }

 private:
  std::uint64_t state_ = 14695981039346656037u;
  unsigned count_ = 0;
};

constexpr Limits limits{1e-3, std::size_t{1} << 28};

void hash_dpsgd(Drawn& drawn) {
  Hash hash;
  Numbers noise, rate, delta;
  std::vector<std::int64_t> steps;
  for (int k = 0; k < 5000; ++k) {
    noise.push_back(drawn.between(0.6, 5)), rate.push_back(drawn.of_sizes(-4, 0));
    steps.push_back(static_cast<std::int64_t>(drawn.of_sizes(2, 6))), delta.push_back(drawn.of_sizes(-12, -3));
  }
  const DpsgdPairs pairs{{"poisson_gaussian_remove", "poisson_gaussian_add"}, 1};
  for (const Answer& each : dpsgd_epsilon_bounds({noise, rate, steps, delta}, pairs, limits)) hash.add(each);
  hash.print("DP-SGD");
}

// Both ways, of runs of one mechanism with one parameter.
void hash_runs(Drawn& drawn, const char* name, int runs, double least, double most, double longest) {
  Hash hash;
  for (int k = 0; k < runs; ++k) {
    const double parameter = drawn.between(least, most);
    const auto count = static_cast<std::int64_t>(drawn.of_sizes(0, longest));
    const std::vector<Direction> asked{{{dominating_pair(name, Parameters(&parameter, 1)), count}}};
    const Numbers delta{drawn.of_sizes(-9, -2)}, epsilon{drawn.between(0, 4)};
    hash.add(epsilon_bounds(asked, delta, limits).front()), hash.add(delta_bounds(asked, epsilon, limits).front());
  }
  hash.print(name);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
#if defined(_WIN32)
    _putenv_s("HOCKEYSTICK_KERNEL", arguments[1]);
#else
    setenv("HOCKEYSTICK_KERNEL", arguments[1], 1);
#endif
    Drawn drawn;
    hash_dpsgd(drawn);
    hash_runs(drawn, "gaussian", 1500, 0.5, 50, 4);
    hash_runs(drawn, "laplace", 900, 0.5, 20, 0);
    hash_runs(drawn, "permute_and_flip", 100, 0.01, 0.2, 2);
  }
  for (const SimdKernels* kernel : available_fft_kernels()) {
    print(std::string(kernel->name) + " powers", powers(*kernel));
    print(std::string(kernel->name) + " functions", functions(*kernel));
  }
  for (const core_tests::Question& question : core_tests::questions())
    if (question.name != "kernels") print("question " + question.name, question.answer());
}

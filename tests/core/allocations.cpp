// SPDX-License-Identifier: Apache-2.0
// The n-th allocation of each question is denied, for n = 1, 2, ..: std::bad_alloc comes out, nothing is lost, and the
// question has the same answer as before. With an argument, of so many allocations at most; else of 300.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "questions.hpp"

namespace {

std::atomic<long> countdown{0};  // allocations until one is denied; none is at 0 or below
std::atomic<long> made{0}, live{0};

void* allocate(std::size_t size) {
  ++made;
  if (countdown > 0 && --countdown == 0) return nullptr;
  void* const at = std::malloc(size == 0 ? 1 : size);
  if (at != nullptr) ++live;
  return at;
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* const at = allocate(size)) return at;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* at) noexcept {
  if (at != nullptr) --live;
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { operator delete(at); }

namespace {

// Whether bad_alloc came out; if not, the answer is the right one, got without what was denied.
bool denied(const core_tests::Question& question, long n, const std::vector<double>& expected, int& wrong) {
  try {
    countdown = n;
    const std::vector<double> got = question.answer();
    countdown = 0;
    if (!core_tests::same(got, expected)) ++wrong;
    return false;
  } catch (const std::bad_alloc&) {
    countdown = 0;
    return true;
  }
}

void check(const core_tests::Question& question, long most) {
  // Cold first: what is made once and kept is denied at every point of its making, too.
  long first_failures = 0;
  for (long n = 1; n <= most; ++n, ++first_failures) {
    try {
      countdown = n;
      question.answer();
      break;
    } catch (const std::bad_alloc&) {
    }
  }
  countdown = 0;
  const std::vector<double> expected = question.answer();
  question.answer();
  const long before = made;
  question.answer();
  const long count = made - before, stride = count / most + 1;
  const long kept = live;
  int wrong = 0;
  long failures = 0;
  for (long n = 1; n <= count; n += stride) failures += denied(question, n, expected, wrong);
  const long lost = live - kept;
  const bool right = core_tests::same(question.answer(), expected);
  std::printf("%-22s %6ld allocations, %4ld + %4ld denied, %ld lost%s\n", question.name.c_str(), count, first_failures,
              failures, lost, right && wrong == 0 ? "" : ", another answer afterwards");
  if (!right || wrong > 0 || lost != 0 || failures == 0) std::exit(1);
}

}  // namespace

int main(int count, char** arguments) {
  const long most = count > 1 ? std::atol(arguments[1]) : 300;
  for (const core_tests::Question& question : core_tests::questions()) check(question, most);
}

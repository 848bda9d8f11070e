// SPDX-License-Identifier: Apache-2.0
// Eight threads ask all questions at once, each in its own order, and get the answers that one gets alone.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "numeric/runtime/checkpoint.hpp"
#include "questions.hpp"

namespace {

constexpr std::size_t threads = 8;

void nothing() {}

using Answered = std::vector<std::vector<double>>;

// The questions from `first` on, round and round; every other thread is watched.
void ask_all(std::size_t first, Answered& answered) {
  const hockeystick::Watched watched(first % 2 == 0 ? &nothing : nullptr);
  const auto& questions = core_tests::questions();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::size_t k = (first * 3 + i) % questions.size();
    answered[k] = questions[k].answer();
  }
}

}  // namespace

int main() {
  const std::size_t size = core_tests::questions().size();
  std::vector<Answered> answered(threads, Answered(size));
  std::vector<std::thread> running;  // first, so that whatever is made once is made by several at a time
  for (std::size_t t = 0; t < threads; ++t) running.emplace_back([&answered, t] { ask_all(t, answered[t]); });
  for (std::thread& thread : running) thread.join();
  Answered alone(size);
  ask_all(0, alone);
  int wrong = 0;
  for (std::size_t k = 0; k < size; ++k)
    for (const Answered& one : answered)
      if (one[k].empty() || !core_tests::same(one[k], alone[k]))
        ++wrong, std::printf("%s: another answer in a thread\n", core_tests::questions()[k].name.c_str());
  std::printf("%zu questions in %zu threads, %d wrong\n", size, threads, wrong);
  return wrong == 0 ? 0 : 1;
}

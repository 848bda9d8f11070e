// SPDX-License-Identifier: Apache-2.0
// Each question once more after it was answered, within a function of its own, so that callgrind counts what it takes:
// .ci/instructions. Prints the names in that order.
#include <cstdio>
#include <vector>

#include "questions.hpp"

// By a name that is not mangled.
extern "C" std::size_t measured(const core_tests::Question* question) { return question->answer().size(); }

int main() {
  std::size_t (*const volatile not_inlined)(const core_tests::Question*) = &measured;
  for (const core_tests::Question& question : core_tests::questions()) {
    question.answer();
    if (not_inlined(&question) > 0) std::puts(question.name.c_str());
  }
}

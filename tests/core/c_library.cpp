// SPDX-License-Identifier: Apache-2.0
// The C library from threads that share a run, with damaged ledgers and bad arguments: for sanitizers.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "hockeystick.h"

namespace {

std::atomic<int> wrong{0};

void expect(bool held, const char* what) {
  if (held) return;
  ++wrong;
  std::printf("wrong: %s (%s)\n", what, hs_last_error());
}

const std::string ledger =
    R"({"schema": "hockeystick.Accountant", "version": 1, "adjacency": "add-or-remove-one", "tolerance": 1e-3,
        "ledger": [{"mechanism": {"type": "PoissonSampled", "mechanism": {"type": "Gaussian", "noise_multiplier": 1.0},
        "sampling_probability": 0.01}, "count": 100, "label": "\u00e9"}, {"mechanism": {"type": "DiscretePair",
        "p": [0.5, 0.25, 0.25], "q": [1, 0, 0]}, "count": 1}]})";

void read_damaged(unsigned seed) {
  std::mt19937 random(seed);
  const std::string pieces[] = {"", "{", "]", "\"", "9", std::string(1, '\0'), "\xff", "\\u1", "[[", "1e999", "-", ","};
  for (int k = 0; k < 2000; ++k) {
    std::string text = ledger;
    for (unsigned times = random() % 4; times-- > 0;)
      text.replace(random() % text.size(), random() % 20, pieces[random() % std::size(pieces)]);
    hs_run* run = hs_run_new();
    const int status = hs_run_add_json(run, text.data(), text.size());
    expect(status == HS_OK || status == HS_BAD_ARGUMENT, "a damaged ledger");
    hs_run_free(run);
  }
}

void give_bad_arguments() {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, inf, -inf, -1.0, 0.0, 1e-9, 2e12}) {
    hs_answer answer;
    const double rate = 0.01, delta = 1e-5;
    const std::int64_t steps = 10;
    expect(hs_dpsgd_epsilon(&bad, &rate, &steps, &delta, 1, nullptr, &answer) == HS_BAD_ARGUMENT, "noise");
    hs_run* run = hs_run_new();
    const hs_parameter given{"noise_multiplier", bad, nullptr, 0};
    expect(hs_run_add(run, "gaussian", &given, 1, 1) == HS_BAD_ARGUMENT, "noise of a run");
    hs_run_free(run);
  }
}

void ask(const hs_run* run, double expected) {
  for (int k = 0; k < 5; ++k) {
    hs_answer answer;
    const double delta = 1e-5, level = 0.5;
    expect(hs_epsilon(run, &delta, 1, nullptr, &answer) == HS_OK && answer.upper == expected, "epsilon");
    expect(hs_loss_quantile(run, &level, 1, nullptr, &answer) >= HS_OK, "a quantile");
    expect(hs_epsilon(run, nullptr, 1, nullptr, &answer) == HS_BAD_ARGUMENT, "NULL");
  }
}

void share_an_array() {
  std::size_t n = 50;
  std::vector<double> noise(n, 1.0), deltas(n, 1e-6), rates;
  std::vector<std::int64_t> steps;
  for (std::size_t k = 0; k < n; ++k) rates.push_back(0.001 * static_cast<double>(k)), steps.push_back(100);
  hs_options options;
  hs_default_options(&options, sizeof options);
  std::vector<hs_answer> alone(n), shared(n);
  const auto ask = [&](std::vector<hs_answer>& to) {
    return hs_dpsgd_epsilon(noise.data(), rates.data(), steps.data(), deltas.data(), n, &options, to.data());
  };
  expect(ask(alone) == HS_OK, "an array");
  options.threads = 4;
  expect(ask(shared) == HS_OK, "an array that threads share");
  for (std::size_t k = 0; k < n; ++k)
    expect(alone[k].lower == shared[k].lower && alone[k].upper == shared[k].upper, "the same bits");
  n = 100000;  // longer than the watch waits
  options.watch = [](void*) { return 1; };
  deltas.assign(n, 1e-6), rates.assign(n, 0.5), steps.assign(n, 1000), shared.resize(n), noise.clear();
  for (std::size_t k = 0; k < n; ++k) noise.push_back(1 + 1e-5 * static_cast<double>(k));
  expect(ask(shared) == HS_STOPPED, "a watch of threads");
}

}  // namespace

int main() {
  const hs_parameter step[] = {{"noise_multiplier", 1.0, nullptr, 0}, {"sampling_probability", 0.01, nullptr, 0}};
  hs_run *run = hs_run_new(), *same = hs_run_new();
  hs_answer answer;
  const double delta = 1e-5;
  for (hs_run* each : {run, same}) expect(hs_run_add(each, "poisson_sampled(laplace)", step, 2, 500) == HS_OK, "a run");
  expect(hs_epsilon(same, &delta, 1, nullptr, &answer) == HS_OK, "its epsilon");
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 4; ++k) {
    threads.emplace_back(ask, run, answer.upper);
    threads.emplace_back(read_damaged, k);
  }
  give_bad_arguments();
  share_an_array();
  for (std::thread& thread : threads) thread.join();
  hs_run_free(run);
  hs_run_free(same);
  std::printf("the C library: %d wrong\n", wrong.load());
  return wrong == 0 ? 0 : 1;
}

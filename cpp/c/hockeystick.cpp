// SPDX-License-Identifier: Apache-2.0
#include "hockeystick.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "c/guard.hpp"
#include "c/ledger.hpp"
#include "c/question.hpp"
#include "c/run.hpp"
#include "methods/questions.hpp"
#include "run/dpsgd.hpp"

using namespace hockeystick;

namespace {

constexpr std::size_t message_room = 1024;
thread_local char message[message_room] = "";

// Null beyond the last. The names in the table are literals, which end with a zero.
const MechanismKind* kind_at(std::size_t index) noexcept {
  try {
    const auto kinds = mechanism_kinds();
    return index < kinds.size() ? &kinds[index] : nullptr;
  } catch (...) {  // of the first call, without memory
    return nullptr;
  }
}

}  // namespace

void c::remember(std::string_view text) noexcept {
  const std::size_t length = std::min(text.size(), message_room - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

extern "C" {

int hs_abi_version(void) { return HS_ABI_VERSION; }

const char* hs_version(void) { return HOCKEYSTICK_VERSION; }

const char* hs_last_error(void) { return message; }

void hs_default_options(hs_options* options, size_t size) { c::write_default_options(options, size); }

const char* hs_mechanism_name(size_t index) {
  const MechanismKind* kind = kind_at(index);
  return kind == nullptr ? nullptr : kind->name.data();
}

const char* hs_mechanism_parameter(size_t index, size_t parameter) {
  const MechanismKind* kind = kind_at(index);
  if (kind == nullptr || parameter >= kind->arguments.size()) return nullptr;
  return kind->arguments[parameter].name.data();
}

hs_run* hs_run_new(void) { return new (std::nothrow) hs_run; }

void hs_run_free(hs_run* run) { delete run; }

int hs_run_add(hs_run* run, const char* mechanism, const hs_parameter* parameters, size_t n, int64_t count) {
  return c::guarded([&] {
    c::not_null(run, "run");
    c::not_null(mechanism, "mechanism");
    const c::Part part{c::mechanism_named(mechanism, c::array(parameters, n, "parameters", 100)), count};
    run->add({&part, 1});
    return HS_OK;
  });
}

int hs_run_add_json(hs_run* run, const char* text, size_t length) {
  return c::guarded([&] {
    c::not_null(run, "run");
    c::not_null(text, "text");
    const c::Ledger ledger = c::ledger_of({text, length});
    const std::size_t before = run->adjacency();
    run->set_adjacency(ledger.adjacency);
    try {
      run->add(ledger.parts);
    } catch (...) {
      run->set_adjacency(before);
      throw;
    }
    return HS_OK;
  });
}

int hs_epsilon(const hs_run* run, const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, {Wanted::epsilon}, {deltas, n, "deltas"}, options, answers,
                [](const hs_run::Directions& directions, std::span<const double> at, const Limits& limits) {
                  return epsilon_bounds(directions.asked, at, limits);
                });
}

int hs_delta(const hs_run* run, const double* epsilons, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, {Wanted::delta}, {epsilons, n, "epsilons"}, options, answers,
                [](const hs_run::Directions& directions, std::span<const double> at, const Limits& limits) {
                  return delta_bounds(directions.asked, at, limits);
                });
}

int hs_dpsgd_epsilon(const double* noise_multipliers, const double* sampling_probabilities, const int64_t* steps,
                     const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return c::asked(options, n, answers, [&](std::size_t adjacency, const Limits& limits, std::int32_t threads) {
    const DpsgdRuns runs{c::array(noise_multipliers, n, "noise_multipliers"),
                         c::array(sampling_probabilities, n, "sampling_probabilities"), c::array(steps, n, "steps"),
                         c::array(deltas, n, "deltas")};
    return dpsgd_epsilon_bounds(runs, dpsgd_pairs(adjacencies[adjacency]), limits, threads);
  });
}

}  // extern "C"

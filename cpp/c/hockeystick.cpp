// SPDX-License-Identifier: Apache-2.0
#include "hockeystick.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include "c/guard.hpp"
#include "c/question.hpp"
#include "c/run.hpp"
#include "run/dpsgd.hpp"
#include "run/ledger.hpp"

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

Mechanism c::mechanism_named(std::string_view name, std::span<const hs_parameter> given) {
  std::vector<Given> parameters;
  for (const hs_parameter& one : given) {
    const char* named = not_null(one.name, "name of each parameter");
    parameters.push_back({named, {one.value}, one.values != nullptr});
    if (one.values == nullptr) continue;
    checked("count of " + std::string(named), static_cast<double>(one.count), {1, 1e6, Range::Ends::closed, true});
    parameters.back().values.assign(one.values, one.values + one.count);
  }
  return hockeystick::mechanism_named(name, parameters);
}

std::size_t c::adjacency_index(std::int32_t adjacency) {
  if (adjacency < HS_ADD_OR_REMOVE_ONE || adjacency > HS_REPLACE_SPECIAL)
    throw std::invalid_argument("adjacency must be one of HS_ADD_OR_REMOVE_ONE to HS_REPLACE_SPECIAL, got " +
                                std::to_string(adjacency));
  return static_cast<std::size_t>(adjacency - HS_ADD_OR_REMOVE_ONE);
}

void hs_run::add(std::span<const DescribedTerm> terms) {
  tally_.add(terms);
  run_.reset();
}

void hs_run::set_adjacency(std::size_t index) {
  if (!tally_.is_empty() && index != adjacency_)
    throw std::invalid_argument("adjacency of the ledger must be that of the run, " +
                                std::string(adjacencies[adjacency_].name) + ", got " +
                                std::string(adjacencies[index].name));
  adjacency_ = index;
}

std::shared_ptr<const Run> hs_run::run() const {
  const std::lock_guard lock(mutex_);
  if (run_ == nullptr) run_ = std::make_shared<const Run>(tally_.terms());
  return run_;
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
    const DescribedTerm term{c::mechanism_named(mechanism, c::array(parameters, n, "parameters", 100)), count};
    run->add({&term, 1});
    return HS_OK;
  });
}

int hs_run_add_json(hs_run* run, const char* text, size_t length) {
  return c::guarded([&] {
    c::not_null(run, "run");
    c::not_null(text, "text");
    const Ledger ledger = ledger_of({text, length});
    const std::size_t before = run->adjacency();
    run->set_adjacency(ledger.adjacency);
    try {
      run->add(ledger.terms);
    } catch (...) {
      run->set_adjacency(before);
      throw;
    }
    return HS_OK;
  });
}

int hs_epsilon(const hs_run* run, const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, View::epsilon, {deltas, n, "deltas"}, options, answers);
}

void hs_epsilon_by_pointers(const char* const* ledger, const double* delta, double* lower, double* upper, int* status,
                            const char** why) {
  if (status == nullptr) return;
  *status = c::guarded([&] {
    const char* text = c::not_null(*c::not_null(ledger, "ledger"), "ledger");
    c::not_null(lower, "lower");
    c::not_null(upper, "upper");
    const std::unique_ptr<hs_run, void (*)(hs_run*)> run(hs_run_new(), hs_run_free);
    hs_answer answer{};
    int found = run == nullptr ? HS_NO_MEMORY : hs_run_add_json(run.get(), text, std::strlen(text));
    if (found >= HS_OK) found = hs_epsilon(run.get(), delta, 1, nullptr, &answer);
    if (found >= HS_OK) *lower = answer.lower, *upper = answer.upper;
    return found;
  });
  if (why != nullptr) *why = message;
}

int hs_delta(const hs_run* run, const double* epsilons, size_t n, const hs_options* options, hs_answer* answers) {
  return c::ask(run, View::delta, {epsilons, n, "epsilons"}, options, answers);
}

int hs_dpsgd_epsilon(const double* noise_multipliers, const double* sampling_probabilities, const int64_t* steps,
                     const double* deltas, size_t n, const hs_options* options, hs_answer* answers) {
  return c::asked(options, n, answers, [&](std::size_t adjacency, const Limits& limits, std::int32_t threads) {
    const DpsgdRuns runs{c::array(noise_multipliers, n, "noise_multipliers"),
                         c::array(sampling_probabilities, n, "sampling_probabilities"), c::array(steps, n, "steps"),
                         c::array(deltas, n, "deltas")};
    return dpsgd_epsilon_bounds(runs, dpsgd_pairs(adjacency), limits, threads);
  });
}

}  // extern "C"

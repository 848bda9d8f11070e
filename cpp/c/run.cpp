// SPDX-License-Identifier: Apache-2.0
#include "c/run.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "c/guard.hpp"
#include "mechanisms/known_pairs.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "run/enclosing.hpp"

namespace hockeystick::c {
namespace {

constexpr int deepest = 8;
constexpr std::size_t pairs_between_checkpoints = 16;    // a pair takes a few microseconds, few a millisecond
constexpr std::size_t parts_between_checkpoints = 1024;  // a part takes less than a microsecond

struct Parameter {
  Given given;
  bool is_taken = false;
};

Mechanism named(std::string_view name, std::span<Parameter> parameters, int depth) {
  if (depth > deepest) throw std::invalid_argument("mechanism must be nested less deeply");
  const std::size_t open = name.find('(');
  Mechanism inner;
  if (open != name.npos) {
    if (name.back() != ')') throw std::invalid_argument("mechanism must end with ')' where it has a '('");
    inner = named(name.substr(open + 1, name.size() - open - 2), parameters, depth + 1);
  }
  const MechanismKind& kind = mechanism_kind(name.substr(0, open));
  std::vector<Given> own;
  for (Parameter& parameter : parameters) {
    const auto is_named = [&](const Argument& argument) { return argument.name == parameter.given.name; };
    if (std::none_of(kind.arguments.begin(), kind.arguments.end(), is_named)) continue;
    own.push_back(parameter.given);
    parameter.is_taken = true;
  }
  return described(kind, own, std::move(inner));
}

// By number, and NaN, an argument that is not given, after all numbers.
bool is_less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

bool is_less(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  const auto by_number = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(),
                                        [](double one, double other) { return is_less(one, other); });
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), by_number);
}

Direction terms_of(std::span<const Part> parts, Comparison way) {
  Direction terms;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    checkpoint_each<pairs_between_checkpoints>(k);
    terms.push_back({known_pair(dominating_pair_name(*parts[k].mechanism, way)), parts[k].count});
  }
  return terms;
}

bool equal(const Direction& a, const Direction& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Term& x, const Term& y) { return x.pair == y.pair && x.count == y.count; });
}

}  // namespace

Mechanism mechanism_named(std::string_view name, std::span<const hs_parameter> given) {
  std::vector<Parameter> parameters;
  for (const hs_parameter& one : given) {
    const char* named = not_null(one.name, "name of each parameter");
    parameters.push_back({{named, {one.value}, one.values != nullptr}});
    if (one.values == nullptr) continue;
    checked("count of " + std::string(named), static_cast<double>(one.count), {1, 1e6, Range::Ends::closed, true});
    parameters.back().given.values.assign(one.values, one.values + one.count);
  }
  Mechanism made = c::named(name, parameters, 0);
  for (const auto& [given_one, is_taken] : parameters)
    if (!is_taken)
      throw std::invalid_argument("parameters must be those of " + std::string(name) + ", got '" +
                                  given_one.name.substr(0, 80) + "'");
  return made;
}

bool Before::operator()(const Mechanism& a, const Mechanism& b) const {
  if (a == b) return false;
  if (a->kind != b->kind) return a->kind->name < b->kind->name;
  if (is_less(a->values, b->values)) return true;
  return a->inner && b->inner && !is_less(b->values, a->values) && (*this)(a->inner, b->inner);
}

std::size_t adjacency_index(std::int32_t adjacency) {
  if (adjacency < HS_ADD_OR_REMOVE_ONE || adjacency > HS_REPLACE_SPECIAL)
    throw std::invalid_argument("adjacency must be one of HS_ADD_OR_REMOVE_ONE to HS_REPLACE_SPECIAL, got " +
                                std::to_string(adjacency));
  return static_cast<std::size_t>(adjacency - HS_ADD_OR_REMOVE_ONE);
}

}  // namespace hockeystick::c

using namespace hockeystick;

void hs_run::add(std::span<const c::Part> more) {
  Counts totals;
  for (const auto& [mechanism, count] : more) {
    checked("count", static_cast<double>(count), ranges::count);
    const Mechanism simplest = simplified(mechanism);
    if (simplest == nullptr || count == 0) continue;
    const auto [at, is_new] = totals.try_emplace(simplest, 0);
    if (is_new)
      if (const auto known = counts_.find(simplest); known != counts_.end()) at->second = known->second;
    at->second += count;
    checked("count", static_cast<double>(at->second), ranges::count);
  }
  // Nothing below throws.
  for (const auto& [mechanism, total] : totals)
    if (const auto known = counts_.find(mechanism); known != counts_.end()) known->second = total;
  counts_.merge(totals);
  parts_.clear();
  made_.clear();
  sides_.clear();
}

const std::vector<c::Part>& hs_run::parts() const {
  const std::lock_guard lock(mutex_);
  return listed();
}

const std::vector<c::Part>& hs_run::listed() const {
  if (!parts_.empty()) return parts_;
  std::vector<c::Part> all;
  for (const auto& [mechanism, count] : counts_) {
    checkpoint_each<c::parts_between_checkpoints>(all.size());
    all.push_back({mechanism, count});
  }
  return parts_ = std::move(all);
}

void hs_run::set_adjacency(std::size_t index) {
  if (!counts_.empty() && index != adjacency_)
    throw std::invalid_argument("adjacency of the ledger must be that of the run, " +
                                std::string(adjacencies[adjacency_].name) + ", got " +
                                std::string(adjacencies[index].name));
  adjacency_ = index;
}

const hs_run::Directions& hs_run::directions(std::size_t adjacency) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = made_.find(adjacency); found != made_.end()) return found->second;
  Directions made;
  made.is_symmetric = adjacencies[adjacency].comparisons.size() > 1;
  for (const Comparison way : adjacencies[adjacency].comparisons) {
    Direction terms = c::terms_of(listed(), way);
    if (std::any_of(made.asked.begin(), made.asked.end(),
                    [&](const Direction& known) { return c::equal(known, terms); }))
      continue;
    made.asked.push_back(std::move(terms));
    made.reverses.push_back(c::terms_of(listed(), reversed(way)));
  }
  return made_.emplace(adjacency, std::move(made)).first->second;
}

bool hs_run::is_exact() const {
  return std::all_of(counts_.begin(), counts_.end(),
                     [](const auto& part) { return hockeystick::is_exact(*part.first); });
}

hs_run::Directions hs_run::directions(std::size_t adjacency, const Side& side) const {
  constexpr std::size_t most = 16;
  const std::lock_guard lock(mutex_);
  const std::pair key{adjacency, side};
  if (const auto found = sides_.find(key); found != sides_.end()) return found->second;
  const auto runs = side.is_above ? runs_above : runs_below;
  const SideAccuracy accuracy{{side.cells, side.tail}, side.told};
  const auto comparisons = adjacencies[adjacency].comparisons;
  Directions made{runs(listed(), comparisons, accuracy), {}, comparisons.size() > 1, false};
  if (!made.is_symmetric) {
    const Comparison back = reversed(comparisons.front());
    made.reverses = runs(listed(), {&back, 1}, accuracy);
  }
  if (sides_.size() >= most) sides_.clear();
  return sides_.emplace(key, std::move(made)).first->second;
}

std::vector<Direction> hs_run::Directions::both() const {
  std::vector<Direction> all = asked;
  if (!is_symmetric)
    for (const Direction& reverse : reverses)
      if (std::none_of(asked.begin(), asked.end(), [&](const Direction& one) { return c::equal(one, reverse); }))
        all.push_back(reverse);
  return all;
}

// SPDX-License-Identifier: Apache-2.0
#include "run/run.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include "mechanisms/known_pairs.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"
#include "run/enclosing.hpp"

namespace hockeystick {
namespace {

constexpr int deepest = 8;
constexpr std::size_t pairs_between_checkpoints = 16;    // a pair takes a few microseconds, few a millisecond
constexpr std::size_t terms_between_checkpoints = 1024;  // a term takes less than a microsecond

// Guards the pairs that runs have made, which take no time to read and write. Never destroyed: threads may ask while
// the process exits.
ForkSafeMutex& guard = *new ForkSafeMutex;

// Orders values as numbers; NaN, an argument that is not given, comes after all numbers.
bool is_less(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

bool is_less(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  const auto by_number = [](const std::vector<double>& x, const std::vector<double>& y) {
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(),
                                        [](double one, double other) { return is_less(one, other); });
  };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), by_number);
}

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

}  // namespace

bool Before::operator()(const Mechanism& a, const Mechanism& b) const {
  if (a == b) return false;
  if (a->kind != b->kind) return a->kind->name < b->kind->name;
  if (is_less(a->values, b->values)) return true;
  return a->inner && b->inner && !is_less(b->values, a->values) && (*this)(a->inner, b->inner);
}

void Tally::add(std::span<const DescribedTerm> terms) {
  std::map<Mechanism, std::int64_t, Before> totals;
  for (const auto& [mechanism, count] : terms) {
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
}

std::vector<DescribedTerm> Tally::terms() const {
  std::vector<DescribedTerm> all;
  for (const auto& [mechanism, count] : counts_) {
    checkpoint_each<terms_between_checkpoints>(all.size());
    all.push_back({mechanism, count});
  }
  return all;
}

Run::Run(Terms terms) : terms_(std::move(terms)) {
  is_exact_ = std::all_of(terms_.begin(), terms_.end(),
                          [](const DescribedTerm& term) { return hockeystick::is_exact(*term.mechanism); });
}

Run::Run(std::vector<std::shared_ptr<const Run>> parts) : parts_(std::move(parts)) {
  is_exact_ = std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_exact(); });
}

std::shared_ptr<const Run> Run::unsampled() const {
  bool is_other = false;
  std::vector<std::shared_ptr<const Run>> parts = parts_;
  for (auto& part : parts)
    if (auto whole = part->unsampled()) part = std::move(whole), is_other = true;
  if (!parts.empty()) return is_other ? std::make_shared<const Run>(std::move(parts)) : nullptr;
  Terms terms;
  for (const DescribedTerm& term : terms_) {
    const std::vector<DescribedTerm> others = at_most(*term.mechanism);
    if (others.empty()) terms.push_back(term);
    for (const auto& [one, times] : others) {
      if (!ranges::count.holds(static_cast<double>(times) * static_cast<double>(term.count))) return nullptr;
      is_other = true;
      if (const Mechanism simplest = simplified(one)) terms.push_back({simplest, times * term.count});
    }
  }
  return is_other ? std::make_shared<const Run>(std::move(terms)) : nullptr;
}

bool Run::groups_by_part() const {
  const auto is_gaussian = [](const DescribedTerm& term) { return term.mechanism->kind->name == "gaussian"; };
  // proof: groups-across-parts
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->groups_by_part(); }) &&
         std::all_of(terms_.begin(), terms_.end(), is_gaussian);
}

bool Run::is_exact_in(std::size_t adjacency) const {
  if (is_exact_) return true;
  const auto tells_all = [&](const Described& one) {
    const std::span<const Comparison> ways = adjacencies[adjacency].comparisons;
    return hockeystick::is_exact(one) || (one.own && std::all_of(ways.begin(), ways.end(), [&](Comparison way) {
                                            return one.own->is_exact_in(way);
                                          }));
  };
  return std::all_of(parts_.begin(), parts_.end(), [&](const auto& part) { return part->is_exact_in(adjacency); }) &&
         std::all_of(terms_.begin(), terms_.end(),
                     [&](const DescribedTerm& term) { return tells_all(*term.mechanism); });
}

Direction Run::pairs(Comparison way) const {
  const Terms dominating = is_exact_ ? Terms{} : dominating_run(terms_);
  const Terms& terms = is_exact_ ? terms_ : dominating;
  Direction all;
  all.reserve(terms.size());
  for (const auto& [mechanism, count] : terms) {
    checkpoint_each<pairs_between_checkpoints>(all.size());
    all.push_back({known_pair(dominating_pair_name(*mechanism, way)), count});
  }
  return all;
}

std::vector<Direction> Run::made(std::size_t adjacency) const {
  std::vector<Direction> all;
  const auto add = [&](Direction one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
  };
  for (const auto& part : parts_)
    for (const Direction& one : *part->directions(adjacency)) add(one);
  if (parts_.empty())
    for (const Comparison way : adjacencies[adjacency].comparisons) add(pairs(way));
  return all;
}

Run::Directions Run::directions(std::size_t adjacency) const {
  {
    const std::lock_guard lock(guard);
    if (made_[adjacency]) return made_[adjacency];
  }
  auto now = std::make_shared<const std::vector<Direction>>(made(adjacency));
  const std::lock_guard lock(guard);
  return made_[adjacency] ? made_[adjacency] : made_[adjacency] = std::move(now);
}

std::vector<Direction> Run::reverses(std::size_t adjacency) const {
  if (std::any_of(terms_.begin(), terms_.end(),
                  [](const auto& term) { return term.mechanism->own && !term.mechanism->own->has_reverses(); }))
    return {};
  const Directions known = directions(adjacency);
  std::vector<Direction> all(known->size());
  const auto add = [&](const Direction& one, Direction reverse) {
    all[static_cast<std::size_t>(std::find(known->begin(), known->end(), one) - known->begin())] = std::move(reverse);
  };
  for (const auto& part : parts_) {
    const Directions some = part->directions(adjacency);
    std::vector<Direction> reverses = part->reverses(adjacency);
    if (reverses.empty() && !some->empty()) return {};
    for (std::size_t k = 0; k < some->size(); ++k) add((*some)[k], std::move(reverses[k]));
  }
  if (parts_.empty())
    for (const Comparison way : adjacencies[adjacency].comparisons) add(pairs(way), pairs(hockeystick::reversed(way)));
  return all;
}

Mechanism mechanism_named(std::string_view name, std::span<const Given> given) {
  std::vector<Parameter> parameters;
  for (const Given& one : given) parameters.push_back({one});
  Mechanism made = named(name, parameters, 0);
  for (const auto& [one, is_taken] : parameters)
    if (!is_taken)
      throw std::invalid_argument("parameters must be those of " + std::string(name) + ", got '" +
                                  one.name.substr(0, 80) + "'");
  return made;
}

std::size_t symmetric(std::size_t adjacency) { return adjacencies[adjacency].comparisons.size() == 1 ? 0 : adjacency; }

std::size_t reversed(std::size_t adjacency) {
  constexpr std::size_t remove_one = 1, add_one = 2;
  return adjacency == remove_one ? add_one : adjacency == add_one ? remove_one : adjacency;
}

}  // namespace hockeystick

// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/described.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/described/rows.hpp"

namespace hockeystick {
namespace {

// The first characters, so that a message stays short.
std::string shown(std::string_view text) { return "'" + std::string(text.substr(0, 80)) + "'"; }

template <class Items>
std::string names_of(const Items& items) {
  std::string all;
  for (const auto& item : items) all += (all.empty() ? "" : ", ") + std::string(item.name);
  return all.empty() ? "none" : all;
}

// The values of an argument, or what the argument is if there are none.
std::vector<double> checked_values(const MechanismKind& kind, const Argument& argument, std::vector<double> values) {
  if (values.empty()) {
    if (!argument.otherwise)
      throw std::invalid_argument(std::string(argument.name) + " must be given for " + std::string(kind.name));
    return {*argument.otherwise};
  }
  if (argument.kind == Argument::Kind::number && values.size() != 1)
    throw std::invalid_argument(std::string(argument.name) + " must be a number");
  for (double& x : values) {
    if (!(argument.or_zero && x == 0)) checked(argument.name, x, argument.range);
    x += 0.0;  // which turns -0 into 0
  }
  return values;
}

std::vector<double> value_of(const Argument& argument, std::span<const Given> all) {
  const auto named = [&](const Given& given) { return given.name == argument.name; };
  const auto found = std::find_if(all.begin(), all.end(), named);
  if (found == all.end()) return {};
  if (std::find_if(found + 1, all.end(), named) != all.end())
    throw std::invalid_argument(std::string(argument.name) + " must be given once");
  if (found->is_list != (argument.kind == Argument::Kind::list))
    throw std::invalid_argument(std::string(argument.name) + " must be a " +
                                (found->is_list ? "number" : "list of numbers"));
  if (found->values.empty()) throw std::invalid_argument(std::string(argument.name) + " must hold a number, got none");
  return found->values;
}

void refuse_unknown(const MechanismKind& kind, std::span<const Given> arguments) {
  for (const Given& given : arguments) {
    const auto named = [&](const Argument& argument) { return argument.name == given.name; };
    if (std::none_of(kind.arguments.begin(), kind.arguments.end(), named))
      throw std::invalid_argument("parameters of " + std::string(kind.name) + " are " + names_of(kind.arguments) +
                                  ", got " + shown(given.name));
  }
}

// The Rows fill this before main; afterwards it is only read.
std::vector<MechanismKind>& rows_of_files() {
  static std::vector<MechanismKind> rows;
  return rows;
}

bool equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

bool Described::operator==(const Described& other) const {
  const auto equal_lists = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
  };
  return kind == other.kind && own == other.own &&
         std::equal(values.begin(), values.end(), other.values.begin(), other.values.end(), equal_lists) &&
         (inner == other.inner || (inner && other.inner && *inner == *other.inner));
}

std::span<const MechanismKind> mechanism_kinds() {
  static const std::vector<MechanismKind> all = [] {
    std::vector<MechanismKind> rows = rows_of_files();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    for (auto* part : {&rows::continuous, &rows::discrete, &rows::sampled, &rows::enclosed, &rows::fixed_size,
                       &rows::given, &rows::renyi, &rows::between, &rows::shuffled_local})
      for (MechanismKind& row : part()) rows.push_back(std::move(row));
    return rows;
  }();
  return all;
}

rows::Row::Row(MechanismKind kind) { rows_of_files().push_back(std::move(kind)); }

PairName rows::own_pair(const Described& one, Comparison) {
  PairName own{std::string(one.kind->name), {}};
  for (const std::vector<double>& values : one.values)
    own.parameters.insert(own.parameters.end(), values.begin(), values.end());
  return own;
}

PairName rows::inner_pair(const Described& one, Comparison way) { return dominating_pair_name(*one.inner, way); }

PairName rows::own_sampled_pair(const Described& one, Comparison way, double q) {
  PairName own = own_pair(one, way);
  return sampled_pair(own.name, std::move(own.parameters), way, q);
}

const MechanismKind& mechanism_kind(std::string_view name) {
  for (const MechanismKind& kind : mechanism_kinds())
    if (kind.name == name || kind.type == name) return kind;
  throw std::invalid_argument("mechanism must be one of " + names_of(mechanism_kinds()) + ", got " + shown(name));
}

Mechanism described_in_order(const MechanismKind& kind, std::vector<std::vector<double>> values, Mechanism inner) {
  if (kind.is_scheme != (inner != nullptr))
    throw std::invalid_argument(std::string(kind.name) +
                                (inner ? " must not contain a mechanism" : " must contain a mechanism, got none"));
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = checked_values(kind, kind.arguments[k], std::move(values[k]));
  Described made{&kind, std::move(values), std::move(inner)};
  if (kind.check) kind.check(made);
  return std::make_shared<const Described>(std::move(made));
}

Mechanism described(const MechanismKind& kind, std::span<const Given> arguments, Mechanism inner) {
  refuse_unknown(kind, arguments);
  std::vector<std::vector<double>> values;
  for (const Argument& argument : kind.arguments) values.push_back(value_of(argument, arguments));
  return described_in_order(kind, std::move(values), std::move(inner));
}

namespace {

PairName given_pair(std::shared_ptr<const DominatingPair> pair) {
  PairName name;
  name.made = std::move(pair);
  return name;
}

const Enclosure own_enclosure{.above = [](const Described& one, Comparison way,
                                          const Accuracy& at) { return given_pair(one.own->above(way, at)); },
                              .below =
                                  [](const Described& one, Comparison way, const Accuracy& at) {
                                    std::vector<PairName> names;
                                    for (auto& pair : one.own->below(way, at))
                                      names.push_back(given_pair(std::move(pair)));
                                    return names;
                                  }};

MechanismKind own_kind(bool is_exact) {
  MechanismKind kind;
  kind.name = "a mechanism of its own";
  if (is_exact)
    kind.pair = [](const Described& one, Comparison way) { return given_pair(one.own->pair(way)); };
  else
    kind.enclosure = &own_enclosure;
  return kind;
}

}  // namespace

std::vector<DescribedTerm> OwnPairs::at_most() const { return {}; }

Mechanism own_mechanism(std::shared_ptr<const OwnPairs> pairs) {
  static const MechanismKind known = own_kind(true), enclosed = own_kind(false);
  const MechanismKind* kind = pairs->is_exact() ? &known : &enclosed;
  return std::make_shared<const Described>(Described{kind, {}, nullptr, std::move(pairs)});
}

std::vector<DescribedTerm> at_most(const Described& mechanism) {
  if (mechanism.own != nullptr) return mechanism.own->at_most();
  return mechanism.kind->at_most != nullptr ? mechanism.kind->at_most(mechanism) : std::vector<DescribedTerm>{};
}

Mechanism simplified(const Mechanism& mechanism) {
  return mechanism->kind->simplified ? mechanism->kind->simplified(mechanism) : mechanism;
}

void check_comparison(const Described& mechanism, Comparison way) {
  const auto& [in, reason] = mechanism.kind->refused;
  if (in != nullptr && in(way)) throw NoPair(reason);
}

PairName dominating_pair_name(const Described& mechanism, Comparison way) {
  const Enclosure* enclosure = mechanism.kind->enclosure;
  if (enclosure != nullptr && enclosure->above == nullptr) throw NoPair("a composition dominates it, not one pair");
  check_comparison(mechanism, way);
  if (enclosure == nullptr) return mechanism.kind->pair(mechanism, way);
  return enclosure->above(mechanism, way, {});
}

}  // namespace hockeystick

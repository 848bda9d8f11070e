// SPDX-License-Identifier: Apache-2.0
#include "run/ledger.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "run/json.hpp"
#include "run/sha256.hpp"

namespace hockeystick {
namespace {

using json::Value;
using Kind = Value::Kind;

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw std::invalid_argument(path + " " + problem);
}

const Value& member(const Value& object, const char* name, Kind kind, const std::string& path) {
  const Value* found = object.member(name);
  const std::string where = path + "." + name;
  if (found == nullptr) fail(where, "must be there");
  if (found->kind != kind) fail(where, "must be of another type, got " + std::string(found->raw.substr(0, 80)));
  return *found;
}

void check_members(const Value& value, std::span<const std::string_view> known, const std::string& path) {
  if (value.kind != Kind::object) fail(path, "must be an object");
  for (const std::string& name : value.names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(path + "." + name.substr(0, 80), "must not be there");
}

// An argument as numbers; null means that it is not given. A number of choices means that a randomizer is k-ary.
void add_argument(std::vector<Given>& arguments, const std::string& name, const Value& value, const std::string& path) {
  switch (value.kind) {
    case Kind::null:
      return;
    case Kind::boolean:
      return arguments.push_back({name, {value.flag ? 1.0 : 0.0}});
    case Kind::number:
      return arguments.push_back({name, value.numbers});
    case Kind::numbers:
      return arguments.push_back({name, value.numbers, true});
    case Kind::text:
      if (name == "randomizer" && value.text == "laplace") return arguments.push_back({"laplace", {1.0}});
      if (name == "randomizer" && (value.text == "any" || value.text == "k-ary")) return;
      [[fallthrough]];
    default:
      fail(path + "." + name.substr(0, 80), "must be a number or a list of numbers");
  }
}

Mechanism mechanism_of(const Value& value, const std::string& path) {
  if (value.kind != Kind::object) fail(path, "must be an object with a string \"type\"");
  const std::string& type = member(value, "type", Kind::text, path).text;
  std::vector<Given> arguments;
  Mechanism inner;
  for (std::size_t k = 0; k < value.names.size(); ++k) {
    const std::string& name = value.names[k];
    if (name == "mechanism")
      inner = mechanism_of(value.items[k], path + ".mechanism");
    else if (name != "type")
      add_argument(arguments, name, value.items[k], path);
  }
  try {
    return described(mechanism_kind(type), arguments, std::move(inner));
  } catch (const std::invalid_argument& error) {
    fail(path + ":", error.what());
  }
}

DescribedTerm term_of(const Value& value, const std::string& path) {
  static constexpr std::string_view known[] = {"mechanism", "count", "label"};
  check_members(value, known, path);
  if (value.member("label") != nullptr) member(value, "label", Kind::text, path);
  const double count = member(value, "count", Kind::number, path).numbers.front();
  checked(path + ".count", count, ranges::count);
  const Value* mechanism = value.member("mechanism");
  if (mechanism == nullptr) fail(path + ".mechanism", "must be there");
  return {mechanism_of(*mechanism, path + ".mechanism"), static_cast<std::int64_t>(count)};
}

// The checksum covers the rest of the object.
void check_seal(Value& value) {
  const auto found = std::find(value.names.begin(), value.names.end(), "sha256");
  if (found == value.names.end()) return;
  const auto at = found - value.names.begin();
  const std::string seal = value.items[static_cast<std::size_t>(at)].text;
  value.names.erase(found);
  value.items.erase(value.items.begin() + at);
  if (sha256(json::canonical(value)) != seal)
    fail("$.sha256", "must be the checksum of the rest, which was changed or damaged");
}

std::size_t adjacency_named(const std::string& name) {
  for (std::size_t k = 0; k < adjacencies.size(); ++k)
    if (adjacencies[k].name == name) return k;
  fail("$.adjacency", "must be the name of an adjacency, got '" + name.substr(0, 80) + "'");
}

}  // namespace

Ledger ledger_of(std::string_view text) {
  static constexpr std::string_view known[] = {"schema", "version", "adjacency", "tolerance", "ledger"};
  Value value = json::parse(text);
  if (value.kind == Kind::object) check_seal(value);
  check_members(value, known, "$");
  if (member(value, "schema", Kind::text, "$").text != "hockeystick.Accountant")
    fail("$.schema", "must be 'hockeystick.Accountant'");
  if (member(value, "version", Kind::number, "$").numbers.front() != 1) fail("$.version", "must be 1");
  checked("$.tolerance", member(value, "tolerance", Kind::number, "$").numbers.front(), ranges::tolerance);
  Ledger ledger{adjacency_named(member(value, "adjacency", Kind::text, "$").text), {}};
  const Value& entries = member(value, "ledger", Kind::list, "$");
  for (std::size_t k = 0; k < entries.items.size(); ++k)
    ledger.terms.push_back(term_of(entries.items[k], "$.ledger[" + std::to_string(k) + "]"));
  return ledger;
}

}  // namespace hockeystick

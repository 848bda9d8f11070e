// SPDX-License-Identifier: Apache-2.0
// Mechanisms that are known by pairs above and below their curves.
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "mechanisms/known_pairs.hpp"
#include "numeric/range.hpp"
#include "run/enclosing.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Pair = std::shared_ptr<DominatingPair>;
using Arguments = py::typing::Dict<py::str, py::object>;
using Ends = std::pair<Doubles, Doubles>;

Pair pair_of(const PairName& name) {
  const LongWork work;
  return std::const_pointer_cast<DominatingPair>(known_pair(name));
}

const Enclosure& enclosure_of(const Described& mechanism) {
  const Enclosure* enclosure = mechanism.kind->enclosure;
  if (enclosure == nullptr) throw std::invalid_argument("mechanism must be one that pairs above and below tell");
  return *enclosure;
}

constexpr std::array told_words{"curve", "moments", "far", "largest", "unsampled"};

Told told_by(const std::string& word) {
  const auto found = std::find(told_words.begin(), told_words.end(), word);
  if (found == told_words.end()) throw std::invalid_argument("told must be one of a question's kinds, got " + word);
  return static_cast<Told>(found - told_words.begin());
}

std::vector<Pair> side_of(const std::string& type, const Arguments& arguments, std::size_t comparison, double cells,
                          double tail, bool above) {
  const Mechanism mechanism = described_mechanism(type, arguments);
  const Enclosure& enclosure = enclosure_of(*mechanism);
  const auto way = static_cast<Comparison>(comparison);
  std::vector<Pair> pairs;
  if (above) {
    if (enclosure.above == nullptr) throw NoPair("a composition dominates it, not one pair");
    pairs.push_back(pair_of(enclosure.above(*mechanism, way, {cells, tail})));
    return pairs;
  }
  for (const PairName& name : enclosure.below(*mechanism, way, {cells, tail})) pairs.push_back(pair_of(name));
  return pairs;
}

std::optional<std::pair<Pair, Pair>> besides(const std::string& type, const Arguments& arguments,
                                             std::size_t comparison, double cells, double tail,
                                             const std::string& told) {
  const Mechanism mechanism = described_mechanism(type, arguments);
  (void)enclosure_of(*mechanism);
  const auto way = static_cast<Comparison>(comparison);
  const auto known = pairs_besides(*mechanism, way, {{cells, tail}, told_by(told)});
  if (!known) return {};
  return std::pair(pair_of((*known)[0]), pair_of((*known)[1]));
}

using Terms = std::vector<std::tuple<std::string, Arguments, std::int64_t>>;

std::vector<DescribedTerm> described_terms(const Terms& terms) {
  std::vector<DescribedTerm> all;
  for (const auto& [type, arguments, count] : terms) all.push_back({described_mechanism(type, arguments), count});
  return all;
}

// Numbers of the one mechanism that dominates several of a kind.
std::vector<double> joined(const Terms& terms) {
  const std::vector<DescribedTerm> all = described_terms(terms);
  const Mechanism one = enclosure_of(*all.front().mechanism).joined(all);
  std::vector<double> numbers;
  for (const std::vector<double>& value : one->values) numbers.push_back(value.front());
  return numbers;
}

Ends ends_of(std::span<const Interval> found) {
  Ends ends{Doubles(static_cast<py::ssize_t>(found.size())), Doubles(static_cast<py::ssize_t>(found.size()))};
  const auto lower = out(ends.first), upper = out(ends.second);
  for (std::size_t i = 0; i < found.size(); ++i) lower[i] = found[i].lower, upper[i] = found[i].upper;
  return ends;
}

std::optional<Ends> alone(const Terms& terms, bool wants_epsilon, const std::vector<std::size_t>& comparisons,
                          const Doubles& points, double tolerance) {
  const std::vector<DescribedTerm> all = described_terms(terms);
  std::vector<Comparison> ways;
  for (const std::size_t way : comparisons) ways.push_back(static_cast<Comparison>(way));
  const auto at = in(points);
  std::vector<Interval> found;
  {
    const LongWork work;
    found = known_alone(all, wants_epsilon, ways, at, tolerance);
  }
  if (found.empty()) return {};
  return ends_of(found);
}

std::vector<Interval> intervals_of(const Ends& ends) {
  const auto lower = in(ends.first), upper = in(ends.second);
  std::vector<Interval> all;
  for (std::size_t i = 0; i < lower.size(); ++i) all.push_back({lower[i], upper[i]});
  return all;
}

// In order: cells, tail, one of told_words, points.
using Ask = std::function<Answers(double, double, std::string, std::vector<double>)>;

// What the function of the core of that name asks of a curve.
Wanted wanted_by(const std::string& question) {
  constexpr std::pair<std::string_view, Wanted> all[] = {
      {"epsilon_bounds", Wanted::epsilon}, {"delta_bounds", Wanted::delta},   {"power_bounds", Wanted::power},
      {"gdp_bounds", Wanted::rates},       {"renyi_bounds", Wanted::moments}, {"zcdp_bounds", Wanted::moments},
      {"bayes_risk_bounds", Wanted::risk}};
  for (const auto& [name, wanted] : all)
    if (name == question) return wanted;
  throw std::invalid_argument("question must be one of a curve, got " + question);
}

Answers answers_between(const std::string& question_name, const Doubles& points, const Ask& above, const Ask& below,
                        bool closes, bool sampled, std::int64_t runs, double tolerance, double smallest,
                        const std::optional<Ends>& known) {
  const auto side = [](const Ask& ask) {
    return [&ask](const SideAccuracy& at, std::span<const double> which) {
      const char* word = told_words[static_cast<std::size_t>(at.told)];
      return ask(at.cells, at.tail, word, {which.begin(), which.end()}).items;
    };
  };
  const std::vector<Interval> besides = known ? intervals_of(*known) : std::vector<Interval>{};
  EnclosedQuestion question;
  question.wanted = wanted_by(question_name), question.closes = closes, question.is_sampled = sampled;
  question.runs = runs, question.tolerance = tolerance, question.smallest = smallest;
  Answers found{enclosed_answers(question, in(points), side(above), side(below), besides)};
  for (const Answer& one : found.items)
    if (!(one.lower <= one.upper))
      throw InternalError("pairs below and above came to lower = " + written(one.lower) +
                          " above upper = " + written(one.upper) +
                          ". This is a mistake in hockeystick, and no bounds are known: please report it");
  return found;
}

}  // namespace

void bind_enclosed(py::module_& module) {
  module.def("enclosing_pairs", &side_of, py::arg("type"), py::arg("arguments"), py::arg("comparison"),
             py::arg("cells"), py::arg("tail"), py::kw_only(), py::arg("above"),
             "The pair above a mechanism described by numbers, or those below, in a comparison by its index.");
  module.def("pairs_besides", &besides, py::arg("type"), py::arg("arguments"), py::arg("comparison"), py::arg("cells"),
             py::arg("tail"), py::kw_only(), py::arg("told"),
             "Pairs below and above that enclose \"moments\" and masses at +inf, that bound moments from the curve and "
             "\"far\" losses, that have the \"largest\" loss, or are as if nothing were sampled; None if those of the "
             "curve tell them.");
  module.def("joined_mechanism", &joined, py::arg("terms"), "The numbers of one mechanism that dominates several.");
  module.def("known_alone", &alone, py::arg("terms"), py::arg("wants_epsilon"), py::arg("comparisons"),
             py::arg("points"), py::arg("tolerance"),
             "Ends of epsilon at each delta, or of delta at each epsilon, of runs of one kind of mechanism; None if "
             "pairs tell more.");
  module.def("enclosed", &answers_between, py::arg("question"), py::arg("points"), py::arg("above"), py::arg("below"),
             py::kw_only(), py::arg("closes"), py::arg("sampled") = false, py::arg("runs"), py::arg("tolerance"),
             py::arg("smallest") = 0.0, py::arg("known"),
             "Asks the pairs above and below, at an accuracy of cells and a tail, of a kind, at some of the points, "
             " until the ends are as close as asked.");
}

// SPDX-License-Identifier: Apache-2.0
#include "run/audit.hpp"

#include <pybind11/stl.h>

#include <cmath>
#include <tuple>

#include "bind/bindings.hpp"
#include "mechanisms/gaussian/gaussian_tradeoff.hpp"
#include "numeric/binomial.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

constexpr Range trials{0, most_trials, Range::Ends::closed, true};

AttackCounts checked_counts(double true_positives, double false_negatives, double false_positives,
                            double true_negatives) {
  checked("true_positives + false_negatives", true_positives + false_negatives, trials);
  checked("false_positives + true_negatives", false_positives + true_negatives, trials);
  return {checked("true_positives", true_positives, trials), checked("false_negatives", false_negatives, trials),
          checked("false_positives", false_positives, trials), checked("true_negatives", true_negatives, trials)};
}

OneRun checked_run(double canaries, double guesses, double correct) {
  return {checked("canaries", canaries, {1, most_trials, Range::Ends::closed, true}),
          checked("guesses", guesses, {1, canaries, Range::Ends::closed, true}),
          checked("correct", correct, {0, guesses, Range::Ends::closed, true})};
}

double checked_alpha(double alpha) { return checked("alpha", alpha, ranges::inner_probability); }

}  // namespace

void bind_audit(py::module_& module) {
  module.def("pure_gdp_mu", &pure_mu_above, py::arg("epsilon"),
             "Upper bound of the mu of Gaussian differential privacy of whatever is epsilon-differentially private.");
  module.def(
      "rate_limits",
      [](double successes, double trials_, double alpha) {
        checked("trials", trials_, {1, most_trials, Range::Ends::closed, true});
        checked("successes", successes, {0, trials_, Range::Ends::closed, true});
        checked_alpha(alpha);
        const LongWork work;
        return std::pair{rate_below(successes, trials_, alpha), rate_above(successes, trials_, alpha)};
      },
      py::arg("successes"), py::arg("trials"), py::arg("alpha"),
      "The limits of Clopper and Pearson for a rate, each of which fails with probability alpha at most.");
  module.def(
      "attack_rates",
      [](double true_positives, double false_negatives, double false_positives, double true_negatives, double alpha) {
        const AttackCounts counts = checked_counts(true_positives, false_negatives, false_positives, true_negatives);
        checked_alpha(alpha);
        const LongWork work;
        const AttackRates rates = attack_rates(counts, alpha);
        return std::tuple{rates.true_positives, rates.false_positives, rates.false_negatives};
      },
      py::arg("true_positives"), py::arg("false_negatives"), py::arg("false_positives"), py::arg("true_negatives"),
      py::arg("alpha"),
      "True positives at least, false positives and false negatives at most, all but with probability alpha.");
  module.def(
      "audited_epsilon",
      [](double false_positives, double false_negatives, double delta) {
        return audited_epsilon({0, false_positives, false_negatives}, checked("delta", delta, ranges::delta));
      },
      py::arg("false_positives"), py::arg("false_negatives"), py::arg("delta"),
      "A lower bound of epsilon from upper bounds of both rates.");
  module.def(
      "audited_mu",
      [](double false_positives, double false_negatives) { return audited_mu({0, false_positives, false_negatives}); },
      py::arg("false_positives"), py::arg("false_negatives"), "A lower bound of mu, likewise.");
  module.def(
      "one_run_p_value",
      [](double canaries, double guesses, double correct, double epsilon, double delta) {
        const OneRun run = checked_run(canaries, guesses, correct);
        checked("epsilon", epsilon, {0, 700});
        checked("delta", delta, ranges::delta);
        const LongWork work;
        return one_run_p_value(run, epsilon, delta);
      },
      py::arg("canaries"), py::arg("guesses"), py::arg("correct"), py::arg("epsilon"), py::arg("delta"),
      "An upper bound of the probability of this many right guesses in one run that is (epsilon, delta)-DP.");
  module.def(
      "one_run_epsilon",
      [](double canaries, double guesses, double correct, double delta, double alpha) {
        const OneRun run = checked_run(canaries, guesses, correct);
        checked("delta", delta, ranges::delta);
        checked_alpha(alpha);
        const LongWork work;
        return one_run_epsilon(run, delta, alpha);
      },
      py::arg("canaries"), py::arg("guesses"), py::arg("correct"), py::arg("delta"), py::arg("alpha"),
      "An epsilon at which that probability is below alpha, or 0.");
  module.def(
      "one_run_refutes",
      [](double canaries, double guesses, double correct, const Doubles& epsilon, const Doubles& delta, double alpha) {
        const OneRun run = checked_run(canaries, guesses, correct);
        checked_alpha(alpha);
        check_each("epsilon", in(epsilon), {0, 700});
        check_each("delta", in(delta), {0, 1});
        if (epsilon.size() != delta.size())
          throw std::invalid_argument("epsilon and delta must have the same length, got " +
                                      std::to_string(epsilon.size()) + " and " + std::to_string(delta.size()));
        const auto at = in(epsilon), most = in(delta);
        const LongWork work;
        return one_run_refutes(run, at, most, alpha);
      },
      py::arg("canaries"), py::arg("guesses"), py::arg("correct"), py::arg("epsilon"), py::arg("delta"),
      py::arg("alpha"), "Whether this many right guesses are less likely than alpha for a curve below these points.");
}

// SPDX-License-Identifier: Apache-2.0
// _core.parts: distributions and queries from within, for tests of what they state to be off by.
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "discretize/connect_dots.hpp"
#include "discretize/privacy_buckets.hpp"
#include "discretize/tangent_hull.hpp"
#include "numeric/interval.hpp"
#include "plan/nonuniform_grid.hpp"
#include "pld/chernoff.hpp"
#include "pld/compose.hpp"
#include "pld/hockey_stick.hpp"
#include "pld/loss_tail.hpp"
#include "pld/reflect.hpp"
#include "pld/tail_sums.hpp"
#include "pld/tilt.hpp"
#include "views/bayes_risk.hpp"
#include "views/curve_points.hpp"
#include "views/loss_cells.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Fields = py::typing::Dict<py::str, py::object>;

// How often a step is run, and the log moment it is tilted with.
using TiltedTerm = std::tuple<const StepPmf*, std::int64_t, double>;

LossPmf compose_tilted(const std::vector<TiltedTerm>& terms, double tilt, std::size_t size,
                       std::pair<std::int64_t, std::size_t> window, std::array<double, 4> chernoff) {
  std::vector<ComposedTerm> composed;
  for (const auto& [step, count, log_moment] : terms) composed.push_back({tilted(*step, tilt, log_moment), count});
  const auto [above, below, wrap_above, wrap_below] = chernoff;
  return compose(composed, RealFft(size), {window.first, window.second}, {above, below, wrap_above, wrap_below});
}

LossPmf stored_pmf(double interval, double offset, std::int64_t first, std::vector<double> mass, double tilt,
                   std::pair<double, double> log_scale, const std::string& side) {
  LossPmf pmf{};
  pmf.interval = interval, pmf.offset = offset, pmf.first = first, pmf.mass = std::move(mass), pmf.tilt = tilt;
  std::tie(pmf.log_scale, pmf.log_scale_low) = log_scale;
  pmf.side = side_named(side);
  return pmf;
}

std::tuple<double, double, double, double, double> suffix_sums(const std::vector<double>& mass, double tilt,
                                                               double interval, bool by_blocks) {
  Suffix suffix(mass, tilt, interval);
  const SuffixBlock block(tilt, interval);
  while (by_blocks && suffix.lowest() >= SuffixBlock::points) suffix.extend_by(block);
  while (suffix.lowest() > 0) suffix.extend();
  return {suffix.curve(), suffix.steps(), suffix.curve_distance(), suffix.steps_distance(), suffix.error_a_point()};
}

// A pair cut at a support and at cuts, its cells as given.
StepPmf connect_dots(const std::tuple<double, double, std::vector<std::int64_t>>& support, std::vector<double> cuts,
                     const std::vector<std::array<double, 3>>& cells, std::array<double, 4> tails,
                     std::array<double, 5> errors, const std::string& estimator) {
  const auto& [interval, offset, index] = support;
  SupportCells cut{{interval, offset, index}, std::move(cuts), {}, {}, index.size()};
  for (const auto& [p, above, below] : cells) cut.parts.cells.push_back({p, above, below});
  PairCells& parts = cut.parts;
  std::tie(parts.lower_tail_p, parts.lower_tail_q, parts.upper_tail_p, parts.upper_tail_above) = std::tuple_cat(tails);
  std::tie(parts.mass_error, parts.share_error, parts.share_error_p, parts.loss_error, parts.edge_error) =
      std::tuple_cat(errors);
  using Discretize = StepPmf (*)(const SupportCells&);
  return named<Discretize>(
      "estimator", estimator,
      {{"upper", hockeystick::connect_dots}, {"algorithm_2", algorithm_2}, {"lower", tangent_hull}})(cut);
}

StepPmf step_pmf(const DominatingPair& pair, double interval, double offset, const std::vector<std::int64_t>& index,
                 const std::string& estimator) {
  const LongWork work;
  Support support = NonuniformGrid(pair, offset, interval, index).build();
  support.closed = estimator.starts_with("closed");
  const SupportCells halves = cut_midway(pair, std::move(support));
  using Discretize = StepPmf (*)(const SupportCells&);
  const auto discretize = named<Discretize>("estimator", estimator,
                                            {{"upper", hockeystick::connect_dots},
                                             {"lower", tangent_hull},
                                             {"closed_upper", hockeystick::connect_dots},
                                             {"closed_lower", tangent_hull},
                                             {"algorithm_2", algorithm_2},
                                             {"buckets_upper", privacy_buckets_upper},
                                             {"buckets_lower", privacy_buckets_lower}});
  return discretize(halves);
}

void bind_steps(py::module_& parts) {
  py::class_<StepPmf>(parts, "StepPmf", "One step's privacy loss distribution, of one side.")
      .def(py::init([](double interval, double offset, std::vector<std::int64_t> index, std::vector<double> mass,
                       double infinity_mass, double loss_error, const std::string& side) {
             return StepPmf{interval,      offset, std::move(index), std::move(mass),
                            infinity_mass, 0,      loss_error,       side_named(side)};
           }),
           py::kw_only(), py::arg("interval"), py::arg("offset"), py::arg("index"), py::arg("mass"),
           py::arg("infinity_mass"), py::arg("loss_error"), py::arg("side"))
      .def_readonly("interval", &StepPmf::interval)
      .def_readonly("offset", &StepPmf::offset)
      .def_readonly("index", &StepPmf::index)
      .def_readonly("mass", &StepPmf::mass)
      .def_readonly("infinity_mass", &StepPmf::infinity_mass)
      .def_readonly("reverse_infinity_mass", &StepPmf::reverse_infinity_mass)
      .def_readonly("loss_error", &StepPmf::loss_error);
  parts.def(
      "step_pmf", &step_pmf, py::arg("pair"), py::kw_only(), py::arg("interval"), py::arg("offset"), py::arg("index"),
      py::arg("estimator"),
      "Discretizes a pair on a support: upper, lower, algorithm_2, buckets_upper or buckets_lower, or on a closed "
      "one: closed_upper, closed_lower.");
}

void bind_compositions(py::module_& parts) {
  parts.def(
      "checked_answer",
      [](double lower, double upper) {
        Answer answer;
        answer.lower = lower;
        answer.upper = upper;
        return checked({answer}, "a question of the tests", std::array{0.0}, {1e-3, 1});
      },
      py::arg("lower"), py::arg("upper"), "What these bounds leave the core as.");
  parts.def(
      "tilted_masses",
      [](const StepPmf& step, double tilt, double log_moment) {
        const LongWork work;
        return tilted(step, tilt, log_moment).mass;
      },
      py::arg("step"), py::arg("tilt"), py::arg("log_moment"),
      "mass e^(tilt loss - log_moment) of each of a step's points, moved to its side.");
  parts.def(
      "log_moment_above",
      [](const StepPmf& step, double tilt, double log_moment, double t) {
        return log_moment_above(tilted(step, tilt, log_moment), t);
      },
      py::arg("step"), py::arg("tilt"), py::arg("log_moment"), py::arg("t"),
      "Upper bound of log sum m e^(t loss) over the masses of tilted_masses.");
  parts.def(
      "log_chernoff_above",
      [](double tilt, const std::vector<std::array<double, 3>>& terms, double epsilon, double loss_error) {
        ChernoffMoment moment{tilt};
        for (const auto& [count, stored, rest] : terms) moment.add(count, stored, rest);
        return moment.log_above(epsilon, loss_error);
      },
      py::arg("tilt"), py::arg("terms"), py::arg("epsilon"), py::arg("loss_error"),
      "Chernoff's bound of log delta; terms are counts and both parts of log moments.");
  parts.def("connect_dots", &connect_dots, py::kw_only(), py::arg("support"), py::arg("cuts"), py::arg("cells"),
            py::arg("tails"), py::arg("errors"), py::arg("estimator"),
            "Discretizes cells (p, above, below) with tails (lower p, lower q, upper p, upper above) and errors (mass, "
            "share, share_p, loss, edge): upper, lower or algorithm_2.");
  parts.def("compose", &compose_tilted, py::arg("terms"), py::kw_only(), py::arg("tilt"), py::arg("size"),
            py::arg("window"), py::arg("chernoff"),
            "Composes (step, count, log moment) by a transform of this size, shown in a window (first, length).");
  parts.def("loss_pmf", &stored_pmf, py::kw_only(), py::arg("interval"), py::arg("offset"), py::arg("first"),
            py::arg("mass"), py::arg("tilt"), py::arg("log_scale"), py::arg("side"),
            "A distribution as stored, its masses exact.");
}

void bind_queries(py::module_& parts) {
  parts.def(
      "fields",
      [](const LossPmf& pmf) -> Fields {
        using namespace py::literals;
        return py::dict("offset"_a = pmf.offset, "tilted_mass"_a = pmf.mass, "tilt"_a = pmf.tilt,
                        "log_scale"_a = std::pair(pmf.log_scale, pmf.log_scale_low), "point_error"_a = pmf.point_error,
                        "tail_above"_a = pmf.tail_above, "tail_below"_a = pmf.tail_below, "p_below"_a = pmf.p_below,
                        "q_above"_a = pmf.q_above, "wrapped"_a = pmf.wrapped, "reverse_excess"_a = pmf.reverse_excess,
                        "reverse_deficit"_a = pmf.reverse_deficit, "least"_a = pmf.least, "largest"_a = pmf.largest);
      },
      py::arg("pmf"), "What a composed distribution stores.");
  parts.def(
      "delta_terms",
      [](LossPmf pmf, double epsilon) {
        const CertifiedDelta at = CurveTable(std::move(pmf)).delta(epsilon);
        return std::tuple(at.value, at.curve, at.truncation, at.wraparound, at.rounding);
      },
      py::arg("pmf"), py::arg("epsilon"), "delta: value, curve, and errors by truncation, wrap-around and rounding.");
  parts.def(
      "log_moment_by_cells",
      [](const DominatingPair& pair, int fineness, double t) {
        const Interval bounds = LossCells(pair, fineness).log_moment(t);
        return std::pair(bounds.lower, bounds.upper);
      },
      py::arg("pair"), py::arg("fineness"), py::arg("t"), "log E_P[e^(t L)] from a pair cut into cells.");
  parts.def("power_over_exponential", &power_over_exponential, py::arg("k"), py::arg("t"),
            "Upper bound of y^k e^(-t y) over y >= 0.");
  parts.def("suffix_sums", &suffix_sums, py::arg("mass"), py::arg("tilt"), py::arg("interval"), py::arg("by_blocks"),
            "Sums over all points: curve, steps, both times distance, and the error a point.");
  parts.def("log_odds", &log_odds, py::arg("prior"), "log((1 - prior) / prior) of a prior of at most 1/2.");
  parts.def(
      "bayes_risk",
      [](double prior, double delta, const std::string& side) { return bayes_risk(prior, delta, side_named(side)); },
      py::arg("prior"), py::arg("delta"), py::arg("side"), "prior (1 - delta), delta bounded from a side.");
  parts.def(
      "curve_point",
      [](double loss, double lower, double upper) {
        const CurvePoint at = curve_point(loss, {lower, upper});
        return std::array{at.alpha.lower, at.alpha.upper, at.value.lower, at.value.upper};
      },
      py::arg("loss"), py::arg("lower"), py::arg("upper"), "e^loss and the curve there, enclosed, by delta.");
  parts.def(
      "curve_points",
      [](const std::vector<std::array<double, 3>>& deltas) {
        const AskDeltas told = [&](bool, std::span<const double> epsilons, const Limits&) {
          std::vector<Answer> answers;
          for (const double epsilon : epsilons)
            for (const auto& [loss, lower, upper] : deltas)
              if (loss == epsilon) answers.push_back(enclosed({lower, upper}, {}));
          return answers;
        };
        CurvePoints curve(told, {}, least_tolerance, true);
        std::vector<WantedPoint> wanted;
        for (const auto& delta : deltas) wanted.push_back({delta[0], most_tolerance});
        curve.ask(std::move(wanted));
        std::vector<std::array<double, 3>> found;
        for (const CurvePoint& at : curve.points()) found.push_back({at.loss, at.value.lower, at.value.upper});
        return found;
      },
      py::arg("deltas"), "The curve at losses >= 0, each of them once, by what encloses delta there.");
  parts.def(
      "power_between",
      [](const std::vector<std::array<double, 3>>& deltas, double fpr, std::size_t near) {
        std::vector<CurvePoint> points;
        for (const auto& [loss, lower, upper] : deltas) points.push_back(curve_point(loss, {lower, upper}));
        const Interval power = power_between(points, fpr, near).power;
        return std::pair(power.lower, power.upper);
      },
      py::arg("deltas"), py::arg("fpr"), py::arg("near"), "The power, by losses and what encloses delta there.");
  parts.def(
      "loss_tail",
      [](const std::vector<double>& loss, const std::vector<double>& value, double delta_lower, double epsilon) {
        CurveKinks kinks;
        kinks.loss = loss;
        kinks.value = value;
        const Interval tail = loss_tail(kinks, delta_lower, epsilon);
        return std::pair(tail.lower, tail.upper);
      },
      py::arg("loss"), py::arg("value"), py::arg("delta_lower"), py::arg("epsilon"),
      "P(L > epsilon) between chords of upper values and a lower one.");
  parts.def(
      "delta_from_zero",
      [](double lower, double upper, double epsilon) {
        const Interval found = delta_from_zero({lower, upper}, epsilon);
        return std::pair(found.lower, found.upper);
      },
      py::arg("lower"), py::arg("upper"), py::arg("epsilon"), "delta(epsilon) from bounds of delta(0).");
  parts.def(
      "by_reverse",
      [](double epsilon, double lower, double upper) {
        const Interval found = by_reverse(epsilon, {lower, upper});
        return std::pair(found.lower, found.upper);
      },
      py::arg("epsilon"), py::arg("lower"), py::arg("upper"), "The curve from that of the reverse.");
}

}  // namespace

void bind_pld_parts(py::module_& module) {
  py::module_ parts = module.def_submodule("parts", "Distributions from within, for tests.");
  bind_steps(parts);
  bind_compositions(parts);
  bind_queries(parts);
}

// SPDX-License-Identifier: Apache-2.0
// _core.sampling: curves of sampled mechanisms from within, for tests of what they state to be off by.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <array>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/allocation/allocation_epoch.hpp"
#include "mechanisms/allocation/convex_convolution.hpp"
#include "mechanisms/allocation/lognormal_contour.hpp"
#include "mechanisms/allocation/visible_run.hpp"
#include "mechanisms/curves/fixed_size.hpp"
#include "mechanisms/curves/log_curve.hpp"
#include "mechanisms/curves/shuffle_curve.hpp"
#include "mechanisms/curves/shuffle_pivot.hpp"
#include "mechanisms/curves/shuffle_sum.hpp"
#include "mechanisms/curves/shuffle_terms.hpp"
#include "mechanisms/curves/shuffle_weights.hpp"
#include "mechanisms/dominating_pair.hpp"
#include "mechanisms/gaussian/truncation.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "numeric/lognormal_transform.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/simd/cpu.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// Places, masses, excess, how many terms have that law, gain and loss.
using PlacedTerm = std::tuple<std::vector<double>, std::vector<double>, double, std::int64_t, double, double>;

py::dict described(const GridLaw& law) {
  py::dict all;
  const auto units = [](std::vector<double> masses) {
    for (double& q : masses) q *= mass_unit;
    return masses;
  };
  all["origin"] = law.origin, all["spacing"] = law.spacing, all["first"] = law.first;
  all["mass"] = units(law.mass), all["moment"] = units(law.moment);
  all["zero"] = law.zero, all["beyond"] = law.beyond;
  all["mass_error"] = law.mass_error, all["value_error"] = law.value_error;
  return all;
}

// Cells that are as wrong as a pair may be, and what it then states.
class RoughPair final : public DominatingPair {
 public:
  RoughPair(std::shared_ptr<const DominatingPair> exact, const std::array<double, 3>& factors,
            const std::array<double, 5>& errors, const std::array<double, 2>& infinite)
      : exact_(std::move(exact)), factors_(factors), errors_(errors), infinite_(infinite) {}
  PairCells integrate(std::span<const double> edges) const override {
    PairCells cells = exact_->integrate(edges);
    const auto [p, above, below] = factors_;
    for (CellMass& cell : cells.cells) cell.p *= p, cell.above *= above, cell.below *= below;
    cells.upper_tail_p *= p, cells.lower_tail_p *= p, cells.upper_tail_above *= above;
    cells.mass_error += errors_[0], cells.share_error += errors_[1], cells.share_error_p += errors_[2];
    cells.loss_error += errors_[3], cells.edge_error += errors_[4];
    cells.infinity_mass_lower -= infinite_[0], cells.infinity_mass += infinite_[1];
    return cells;
  }
  LossNodes nodes() const override { return exact_->nodes(); }
  double loss_infimum() const override { return exact_->loss_infimum(); }
  double finite_loss_bound() const override { return exact_->finite_loss_bound(); }

 private:
  std::shared_ptr<const DominatingPair> exact_;
  std::array<double, 3> factors_;
  std::array<double, 5> errors_;
  std::array<double, 2> infinite_;
};

std::shared_ptr<const DominatingPair> rough_pair(std::shared_ptr<const DominatingPair> pair,
                                                 const std::array<double, 3>& factors,
                                                 const std::array<double, 5>& errors,
                                                 const std::array<double, 2>& infinite) {
  return std::make_shared<RoughPair>(std::move(pair), factors, errors, infinite);
}

// Values, masses, what is above the last value, and by how much values are off.
using Split = std::tuple<std::vector<double>, std::vector<double>, double, double>;

py::dict booked(const LognormalSeries& series) {
  const LognormalSeries::Booked of = series.booked();
  py::dict all;
  all["lambda"] = of.lambda, all["period"] = of.period, all["spacing"] = of.spacing, all["log_unit"] = of.log_unit;
  all["tail"] = of.tail, all["chernoff"] = of.chernoff, all["log_chernoff"] = of.log_chernoff;
  all["samples"] = series.samples();
  return all;
}

std::vector<LognormalPart> parts_of(const std::vector<std::pair<double, double>>& given) {
  std::vector<LognormalPart> parts;
  for (const auto& [scale, count] : given) parts.push_back({scale, count});
  return parts;
}

Way way_of(bool back) { return back ? Way::back : Way::forth; }

}  // namespace

void bind_sampling(py::module_& m) {
  py::module_ module = m.def_submodule("sampling", "Curves of sampled mechanisms from within, for tests.");
  using Parts = std::vector<std::pair<double, double>>;
  module.def(
      "lognormal_power",
      [](double mu, const Parts& parts, std::complex<double> s, double off) {
        const LognormalTransform transform(mu);
        const auto power = LognormalSum(transform, parts_of(parts)).power(s, off);
        return std::tuple(power.log_size, power.turn, power.wrong, power.is_known);
      },
      py::arg("mu"), py::arg("parts"), py::arg("s"), py::arg("off"),
      "log|g| and arg g of a sum at s, what they are off by, and whether more than a bound of |g| is known.");
  const auto listed = [](const AtomicLaw& law) {
    std::vector<std::tuple<double, double, double>> atoms;
    for (const LossAtom& atom : law.atoms) atoms.emplace_back(atom.loss, atom.p, atom.q);
    return std::tuple(atoms, law.mass_error, law.loss_error);
  };
  module.def(
      "chords_law",
      [listed](const std::vector<double>& alpha, const std::vector<double>& value, double floor) {
        return listed(law_below_chords(alpha, value, floor));
      },
      py::arg("alpha"), py::arg("value"), py::arg("floor"), "As curve_law, of the law below chords.");
  module.def(
      "lognormal_series",
      [](double mu, const Parts& parts, bool put, std::pair<double, double> range, double accuracy,
         const std::vector<double>& at) {
        const LognormalTransform transform(mu);
        const LognormalSum sum(transform, parts_of(parts));
        const LognormalSeries series(sum, put ? Kind::put : Kind::probability, range.first, range.second, accuracy);
        std::vector<std::pair<double, double>> found, sums;
        for (const double d : at) {
          found.emplace_back(series.at(d).lower, series.at(d).upper);
          sums.emplace_back(series.sum_at(d).value, series.sum_at(d).error);
        }
        return std::tuple(found, sums, booked(series));
      },
      py::arg("mu"), py::arg("parts"), py::arg("put"), py::arg("range"), py::arg("accuracy"), py::arg("at"),
      "Bounds of E (K - S)_+, or of P(S <= K), at each K - E S, S a sum of copies of scale * Y, parts of (scale, "
      "count); the sums over samples with their rounding; and what is booked.");
  module.def(
      "allocation_curve",
      [](double mu, double t, double interval, double tail) {
        const EnclosedCurve curve = allocation_curve({mu, t}, interval, tail);
        return std::tuple(curve.alpha, curve.lower, curve.upper);
      },
      py::arg("mu"), py::arg("t"), py::arg("interval"), py::arg("tail"), "Points of the curve, and its bounds there.");
  module.def(
      "lognormal_hyperbola",
      [](double mu, const Parts& parts, bool put, std::pair<double, double> range, double accuracy,
         const std::vector<double>& at) {
        const LognormalTransform transform(mu);
        const LognormalSum sum(transform, parts_of(parts));
        const LognormalHyperbola contour(sum, put ? Kind::put : Kind::probability, range.first, range.second, accuracy);
        std::vector<std::pair<double, double>> found;
        for (const double d : contour.built() ? at : std::vector<double>{})
          found.emplace_back(contour.at(d).lower, contour.at(d).upper);
        const auto& rule = contour.rule();
        return std::tuple(found, contour.samples(), rule.m, rule.alpha, rule.width, rule.step, rule.moduli,
                          rule.left_out);
      },
      py::arg("mu"), py::arg("parts"), py::arg("put"), py::arg("range"), py::arg("accuracy"), py::arg("at"),
      "Bounds of E (S - K)_+, or of P(S > K), at each K - E S, none where samples are too many; samples, m, alpha, "
      "half "
      "the width of the strip, step, M on its edges, and what is left out.");
  module.def(
      "log_power_near_zero",
      [](double mu, double t, std::complex<double> a, std::complex<double> b, double size) {
        return log_power_near_zero(LognormalTransform(mu), t, a, b, size);
      },
      py::arg("mu"), py::arg("t"), py::arg("a"), py::arg("b"), py::arg("size"),
      "Upper bound of t log|1 + G| between two points of a hyperbola.");
  module.def("rough_pair", &rough_pair, py::arg("pair"), py::kw_only(), py::arg("factors") = std::array{1.0, 1.0, 1.0},
             py::arg("errors") = std::array{0.0, 0.0, 0.0, 0.0, 0.0}, py::arg("infinite") = std::array{0.0, 0.0},
             "A pair whose masses, `above` and `below` are off by factors; what it states of mass, share, share of p, "
             "loss and edge is larger by errors, and of its mass at +inf lower and larger.");
  module.def(
      "atoms_of",
      [](const DominatingPair& pair) {
        std::vector<std::pair<double, double>> atoms;
        if (const auto law = pair.finite_law())
          for (const Atom& atom : law->atoms) atoms.emplace_back(atom.loss, atom.mass);
        return atoms;
      },
      py::arg("pair"), "Losses and P-masses.");
  module.def(
      "curve_law",
      [listed](std::vector<double> alpha, std::vector<double> lower, std::vector<double> upper, bool is_above) {
        const EnclosedCurve curve{std::move(alpha), std::move(lower), std::move(upper)};
        return listed(is_above ? law_above(curve) : law_below(curve));
      },
      py::arg("alpha"), py::arg("lower"), py::arg("upper"), py::arg("is_above"),
      "The atoms of the law above a curve, or below it, and the errors of masses and losses.");
  module.def(
      "reversed_curve",
      [](std::vector<double> alpha, std::vector<double> lower, std::vector<double> upper) {
        EnclosedCurve curve = reversed(EnclosedCurve{std::move(alpha), std::move(lower), std::move(upper)});
        return std::tuple(std::move(curve.alpha), std::move(curve.lower), std::move(curve.upper));
      },
      py::arg("alpha"), py::arg("lower"), py::arg("upper"), "The curve of the reverse at the reciprocals.");
  module.def(
      "spliced_chords",
      [](std::pair<std::vector<double>, std::vector<double>> near,
         std::pair<std::vector<double>, std::vector<double>> far) {
        ChordPoints found =
            spliced({std::move(near.first), std::move(near.second)}, {std::move(far.first), std::move(far.second)});
        return std::pair(std::move(found.alpha), std::move(found.value));
      },
      py::arg("near"), py::arg("far"), "Points of chords, near ones and far ones from where they are higher.");
  module.def(
      "upper_on_lattice",
      [](std::vector<double> alpha, std::vector<double> upper, double spacing, double apart) {
        EnclosedCurve found = upper_on_lattice({std::move(alpha), {}, std::move(upper)}, {spacing, apart});
        return std::pair(std::move(found.alpha), std::move(found.upper));
      },
      py::arg("alpha"), py::arg("upper"), py::arg("spacing"), py::arg("apart") = 0.0,
      "Chords between upper values, on a lattice of losses.");
  module.def(
      "chords_on_lattice",
      [](std::vector<double> alpha, std::vector<double> value, double spacing, double floor, double apart) {
        ChordPoints found = chords_on_lattice({std::move(alpha), std::move(value)}, {spacing, apart}, floor);
        return std::pair(std::move(found.alpha), std::move(found.value));
      },
      py::arg("alpha"), py::arg("value"), py::arg("spacing"), py::arg("floor"), py::arg("apart") = 0.0,
      "Chords below these, on a lattice.");
  module.def(
      "continued_law",
      [listed](std::vector<double> alpha, std::vector<double> upper, const std::vector<double>& log_alpha,
               const std::vector<double>& beyond) {
        const double last = alpha.back();
        AtomicLaw law = law_above({std::move(alpha), upper, upper});
        std::vector<LogPoint> points;
        for (std::size_t k = 0; k < beyond.size(); ++k) points.push_back({log_alpha[k], beyond[k]});
        continue_law(law, last, points);
        return listed(law);
      },
      py::arg("alpha"), py::arg("upper"), py::arg("log_alpha"), py::arg("beyond"),
      "As curve_law, of the law above a curve that goes on at points known by their logarithms.");
  module.def("far_gaussian_above", &far_gaussian_above, py::arg("mu"), py::arg("x"),
             "Upper bound of delta(x) of one Gaussian with little noise.");
  module.def(
      "allocation_bounds",
      [](double noise_multiplier, double steps, double epochs, bool removes, bool adds, bool wants_epsilon,
         const Doubles& values, double tolerance) {
        Doubles lower(values.size()), upper(values.size());
        const auto at = in(values);
        const auto to_lower = out(lower), to_upper = out(upper);
        const LongWork work;
        const auto found =
            allocation_bounds({noise_multiplier, steps, epochs, removes, adds, wants_epsilon, tolerance}, at);
        for (std::size_t i = 0; i < found.size(); ++i) to_lower[i] = found[i].lower, to_upper[i] = found[i].upper;
        return std::pair(lower, upper);
      },
      py::arg("noise_multiplier"), py::arg("steps"), py::arg("epochs"), py::kw_only(), py::arg("removes"),
      py::arg("adds"), py::arg("wants_epsilon"), py::arg("values"), py::arg("tolerance"),
      "Bounds on epsilon at each delta, or on delta at each epsilon, of one epoch of a random allocation.");
  module.def(
      "power_of_same_events",
      [](double mu, double rate, double least, bool back, double fpr) {
        return power_of_same_events({mu, rate, least, back}, fpr);
      },
      py::arg("mu"), py::arg("rate"), py::arg("least"), py::kw_only(), py::arg("back"), py::arg("fpr"),
      "A lower bound of the power of a batch of fixed size, 0 where none is known.");
  module.def(
      "truncation",
      [](double dataset_size, double q, double batch) {
        const Truncation drawn = truncation(dataset_size, q, batch);
        return std::tuple(drawn.room, drawn.none, drawn.rate);
      },
      py::arg("dataset_size"), py::arg("q"), py::arg("batch"),
      "How often a Poisson subsample of others leaves room, and not, and the rate of joining then.");
  module.def(
      "mean_law",
      [](bool above, double origin, double spacing, std::int64_t first, std::vector<double> mass, double zero,
         double beyond, double steps, double variance, double cells, double cut) {
        GridLaw law{above ? Order::above : Order::below, origin, spacing, first, std::move(mass)};
        for (double& q : law.mass) q /= mass_unit;
        if (!above) law.moment = law.mass;
        law.zero = zero, law.beyond = beyond;
        return described(mean_of(law, steps, {variance, cells, 20 * cells, 200 * cells}, {cut, cut}));
      },
      py::arg("above"), py::arg("origin"), py::arg("spacing"), py::arg("first"), py::arg("mass"), py::arg("zero"),
      py::arg("beyond"), py::arg("steps"), py::arg("variance"), py::arg("cells"), py::arg("cut"),
      "The law of a mean of independent variables, above or below in convex order.");
  module.def(
      "split_lognormal",
      [](double deviation, double width, double tail) {
        const SplitLaw law = split_lognormal(deviation, width, tail);
        return Split(law.values, law.masses, law.excess, law.off);
      },
      py::arg("deviation"), py::arg("width"), py::arg("tail"), "A log-normal law, its cells split to their ends.");
  module.def(
      "shuffle_term",
      [](double mu, bool replaces, bool back, double alpha, double near, double ratio, double bottom, double top) {
        const TermLaw law = term_law(mu, replaces, way_of(back), alpha, {near, ratio, bottom, top});
        return std::tuple(law.places, law.masses, law.excess);
      },
      py::arg("mu"), py::kw_only(), py::arg("replaces"), py::arg("back"), py::arg("alpha"), py::arg("near"),
      py::arg("ratio"), py::arg("bottom"), py::arg("top"), "The law of a term of a shuffled epoch, on a grid.");
  module.def(
      "pivot_nodes",
      [](double mu, double width, double tail) {
        const PivotNodes all = pivot_nodes(mu, width, tail);
        std::vector<std::tuple<double, double, double>> nodes;
        for (const auto& [mass, gain, loss] : all.nodes) nodes.emplace_back(mass, gain, loss);
        return std::tuple(nodes, all.excess);
      },
      py::arg("mu"), py::arg("width"), py::arg("tail"), "Corners of the last batch's output, and what lies above.");
  module.def(
      "mean_positive_part",
      [](const std::vector<PlacedTerm>& terms, double less, double smooth, double tilt, double enough) {
        std::vector<TermLaw> laws;
        std::vector<SameTerms> all;
        for (const auto& [places, masses, excess, count, gain, loss] : terms) {
          laws.push_back({places, masses, excess});
          all.push_back({nullptr, count, gain, loss});
        }
        for (std::size_t k = 0; k < laws.size(); ++k) all[k].law = &laws[k];
        SumSpace space;
        return mean_positive_part(all, less, smooth, enough, tilt, space);
      },
      py::arg("terms"), py::arg("less"), py::arg("smooth"), py::arg("tilt"), py::arg("enough") = 0.0,
      "E (sum of terms - less)_+, from above.");
  module.def(
      "batch_weights",
      [](double nu, std::int64_t others, double size, double mistaken) {
        const BatchWeights all = batch_weights(nu, others, size, mistaken);
        return std::tuple(all.highs, all.lows, all.high, all.low, all.mistaken);
      },
      py::arg("nu"), py::arg("others"), py::arg("size"), py::arg("mistaken"), "Weights of batches after the first.");
  module.def(
      "shuffle_bound",
      [](double mu, double batches, double by_batch, double joins, bool uses_all, double last_size, double size,
         bool replaces, bool back, const std::vector<double>& alpha, double cells, double tail) {
        ShuffleBound bound({mu, batches, replaces, uses_all, by_batch, joins, last_size, size}, cells, tail);
        std::vector<double> upper;
        for (const double at : alpha) upper.push_back(bound.upper(way_of(back), at));
        return upper;
      },
      py::arg("mu"), py::arg("batches"), py::arg("by_batch") = 0.0, py::arg("joins") = 1.0, py::kw_only(),
      py::arg("uses_all") = false, py::arg("last_size") = 1.0, py::arg("size") = 0.0, py::arg("replaces") = false,
      py::arg("back"), py::arg("alpha"), py::arg("cells") = 24, py::arg("tail") = 1e-12,
      "The curve of a shuffled epoch, from above.");
  using Epochs = std::vector<std::array<double, 3>>;
  const auto ends = [](const Interval& both) { return std::pair(both.lower, both.upper); };
  py::class_<VisibleRun>(module, "VisibleRun", "Allocations of Gaussians with little noise.")
      .def(py::init([](const Epochs& epochs, double gap) {
             std::vector<VisibleEpochs> all;
             for (const auto& [mu, steps, count] : epochs) all.push_back({mu, steps, count});
             return VisibleRun(std::move(all), gap);
           }),
           py::arg("epochs"), py::arg("gap") = 8.0)
      .def(
          "epsilon", [=](const VisibleRun& run, double delta, bool adds) { return ends(run.epsilon(delta, adds)); },
          py::arg("delta"), py::arg("adds") = false)
      .def(
          "delta", [=](const VisibleRun& run, double epsilon, bool adds) { return ends(run.delta(epsilon, adds)); },
          py::arg("epsilon"), py::arg("adds") = false)
      .def("log_mistaken", &VisibleRun::log_mistaken)
      .def("log_missed", &VisibleRun::log_missed)
      .def("log_added", &VisibleRun::log_added)
      .def("adds_spare", &VisibleRun::adds_spare);
}

// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/best_of.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double farthest = 600;       // nats
constexpr double least_rank = 1e-18;   // ranks below lie in one cell
constexpr double nodes_of_cells = 40;  // ranks for each of the cells asked for
constexpr double most_ranks = 4000;

constexpr int most_passes = 12;  // of the search for a ranking; each raises the loss where delta is the goal

// A curve between its points, from above: by its chords, and by its last value beyond.
class Chords {
 public:
  explicit Chords(const EnclosedCurve& curve) : curve_(curve) {}

  /// The bound at alpha, within 6 u and 1e-307 of itself. The search begins at the point `from`, which follows alpha.
  double at(double alpha, std::size_t& from) const {
    if (!(alpha > 0)) return 1 - alpha;
    const std::vector<double>&x = curve_.alpha, &y = curve_.upper;
    while (from > 0 && x[from - 1] >= alpha) --from;
    while (from < x.size() && x[from] < alpha) ++from;
    if (from == x.size()) return y.back();
    const double left = from > 0 ? x[from - 1] : 0, value = from > 0 ? y[from - 1] : 1, width = x[from] - left;
    return (x[from] - alpha) / width * value + (alpha - left) / width * y[from];
  }

  /// An alpha of the curve for which alpha x + h is about least.
  std::size_t best_line(double x, std::size_t near) const {
    const auto line = [&](std::size_t k) { return curve_.alpha[k] * x + curve_.upper[k]; };
    while (near > 0 && line(near - 1) <= line(near)) --near;
    while (near + 1 < curve_.alpha.size() && line(near + 1) < line(near)) ++near;
    return near;
  }

  const EnclosedCurve& curve() const { return curve_; }

 private:
  const EnclosedCurve& curve_;
};

std::vector<double> ranks(std::size_t number) {
  std::vector<double> nodes{0};
  for (std::size_t k = 0; k < number; ++k)
    nodes.push_back(least_rank *
                    math::exp(-math::log(least_rank) * static_cast<double>(k) / static_cast<double>(number)));
  nodes.push_back(1);
  return nodes;
}

}  // namespace

// Between two nodes f'(1 - x) lies below its chord. f'(1 - y) lies above its tangent at any place, and g(x) below any
// line alpha x + h, so that f'(1 - g(x)) lies above a line of x, and above 0: the maximum is at the nodes, or where the
// line meets 0.
std::vector<RankLine> rank_lines(const EnclosedCurve& back, const NumberOfRuns& runs, double cells) {
  const Chords curve(back);
  const double number = std::ceil(std::min(nodes_of_cells * cells, most_ranks));
  const std::vector<double> nodes = ranks(static_cast<std::size_t>(number));
  const double off = runs.error();
  std::vector<RankLine> lines;
  std::size_t near = 0;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    checkpoint_each<256>(i);
    const double left = nodes[i], right = nodes[i + 1], middle = left + (right - left) / 2;
    near = curve.best_line(middle, near);
    const double alpha = back.alpha[near] * (1 + 4 * u);
    const double place = (alpha * middle + back.upper[near]) * (1 + 4 * u) + 1e-307;  // proof: best-of-runs
    const double height = runs.rate(std::min(place, 1.0)) * (1 - 2.1 * off);          // proof: best-of-runs
    const double slope = place < 1 ? runs.rate_slope(place) * alpha : 0;
    const auto below = [&](double x) {
      const double moved = slope * (x - middle);
      return height - moved - (2 * off + 0x1p-40) * std::fabs(moved) - 8 * u * height;  // proof: best-of-runs
    };
    const auto add = [&](double x, double less) {
      lines.push_back({runs.rate(x) * (1 + off), std::max(0.0, less)});  // proof: best-of-runs
    };
    const double first = below(left), last = below(right);
    add(left, first), add(right, last);
    // From where the line is below 0 on f' is at least 0: that place is an end, too.
    if (first > 0 && last < 0)
      add(left + (right - left) * (first / (first - last)) * (1 - 0x1p-40), 0);  // proof: best-of-runs
  }
  return lines;
}

// Between two nodes log f'(1 - x) and log f'(1 - alpha x - h) are both convex, or both concave: what lies above the
// first, or below the second, is its chord or its tangent in the middle. Their difference is largest at an end.
RankRatios::RankRatios(const EnclosedCurve& back, const NumberOfRuns& runs) : error_(runs.error()) {
  const Chords curve(back);
  const std::vector<double> nodes = ranks(static_cast<std::size_t>(most_ranks));
  const double log_mean = math::log(runs.mean());
  std::size_t near = 0;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    const double left = nodes[i], right = nodes[i + 1], middle = left + (right - left) / 2;
    double alpha = 0, least = 1;  // of the line above g
    if (!back.alpha.empty()) {
      near = curve.best_line(middle, near);
      if (back.alpha[near] * right + back.upper[near] < 1) alpha = back.alpha[near], least = back.upper[near];
    }
    const auto place = [&](double x) { return std::min(1.0, (alpha * x + least) * (1 + 8 * u) + 1e-307); };
    const double top = runs.log_share(middle), bottom = runs.log_share(place(middle));
    const double falls = runs.log_slope(middle), sinks = alpha * runs.log_slope(place(middle));
    for (const double x : {left, right}) {
      const double moved = x - middle, off = 0x1p-40 * (falls + sinks) * std::fabs(moved);
      const double high = std::max(runs.log_share(x), top - falls * moved) + off;           // proof: best-of-runs
      const double low = std::min(runs.log_share(place(x)), bottom - sinks * moved) - off;  // proof: best-of-runs
      const double more = 4.2 * error_ + 4 * u * (std::fabs(high) + std::fabs(low));        // proof: best-of-runs
      cells_.push_back({log_mean + high, std::max(0.0, high - low) + more});
      largest_ = std::max(largest_, cells_.back().drop);
    }
  }
}

double RankRatios::log_power(double t) const {
  double most = -infinity;
  for (const auto& [top, drop] : cells_) most = std::max(most, top + t * drop + 4 * u * (std::fabs(top) + t * drop));
  return most + 1.1 * error_ + 4 * u;  // proof: best-of-runs
}

// Any of the lines may be kept, and 0: between two that are kept, the kink lies where the first of the lines between
// them, or the second itself, meets the first.
std::vector<RankKink> kinks_of(std::vector<RankLine> lines) {
  std::sort(lines.begin(), lines.end(), [](const RankLine& a, const RankLine& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.less < b.less;
  });
  const auto meets = [](const RankLine& low, const RankLine& high) {
    return (high.less - low.less) / (high.slope - low.slope);
  };
  std::vector<std::size_t> kept;
  const RankLine zero{0, 0};
  const auto kept_line = [&](std::size_t k) { return k == 0 ? zero : lines[kept[k - 1]]; };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!(lines[i].slope > (kept.empty() ? 0 : lines[kept.back()].slope))) {
      if (kept.empty() || !(lines[i].less < lines[kept.back()].less)) continue;
      kept.pop_back();
    }
    while (!kept.empty() &&
           meets(kept_line(kept.size() - 1), lines[i]) <= meets(kept_line(kept.size() - 1), lines[kept.back()]))
      kept.pop_back();
    kept.push_back(i);
  }
  std::vector<RankKink> kinks;
  RankLine before = zero;
  std::size_t next = 0;
  for (const std::size_t k : kept) {
    double at = infinity;
    for (; next <= k; ++next)
      if (lines[next].slope > before.slope) at = std::min(at, meets(before, lines[next]));
    kinks.push_back(
        {at - 4 * u * std::fabs(at), (lines[k].slope - before.slope) * (1 + 2 * u)});  // proof: best-of-runs
    before = lines[k];
  }
  return kinks;
}

namespace {

class BestOfCurve {
 public:
  BestOfCurve(const EnclosedCurve& forth, const EnclosedCurve& back, const NumberOfRuns& runs,
              const std::vector<RenyiPoint>& moments, const EnclosedCurve& all, double cells)
      : forth_(forth),
        kinks_(kinks_of(rank_lines(back, runs, cells))),
        none_(runs.none_above()),
        moments_(moments),
        all_(all) {}

  double at(double alpha) const {
    double sum = alpha < 1 ? none_ * (1 - alpha) : 0, jumps = 0;
    std::size_t from = 0;
    for (const auto& [at, jump] : kinks_) {
      sum += jump * forth_.at(alpha * at - 2 * u * std::fabs(alpha * at), from);  // proof: best-of-runs
      jumps += jump;
    }
    const double terms = static_cast<double>(kinks_.size()) + 16;
    const double by_ranks = sum * (1 + terms * u) + 1e-306 * (1 + jumps);  // proof: best-of-runs
    return std::min({1.0, by_ranks, by_moments(alpha), by_all(alpha)});
  }

 private:
  // h(a) <= E_P (1 - a / R)_+ for R = dP / dQ, and 1 - a / r <= r^t a^-t t^t / (t + 1)^(t + 1) for every t > 0, with
  // order t + 1.
  double by_moments(double alpha) const {
    double least = 1;
    const double loss = math::log(alpha);
    for (const auto& [order, divergence] : moments_) {
      const double t = order - 1;
      const double exponent = t * (divergence - loss) + t * math::log(t / order) - math::log(order);
      const double size = t * (divergence + std::fabs(loss) + 2 + std::fabs(math::log(t / order))) + math::log(order);
      least = std::min(least, math::exp(exponent + 16 * u * size) * (1 + 8 * u) + 1e-306);  // proof: best-of-runs
    }
    return least;
  }

  // The best is a function of all outputs.
  double by_all(double alpha) const {
    if (all_.curve().alpha.empty()) return 1;
    std::size_t from = 0;
    return all_.at(alpha, from) * (1 + 8 * u) + 1e-306;  // proof: best-of-runs
  }

  Chords forth_;
  std::vector<RankKink> kinks_;
  double none_;
  const std::vector<RenyiPoint>& moments_;
  Chords all_;
};

// Losses at equal distances up to where the curve is as low as its tail.
std::vector<double> losses_to(const BestOfCurve& curve, double cells, double tail) {
  double reach = 1e-3;
  while (reach < farthest && curve.at(math::exp(reach)) > tail) reach *= 2;
  reach = halved(reach / 2, reach, 12, 0, [&](double loss) { return curve.at(math::exp(loss)) > tail; }).upper;
  const double number = std::ceil(std::clamp(20 * cells, 200.0, 2000.0));
  std::vector<double> losses;
  for (double k = 0; k <= number; ++k) losses.push_back(std::min(reach, farthest) * k / number);
  return losses;
}

}  // namespace

double best_of_upper(const EnclosedCurve& forth, const EnclosedCurve& back, const NumberOfRuns& runs,
                     const OtherBounds& others, double cells, double alpha) {
  return BestOfCurve(forth, back, runs, others.moments, others.forth, cells).at(alpha);
}

AtomicLaw best_of_above(const EnclosedCurve& forth, const EnclosedCurve& back, const NumberOfRuns& runs,
                        const OtherBounds& others, double cells, double tail) {
  const BestOfCurve there(forth, back, runs, others.moments, others.forth, cells);
  const BestOfCurve reverse(back, forth, runs, others.moments, others.back, cells);
  EnclosedCurve curve;
  const std::vector<double> below = losses_to(reverse, cells, tail), above = losses_to(there, cells, tail);
  for (std::size_t k = below.size(); k-- > 1;) {
    checkpoint_each<16>(k);
    const double alpha = math::exp(-below[k]);
    const double reflected = 1 - alpha + alpha * reverse.at(down(1 / alpha)) + 4 * u;  // proof: best-of-runs
    curve.alpha.push_back(alpha);
    curve.upper.push_back(std::min(there.at(alpha), reflected));
  }
  for (std::size_t k = 0; k < above.size(); ++k) {
    checkpoint_each<16>(k);
    curve.alpha.push_back(math::exp(above[k]));
    curve.upper.push_back(there.at(curve.alpha.back()));
  }
  return law_above(curve);
}

AtomicLaw best_of_attained(const AtomicLaw& base, const NumberOfRuns& runs, double first) {
  std::vector<LossAtom> ranked = base.atoms;
  sort_by(ranked, &LossAtom::loss);
  std::size_t low = 0;
  for (double mass = 0; low < ranked.size() && mass < first; ++low) mass += ranked[low].p;
  std::reverse(ranked.begin() + static_cast<std::ptrdiff_t>(low), ranked.end());
  const std::size_t size = ranked.size();
  std::vector<double> rest_p(size + 1, 0), rest_q(size + 1, 0);
  for (std::size_t k = size; k-- > 0;) rest_p[k] = rest_p[k + 1] + ranked[k].p, rest_q[k] = rest_q[k + 1] + ranked[k].q;
  std::vector<LossAtom> atoms;
  double p_before = 0, q_before = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const double p = runs.between(p_before, rest_p[k], ranked[k].p), q = runs.between(q_before, rest_q[k], ranked[k].q);
    p_before += ranked[k].p, q_before += ranked[k].q;
    const bool is_infinite = std::isinf(ranked[k].loss), has_p = p > 1e-290, has_q = q > 1e-290;
    if (is_infinite ? has_p || has_q : has_p && has_q)
      atoms.push_back({is_infinite ? ranked[k].loss : math::log(p / q), p, q});
  }
  if (runs.none() > 0) atoms.push_back({0, runs.none(), runs.none()});
  const double off = base.mass_error + 2 * static_cast<double>(size) * u;
  const double error = 2 * runs.error() + runs.sensitivity() * off + 64 * u;  // proof: best-of-runs
  return law_of_masses(std::move(atoms), error);
}

double best_first_mass(const AtomicLaw& base, const NumberOfRuns& runs, double goal) {
  const auto delta = [](const AtomicLaw& law, double loss) {
    const double alpha = math::exp(loss);
    double sum = 0;
    for (const LossAtom& atom : law.atoms) sum += std::max(0.0, atom.p - alpha * atom.q);
    return sum;
  };
  double best = 0;
  for (int pass = 0; pass < most_passes; ++pass) {
    const double before = best;
    const AtomicLaw law = best_of_attained(base, runs, best);
    double high = 1;
    while (high < farthest && delta(law, high) > goal) high *= 2;
    high = halved(0, high, 30, 0, [&](double loss) { return delta(law, loss) > goal; }).upper;
    double most = delta(law, high);
    const auto improves = [&](double first) {
      checkpoint();
      const double value = delta(best_of_attained(base, runs, first), high);
      if (value > most) best = first, most = value;
    };
    for (int k = 1; k <= 50; k += pass == 0 ? 1 : 3)
      improves(-math::expm1(-0.05 * math::exp(0.12 * k)));  // to 1 - e^-20
    const double middle = -math::log1p(-best);
    for (int k = 1; k <= 8; ++k) improves(-math::expm1(-middle * (0.865 + 0.03 * k)));
    if (best == before) break;
  }
  return best;
}

}  // namespace hockeystick

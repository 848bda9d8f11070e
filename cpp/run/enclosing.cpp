// SPDX-License-Identifier: Apache-2.0
#include "run/enclosing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"

namespace hockeystick {
namespace {

constexpr double least_of_series = 5e-17;  // tails below are those of convolutions
constexpr double least_tail = 1e-303, not_known = std::numeric_limits<double>::quiet_NaN();

// Tails a factor 2^8 apart, 2^-54 one of them, so that questions about nearby deltas share their pairs.
double rung(double tail) {
  const int power = 8 * static_cast<int>(std::floor((std::ilogb(tail) + 54) / 8.0)) - 54;
  return std::max(std::ldexp(1.0, power), least_tail);
}

// Initial accuracy, expected to meet `tolerance` at a delta of `smallest` after `runs` runs. Cells add to the variance
// of the loss, which moves delta by about log(1 / delta) of what they add; 24 cells a deviation suffice down to 1e-10.
Accuracy starting_accuracy(double tolerance, double smallest, std::int64_t runs) {
  const double rare = std::max(1.0, (math::log(1 / std::max(smallest, smallest_delta)) - 5) / 19);
  return {std::clamp(std::ceil(24 * std::sqrt(rare * 1e-3 / tolerance)), 12.0, 2000.0),
          rung(std::min(std::max(0.1 * tolerance * smallest / static_cast<double>(runs), least_tail), 1e-6))};
}

constexpr double rough = 0.01;  // how closely sides of pairs that do not meet are asked at first
// What the sides' own answers may add to a gap that theory leaves, as a part of it.
constexpr double part_of_theory = 0.03;

// Whether it is a probability as small as any of interest.
template <class Ends>
bool is_tiny(const Ends& ends, const EnclosedQuestion& question) {
  return may_be_tiny(question.wanted) && ends.upper <= std::max(question.smallest, smallest_delta);
}

// Of an answer, relative to its upper end; a probability that is as small as any of interest has none.
template <class Ends>
double gap_of(const Ends& ends, const EnclosedQuestion& question) {
  if (is_tiny(ends, question)) return 0;
  return ends.lower == ends.upper ? 0 : 1 - ends.lower / ends.upper;  // both may be infinite
}

// Of the widest answer between the sides, and how much of that the sides' own answers are wide. `loose`: the points of
// which they are a good part of it; `of_theory`: the least that they leave of such a gap.
struct Gap {
  double most = 0, of_sides = 0, of_theory = infinity;
  std::vector<std::size_t> loose;
};

// What cells add falls with their square, and the width of the sides' own answers stays: as many cells as leave less
// than the rest of the tolerance. At first, and where more cells gained too little before, the ends leave out less,
// too, unless they `cannot_count`, as all deltas are far above what they leave out: if more cells alone gained too
// little, they do count, in place of many more cells.
class Refinement {
 public:
  explicit Refinement(double tolerance) : tolerance_(tolerance) {}

  Accuracy finer(const Accuracy& at, const Gap& gap, bool cannot_count) {
    const double of_cells = std::max(0.0, gap.most - gap.of_sides);
    const double rest = std::max(tolerance_ - gap.of_sides, 0.2 * tolerance_);
    const bool gained_little = cannot_count && expected_ > 0 && of_cells > expected_;
    const bool ends_count = gained_little || (!cannot_count && of_cells > expected_);
    const bool is_handover = ends_count && at.tail >= least_of_series;
    const double least = is_handover ? 3 : 1.5, most = !gained_little ? (cannot_count ? 16 : 8) : is_handover ? 1 : 1.5;
    double more = std::sqrt(1.5 * of_cells / rest);
    if (cannot_count && more > 4) more *= 1.4;  // few cells tell little of many
    more = std::clamp(more, std::min(least, most), most);
    expected_ = 2 * of_cells / (more * more);
    return {std::min(std::ceil(more * at.cells), 2000.0), ends_count ? rung(at.tail / 10) : at.tail};
  }

 private:
  double tolerance_, expected_ = 0;  // at most, of what cells add
};

// True if both sides met their tolerance and the gap is no wider than either side's own interval.
bool is_no_wider_than_a_side(const Answer& over, const Answer& under, const Interval& ends) {
  const double widest = std::max(over.upper - over.lower, under.upper - under.lower);
  return over.converged && under.converged && ends.upper - ends.lower <= widest;
}

// Whether a side could do better with more memory, or what else keeps the sides that meet, or tell nothing, from more.
void explain(const Answer& over, const Answer& under, bool closes, Answer& ends) {
  const bool both_tell = (over.converged || std::isfinite(ends.upper)) && (under.converged || ends.lower > 0);
  ends.converged = false;
  ends.limited_by = !closes && both_tell ? "theory" : "passes";
  for (const Answer* side : {&under, &over}) {
    if (side->converged || !(closes || side->limited_by == "memory_limit")) continue;
    ends.limited_by = side->limited_by;
    ends.required_bytes = side->required_bytes;
  }
}

Answer answer_of(const Interval& ends) {
  Answer answer = enclosed(ends, {});
  answer.converged = true;
  answer.discretization = answer.truncation = answer.wraparound = answer.rounding = not_known;
  return answer;
}

// Answers to the points of a question, from sides that are asked ever more closely.
class BetweenSides {
 public:
  BetweenSides(const EnclosedQuestion& question, std::span<const double> points, const AskSide& above,
               const AskSide& below, std::span<const Interval> known)
      : question_(question), points_(points), above_(above), below_(below) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      answers_.push_back(answer_of(known.empty() ? Interval{0, infinity} : known[i]));
      answers_[i].converged = gap_of(answers_[i], question) <= question.tolerance;
    }
    moments_above_.assign(points.size(), enclosed({0, infinity}, {}));
  }

  const std::vector<Answer>& answers() const { return answers_; }

  // The points that are not answered as closely as asked, and that more of the curve would tell more of.
  std::vector<std::size_t> open() const {
    std::vector<std::size_t> left = open_of(all());
    std::erase_if(left, [&](std::size_t i) { return wants_largest(i); });
    return left;
  }

  // Epsilon at delta = 0 is the largest loss, which pairs of a curve leave out.
  void ask_largest() {
    std::vector<std::size_t> which = open_of(all());
    std::erase_if(which, [&](std::size_t i) { return !wants_largest(i); });
    if (!which.empty()) ask_both_sides(which, accuracy_of(first_smallest(), Aspect::largest));
  }

  // What bounds more than the curve: moments, and power at rate 0, which is the mass at +inf.
  void ask_beyond_curve() {
    std::vector<std::size_t> which;
    for (const std::size_t i : open())
      if (question_.wanted == Wanted::moments || (question_.wanted == Wanted::power && points_[i] == 0))
        which.push_back(i);
    if (which.empty()) return;
    SideAccuracy at = accuracy_of(first_smallest(), Aspect::moments);
    ask_both_sides(which, at);
    // Pairs that do not meet tell no more of moments where their curves are made of more cells.
    if (question_.wanted != Wanted::moments || !question_.closes) return;
    at.aspect = Aspect::far;
    for (const double cells : {at.cells, 3 * at.cells}) {
      which = open_of(which);
      if (which.empty()) return;
      at.cells = cells;
      ask_both_sides(which, at);
      at.tail = least_tail;  // moments of high orders are made of losses that are rare
    }
  }

  // What pairs of the curve tell of these points, asked together.
  void ask_curve(const std::vector<std::size_t>& which) {
    double smallest = first_smallest();
    if (tells_deltas())
      for (const std::size_t i : which) smallest = std::min(smallest, least_of(points_[i], smallest));
    ask_curve(which, smallest);
  }

  // Delta is 0 beyond the largest loss, which pairs of a curve may not tell: asked where it may be 0.
  void ask_beyond_largest() {
    if (question_.wanted != Wanted::delta) return;
    std::vector<std::size_t> which = all();
    std::erase_if(which, [&](std::size_t i) { return answers_[i].lower > 0 || answers_[i].upper == 0; });
    if (which.empty()) return;
    const std::vector<Answer> found = above_(accuracy_of(first_smallest(), Aspect::largest), of(which));
    for (std::size_t k = 0; k < which.size(); ++k)
      if (found[k].upper == 0) answers_[which[k]] = answer_of({0, 0});
  }

  // Harder questions first: about smaller deltas and rates.
  double ease(std::size_t i) const { return tells_deltas() ? points_[i] : -points_[i]; }

 private:
  bool wants_largest(std::size_t i) const { return question_.wanted == Wanted::epsilon && points_[i] == 0; }
  std::int64_t runs() const { return std::max<std::int64_t>(question_.runs, 1); }
  double tail_of(double smallest) const { return starting_accuracy(question_.tolerance, smallest, runs()).tail; }

  // Each side's own answer may be as wide as that, unless it counts in full.
  double finest() const {
    const bool is_of_rates =
        question_.wanted == Wanted::power || question_.wanted == Wanted::rates || question_.wanted == Wanted::risk;
    return is_of_rates ? question_.tolerance : 0.5 * question_.tolerance;
  }

  SideAccuracy accuracy_of(double smallest, Aspect aspect) const {
    return {starting_accuracy(question_.tolerance, smallest, runs()), aspect, finest()};
  }

  // Whether the points are deltas or rates, the least of which says how much of the loss may be left out.
  bool tells_deltas() const {
    return question_.wanted == Wanted::epsilon || question_.wanted == Wanted::power ||
           question_.wanted == Wanted::rates;
  }

  // How small the question is: of an epsilon the smaller of delta and 1 - delta, of a rate the rate. `otherwise`: where
  // that is 0.
  double least_of(double point, double otherwise) const {
    if (question_.wanted == Wanted::epsilon && point < 1) point = std::min(point, 1 - point);
    return point > 0 ? point : otherwise;
  }

  // The largest delta or rate that need not meet the tolerance at first.
  double first_smallest() const { return tells_deltas() ? 1 : 1e-9; }

  std::vector<double> of(std::span<const std::size_t> which) const {
    std::vector<double> points;
    for (const std::size_t i : which) points.push_back(points_[i]);
    return points;
  }

  std::vector<std::size_t> all() const {
    std::vector<std::size_t> which(points_.size());
    std::iota(which.begin(), which.end(), std::size_t{0});
    return which;
  }

  std::vector<std::size_t> open_of(std::span<const std::size_t> which) const {
    std::vector<std::size_t> left;
    for (const std::size_t i : which)
      if (!answers_[i].converged) left.push_back(i);
    return left;
  }

  // Of deltas not far below `smallest`; says how closely they have been asked in the end.
  SideAccuracy ask_curve(std::vector<std::size_t> which, double smallest) {
    SideAccuracy at = accuracy_of(smallest, Aspect::curve);
    // At first, few cells tell how small deltas are; some suffice where theory leaves a gap that is wider by far.
    const auto is_less = [&](auto i) { return answers_[i].lower < smallest; };
    const auto is_apart = [&](auto i) { return question_.has_costly_cells && gap_of(answers_[i], question_) > 0.3; };
    if (question_.wanted == Wanted::delta && smallest < first_smallest() &&
        (question_.closes ? std::any_of(which.begin(), which.end(), is_less)
                          : std::all_of(which.begin(), which.end(), is_apart)))
      at.cells = std::ceil(at.cells / (question_.closes ? 5 : 3));
    // Convolutions take more than closer answers by them.
    if (question_.closes && question_.wanted == Wanted::delta && at.tail < least_of_series) at.tolerance *= 0.4;
    double before = infinity;
    bool has_lowered = false;
    Refinement refinement(question_.tolerance);
    for (int attempt = 1; !is_contradiction_; ++attempt) {
      Gap gap = ask_both_sides(which, at);
      which = open_of(which);
      ask_smaller(which, at, smallest);
      double left = 0;  // of those that are asked on
      for (const std::size_t i : which) left = std::max(left, gap_of(answers_[i], question_));
      gap.most = std::min(gap.most, left);
      // Rounding limits it where closer pairs do not help, or where the sides' own answers stay too wide: these are
      // asked for twice as closely where they take more than a good half of the tolerance, or the pairs meet within it.
      const double of_pairs = gap.most - gap.of_sides;
      const bool is_wide = at.tolerance > 0.1 * question_.tolerance &&
                           (gap.of_sides > 0.6 * question_.tolerance || of_pairs < 0.7 * question_.tolerance);
      const bool is_rounding = 0.9 * before < gap.most || gap.of_sides > 1.01 * question_.tolerance;
      if (which.empty() || attempt == (question_.closes ? 5 : 1)) return at;
      if (is_rounding && !is_wide) {
        // The ends may leave out too much, once.
        if (question_.wanted != Wanted::delta || !question_.closes || has_lowered) return at;
        has_lowered = true, before = gap.most, at.tail = rung(at.tail / 1000);
        continue;
      }
      before = gap.most;
      if (is_wide) at.tolerance *= 0.5;
      if (!is_wide || of_pairs > 0.7 * question_.tolerance)
        static_cast<Accuracy&>(at) = refinement.finer(at, gap, cannot_count(which, at.tail));
    }
    return at;
  }

  // Whether what the ends leave out, and what pairs that are known to an absolute error are off, is a tenth of the
  // tolerance at most.
  bool cannot_count(std::span<const std::size_t> which, double tail) const {
    const double left_out = static_cast<double>(runs()) * (tail < least_of_series ? tail : tail + least_of_series);
    const auto is_far = [&](std::size_t i) { return question_.tolerance * answers_[i].lower >= 10 * left_out; };
    return question_.wanted == Wanted::delta && std::all_of(which.begin(), which.end(), is_far);
  }

  // Takes out deltas that come to what the ends leave out, and asks for those of about one size as the least of them
  // says how much that may be, or step by step. Pairs that tell a small delta cost larger ones much, unless they close.
  void ask_smaller(std::vector<std::size_t>& which, const SideAccuracy& at, double smallest) {
    const double one_size = question_.closes ? 0 : 1e-3;
    if (question_.wanted != Wanted::delta) return;
    const auto is_in_reach = [&](std::size_t i) { return tail_of(answers_[i].upper) >= at.tail; };
    auto small = std::stable_partition(which.begin(), which.end(), is_in_reach);
    while (small != which.end()) {
      double known = 0;
      for (auto i = small; i != which.end(); ++i) known = std::max(known, answers_[*i].lower);
      const auto is_less = [&](std::size_t i) { return answers_[i].lower < one_size * known; };
      const auto group = std::stable_partition(small, which.end(), is_less);
      double least = infinity;
      for (auto i = group; i != which.end(); ++i) least = std::min(least, answers_[*i].lower);
      const double next = std::max(least > 0 ? least : smallest * smallest * smallest, question_.smallest);
      if (!(next < smallest)) return;
      const std::vector<std::size_t> apart(group, which.end());
      which.erase(group, which.end());
      small = std::partition_point(which.begin(), which.end(), is_in_reach);
      const SideAccuracy finer = ask_curve(apart, next);
      if (!question_.closes || which.empty()) continue;
      ask_both_sides(which, finer);  // by pairs that are made
      which = open_of(which);
      small = std::stable_partition(which.begin(), which.end(), is_in_reach);
    }
  }

  // Whether moments tell the run above so closely that theory leaves most of the gap.
  bool is_known_above(std::size_t i) const {
    const Answer& over = moments_above_[i];
    const double wide = gap_of(Interval{answers_[i].lower, over.upper}, question_);
    return !question_.closes && over.converged && gap_of(over, question_) <= part_of_theory * wide;
  }

  // Asks both sides. Where the pairs do not meet, roughly at first, and more closely only the points of which the
  // sides' own answers are more than a small part of the gap.
  Gap ask_both_sides(std::span<const std::size_t> which, SideAccuracy at) {
    if (!question_.closes) at.tolerance = std::max(finest(), rough);
    Gap gap = ask(which, at);
    while (!gap.loose.empty() && at.tolerance > finest()) {
      at.tolerance = std::clamp(0.5 * part_of_theory * gap.of_theory, finest(), 0.5 * at.tolerance);
      gap = ask(gap.loose, at);
    }
    return gap;
  }

  // Asks both sides; the largest gap that they leave where it is too wide.
  Gap ask(std::span<const std::size_t> which, const SideAccuracy& at) {
    const std::vector<double> points = of(which);
    std::vector<Answer> over;
    const auto is_in_reach = [this](std::size_t i) { return is_known_above(i); };
    if (at.aspect == Aspect::curve && std::all_of(which.begin(), which.end(), is_in_reach))
      for (const std::size_t i : which) over.push_back(moments_above_[i]);
    else
      over = above_(at, points);
    // What is left of a probability that no one need know more of, where the sides do not meet.
    const bool is_lost =
        may_be_tiny(question_.wanted) && !question_.closes &&
        std::all_of(over.begin(), over.end(), [&](const Answer& each) { return is_tiny(each, question_); });
    const std::vector<Answer> under =
        is_lost ? std::vector(points.size(), enclosed({0, infinity}, {})) : below_(at, points);
    Gap gap;
    for (std::size_t k = 0; k < which.size(); ++k) {
      Answer& answer = answers_[which[k]];
      Interval each = question_.wanted == Wanted::risk ? Interval{over[k].lower, under[k].upper}
                                                       : Interval{under[k].lower, over[k].upper};
      const double wide = gap_of(each, question_), own = gap_of(over[k], question_) + gap_of(under[k], question_);
      if (at.aspect == Aspect::moments) moments_above_[which[k]] = over[k];
      const bool is_as_close_as_sides = at.tolerance <= finest() && is_no_wider_than_a_side(over[k], under[k], each);
      each = {std::max(each.lower, answer.lower), std::min(each.upper, answer.upper)};
      // Of Gaussians alone the core tells the mu of all rates, which is more than that of these only where that is the
      // largest there can be: then the pairs above reach it but for rounding.
      if (question_.wanted == Wanted::rates) each.lower = std::min(each.lower, each.upper * (1 - 1e-9));
      answer = answer_of(each);
      is_contradiction_ = is_contradiction_ || !(each.lower <= each.upper);
      if (gap_of(each, question_) <= question_.tolerance || is_as_close_as_sides) continue;
      if (wide > gap.most) gap.most = wide, gap.of_sides = own;
      if (own > part_of_theory * wide && over[k].converged && under[k].converged) {
        gap.loose.push_back(which[k]);
        gap.of_theory = std::min(gap.of_theory, wide - own);
      }
      explain(over[k], under[k], question_.closes, answer);
    }
    return gap;
  }

  const EnclosedQuestion& question_;
  std::span<const double> points_;
  const AskSide &above_, &below_;
  std::vector<Answer> answers_, moments_above_;  // of the side above
  bool is_contradiction_ = false;
};

}  // namespace

std::vector<Answer> enclosed_answers(const EnclosedQuestion& question, std::span<const double> points,
                                     const AskSide& above, const AskSide& below, std::span<const Interval> known) {
  if (!known.empty() && std::all_of(known.begin(), known.end(), [&](const Interval& ends) {
        return gap_of(ends, question) <= question.tolerance;
      })) {
    std::vector<Answer> found;
    for (const Interval& each : known) found.push_back(answer_of(each));
    return found;
  }
  BetweenSides between(question, points, above, below, known);
  between.ask_largest();
  between.ask_beyond_curve();
  if (const std::vector<std::size_t> open = between.open(); !open.empty()) between.ask_curve(open);
  // What all points leave to one of them alone, the hardest first: if that stays open, so does the question. Deltas of
  // about one size have been asked together.
  std::vector<std::size_t> open = between.open();
  if (points.size() > 1 && question.closes && question.wanted != Wanted::delta)
    for (sort_by(open, [&](std::size_t i) { return between.ease(i); }); const std::size_t i : open)
      if (between.ask_curve({i}); !between.answers()[i].converged) break;
  between.ask_beyond_largest();
  return between.answers();
}

}  // namespace hockeystick

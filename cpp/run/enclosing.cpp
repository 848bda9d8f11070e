// SPDX-License-Identifier: Apache-2.0
#include "run/enclosing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/runtime/work.hpp"
#include "run/refinement.hpp"

namespace hockeystick {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// Of a gap of theory, by which the own answers of sides may widen it.
constexpr double part_of_theory = 3 * rough_sides;

// Whether an answer is a probability below the smallest one of interest.
template <class Ends>
bool is_tiny(const Ends& ends, const EnclosedQuestion& question) {
  return may_be_tiny(question.wanted) && ends.upper <= std::max(question.smallest, smallest_delta);
}

// The width of an answer, relative to its upper end; 0 for a probability below the smallest one of interest.
template <class Ends>
double gap_of(const Ends& ends, const EnclosedQuestion& question) {
  if (is_tiny(ends, question)) return 0;
  return ends.lower == ends.upper ? 0 : 1 - ends.lower / ends.upper;  // both may be infinite
}

// The widest answer between the sides, and the part of its width that comes from the sides' own answers. `loose`: the
// points where that part is large; `of_theory`: the least width that theory leaves at these points.
struct Gap {
  double most = 0, of_sides = 0, of_theory = infinity;
  std::vector<std::size_t> loose;
};

// Whether both sides met their tolerance and the gap is no wider than either side's own interval.
bool is_no_wider_than_a_side(const Answer& over, const Answer& under, const Interval& ends) {
  const double widest = std::max(over.upper - over.lower, under.upper - under.lower);
  return over.converged && under.converged && ends.upper - ends.lower <= widest;
}

// Says whether more memory would help a side, or else what limits sides that meet, or a side without a bound.
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

  SideAccuracy first_accuracy(Aspect aspect) const { return accuracy_of(first_smallest(), aspect); }

  // The points that are not answered as closely as asked, and where a closer curve may help.
  std::vector<std::size_t> open() const {
    std::vector<std::size_t> left = open_of(positions(points_.size()));
    std::erase_if(left, [&](std::size_t i) { return wants_largest(i); });
    return left;
  }

  // Epsilon at delta = 0 is the largest loss, which pairs of a curve leave out.
  void ask_largest() {
    std::vector<std::size_t> which = open_of(positions(points_.size()));
    std::erase_if(which, [&](std::size_t i) { return !wants_largest(i); });
    if (!which.empty()) ask_both_sides(which, first_accuracy(Aspect::largest));
  }

  // Pairs that bound more than the curve: moments, and power at rate 0, which is the mass at +inf.
  void ask_beyond_curve() {
    std::vector<std::size_t> which;
    for (const std::size_t i : open())
      if (question_.wanted == Wanted::moments || (question_.wanted == Wanted::power && points_[i] == 0))
        which.push_back(i);
    if (which.empty()) return;
    SideAccuracy at = first_accuracy(Aspect::moments);
    ask_both_sides(which, at);
    // The moments of pairs that do not meet come no closer by more cells.
    if (question_.wanted != Wanted::moments || !question_.closes) return;
    at.aspect = Aspect::far;
    for (const double cells : {at.cells, 3 * at.cells}) {
      which = open_of(which);
      if (which.empty()) return;
      at.cells = cells;
      ask_both_sides(which, at);
      at.tail = least_tail;  // moments of high orders come from rare losses
    }
  }

  // Answers all these points together from pairs of the curve.
  void ask_curve(const std::vector<std::size_t>& which) {
    double smallest = first_smallest();
    if (tells_deltas())
      for (const std::size_t i : which) smallest = std::min(smallest, least_of(points_[i], smallest));
    if (question_.kept != nullptr && *question_.kept) ask(which, **question_.kept);
    if (const std::vector<std::size_t> left = open_of(which); !left.empty()) ask_curve(left, smallest);
  }

  // Delta is 0 beyond the largest loss, which pairs of the curve may hide: asked where delta may be 0.
  void ask_beyond_largest() {
    if (question_.wanted != Wanted::delta) return;
    std::vector<std::size_t> which = positions(points_.size());
    std::erase_if(which, [&](std::size_t i) { return answers_[i].lower > 0 || answers_[i].upper == 0; });
    if (which.empty()) return;
    const std::vector<Answer> found = above_(first_accuracy(Aspect::largest), of(which));
    for (std::size_t k = 0; k < which.size(); ++k)
      if (found[k].upper == 0) answers_[which[k]] = answer_of({0, 0});
  }

  // Orders questions from hard to easy: smaller deltas and rates, and larger epsilons, come first.
  double ease(std::size_t i) const { return tells_deltas() ? points_[i] : -points_[i]; }

 private:
  bool wants_largest(std::size_t i) const { return question_.wanted == Wanted::epsilon && points_[i] == 0; }
  std::int64_t runs() const { return std::max<std::int64_t>(question_.runs, 1); }
  double tail_of(double smallest) const { return starting_accuracy(question_.tolerance, smallest, runs()).tail; }

  // The tolerance at which a side's own answer is close enough.
  double finest() const {
    const bool is_of_errors = question_.wanted == Wanted::power || question_.wanted == Wanted::risk;
    return is_of_errors ? question_.tolerance : 0.5 * question_.tolerance;
  }

  SideAccuracy accuracy_of(double smallest, Aspect aspect) const {
    SideAccuracy at{starting_accuracy(question_.tolerance, smallest, runs()), aspect, finest()};
    if (question_.wanted == Wanted::delta) at.low = tail_of(1);  // moves deltas by a part of themselves
    // An epsilon moves by a small part of what its delta moves by: the series, which costs less than convolutions, is
    // tried first where its tails are within the tolerance.
    const double of_series = rung(1e-16);
    if (question_.closes && question_.wanted == Wanted::epsilon &&
        static_cast<double>(runs()) * of_series <= question_.tolerance * smallest)
      at.tail = std::max(at.tail, of_series);
    return at;
  }

  // Whether the points are deltas or rates, the least of which bounds the mass that may be left out.
  bool tells_deltas() const {
    return question_.wanted == Wanted::epsilon || question_.wanted == Wanted::power ||
           question_.wanted == Wanted::rates;
  }

  // The smallest probability in a question: the smaller of delta and 1 - delta for an epsilon, the rate for a rate.
  // `otherwise`: the value where that is 0.
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

  std::vector<std::size_t> open_of(std::span<const std::size_t> which) const {
    std::vector<std::size_t> left;
    for (const std::size_t i : which)
      if (!answers_[i].converged) left.push_back(i);
    return left;
  }

  // Asks deltas that are not far below `smallest`; returns the accuracy of the last pairs.
  SideAccuracy ask_curve(std::vector<std::size_t> which, double smallest) {
    SideAccuracy at = accuracy_of(smallest, Aspect::curve);
    // At first, few cells show how small deltas are; fewer cells suffice where theory leaves a much wider gap.
    const auto is_less = [&](auto i) { return answers_[i].lower < smallest; };
    const auto is_apart = [&](auto i) { return question_.has_costly_cells && gap_of(answers_[i], question_) > 0.3; };
    if (question_.wanted == Wanted::delta && smallest < first_smallest() &&
        (question_.closes ? std::any_of(which.begin(), which.end(), is_less)
                          : std::all_of(which.begin(), which.end(), is_apart)))
      at.cells = std::ceil(at.cells / (question_.closes ? 5 : 3));
    // Convolutions take more time than closer answers from their pairs.
    if (question_.closes && question_.wanted == Wanted::delta && at.tail < least_of_series) at.tolerance *= 0.4;
    double before = infinity;
    bool has_lowered = false;
    Refinement refinement(question_.tolerance);
    for (int attempt = 1; !is_contradiction_; ++attempt) {
      Gap gap = ask_both_sides(which, at);
      which = open_of(which);
      ask_smaller(which, at, gap, smallest);
      double left = 0;  // of the points that are asked again
      for (const std::size_t i : which) left = std::max(left, gap_of(answers_[i], question_));
      gap.most = std::min(gap.most, left);
      // Rounding limits a gap that closer pairs do not narrow, or sides whose own answers stay too wide. Their
      // tolerance is halved where it takes more than a good half of the question's, or where the pairs meet within it.
      const double of_pairs = gap.most - gap.of_sides;
      const bool is_wide = at.tolerance > 0.1 * question_.tolerance &&
                           (gap.of_sides > 0.6 * question_.tolerance || of_pairs < 0.7 * question_.tolerance);
      const bool is_rounding = 0.9 * before < gap.most || gap.of_sides > 1.01 * question_.tolerance;
      if (which.empty() || attempt == (question_.closes ? 5 : 1)) return at;
      if (const double tail = tail_of(smallest); at.tail > tail) {
        at.tail = tail;
        continue;
      }
      if (is_rounding && !is_wide) {
        // The tails may be too large: they are lowered once.
        if (question_.wanted != Wanted::delta || !question_.closes || has_lowered) return at;
        has_lowered = true, before = gap.most, at.tail = rung(at.tail / 1000);
        continue;
      }
      before = gap.most;
      if (is_wide) at.tolerance *= 0.5;
      if (is_wide && of_pairs <= 0.7 * question_.tolerance) continue;
      const double cells = at.cells;
      static_cast<Accuracy&>(at) = refinement.finer(at, gap.most, gap.of_sides, cannot_count(which, at.tail));
      if (at.cells == cells) before = infinity;  // more cells may narrow what smaller tails do not
    }
    return at;
  }

  // Whether the tails, and the errors of pairs that are known to an absolute error, are at most a tenth of the
  // tolerance.
  bool cannot_count(std::span<const std::size_t> which, double tail) const {
    const double left_out = static_cast<double>(runs()) * (tail < least_of_series ? tail : tail + least_of_series);
    const auto is_far = [&](std::size_t i) { return question_.tolerance * answers_[i].lower >= 10 * left_out; };
    return question_.wanted == Wanted::delta && std::all_of(which.begin(), which.end(), is_far);
  }

  // Takes deltas that are no larger than the tails out of `which`, and asks them with smaller tails: those of about one
  // size together, with the tail that the least of them needs, or step by step. Pairs for small deltas cost larger ones
  // much time, unless the pairs meet.
  void ask_smaller(std::vector<std::size_t>& which, SideAccuracy& at, Gap& gap, double smallest) {
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
      if (!question_.closes || which.empty() || !(finer.cells > at.cells)) continue;
      gap = ask_both_sides(which, at = finer);  // by pairs that exist already
      which = open_of(which);
      small = std::stable_partition(which.begin(), which.end(), is_in_reach);
    }
  }

  // Whether the moments above are so close that theory leaves most of the gap.
  bool is_known_above(std::size_t i) const {
    const Answer& over = moments_above_[i];
    const double wide = gap_of(Interval{answers_[i].lower, over.upper}, question_);
    return !question_.closes && over.converged && gap_of(over, question_) <= part_of_theory * wide;
  }

  // Asks both sides. Sides that do not meet are asked roughly at first, and then more closely at the points where their
  // own answers are more than a small part of the gap.
  Gap ask_both_sides(std::span<const std::size_t> which, SideAccuracy at) {
    const bool is_of_rates = question_.wanted == Wanted::rates;
    if (!question_.closes) at.tolerance = std::max(finest(), is_of_rates ? question_.tolerance : rough_sides);
    const double work = WorkLimit::left();
    Gap gap = ask(which, at);
    while (!gap.loose.empty() && at.tolerance > finest() && !(is_of_rates && gap.of_theory > question_.tolerance)) {
      at.tolerance = std::clamp(0.5 * part_of_theory * gap.of_theory, finest(), 0.5 * at.tolerance);
      gap = ask(gap.loose, at);
    }
    // Pairs that take much of the work that is left are not asked again: a few cells less may take a hundredth of that.
    const bool is_dear = WorkLimit::left() < 0.9 * work;
    if (question_.kept != nullptr && !is_dear && !(*question_.kept && (*question_.kept)->tail < at.tail))
      *question_.kept = at;
    return gap;
  }

  // Asks both sides and returns the largest gap that is too wide.
  Gap ask(std::span<const std::size_t> which, const SideAccuracy& at) {
    const std::vector<double> points = of(which);
    std::vector<Answer> over;
    const auto is_in_reach = [this](std::size_t i) { return is_known_above(i); };
    if (at.aspect == Aspect::curve && std::all_of(which.begin(), which.end(), is_in_reach))
      for (const std::size_t i : which) over.push_back(moments_above_[i]);
    else
      over = above_(at, points);
    // Where sides do not meet, a lower end of a probability below the smallest one of interest is not needed.
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
      // The mu of Gaussians alone is that of all rates, and so no less than that of these rates. The two differ only
      // where the largest mu counts, which the pairs above reach but for rounding.
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
  std::vector<Answer> answers_, moments_above_;  // the moments are those of the side above
  bool is_contradiction_ = false;
};

}  // namespace

SideAccuracy first_accuracy(const EnclosedQuestion& question) {
  return BetweenSides(question, {}, {}, {}, {}).first_accuracy(Aspect::curve);
}

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
  // A point that is open after all points were asked together is asked alone, the hardest first: if that point stays
  // open, so does the question. Deltas of about one size have been asked together.
  std::vector<std::size_t> open = between.open();
  if (points.size() > 1 && question.closes && question.wanted != Wanted::delta)
    for (sort_by(open, [&](std::size_t i) { return between.ease(i); }); const std::size_t i : open)
      if (between.ask_curve({i}); !between.answers()[i].converged) break;
  between.ask_beyond_largest();
  return between.answers();
}

}  // namespace hockeystick

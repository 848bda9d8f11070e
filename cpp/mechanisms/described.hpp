// SPDX-License-Identifier: Apache-2.0
// Mechanisms as users describe them: by a name and named numbers. The table of all of them, from which every language
// reads what a mechanism is called, what it takes, and which registered pair dominates it in a comparison.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/adjacency.hpp"
#include "mechanisms/dominating_pair.hpp"
#include "numeric/range.hpp"

namespace hockeystick {

/// An argument of a mechanism.
struct Argument {
  enum class Kind { number, list };

  std::string_view name;
  Range range;                           // of the number, or of each of the list
  std::optional<double> otherwise = {};  // the value if none is given; NaN: not known
  Kind kind = Kind::number;
  bool or_zero = false;  // whether 0 is allowed, too
};

/// An argument with its value: one number, or a list.
struct Given {
  std::string name;
  std::vector<double> values;
  bool is_list = false;
};

/// The name of a registered pair and its parameters.
struct PairName {
  std::string name;
  std::vector<double> parameters;
  /// Pairs named "allocated_above", "allocated_below", "allocated_far", "allocated_moments" and these names with
  /// "_back", and "far_of_" before the name of a pair above, are made from another pair and are not registered.
  std::shared_ptr<const PairName> step = {};
  std::shared_ptr<const DominatingPair> made = {};  // where the pair itself is given, in place of a name

  bool operator==(const PairName& other) const {
    return name == other.name && parameters == other.parameters && made == other.made &&
           (step == other.step || (step && other.step && *step == *other.step));
  }
};

/// How closely pairs are to follow a curve.
struct Accuracy {
  double cells = 40;          // points of the curve in a standard deviation of the privacy loss
  double tail = 1e-12;        // probability that may be left out at each end
  double lattice = infinity;  // spacing of the losses of the run's other steps, where they lie on a lattice
  double low = 0;             // what may be left out, if more than `tail`, where the loss is smallest
};

/// Thrown where no dominating pair is known for a comparison; what() is the reason.
class NoPair : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct MechanismKind;
struct DescribedTerm;

/// The properties of a mechanism that no row of the table describes.
class OwnPairs {
 public:
  virtual ~OwnPairs() = default;

  /// The pair that dominates it in a comparison. Throws if none is known.
  virtual std::shared_ptr<const DominatingPair> pair(Comparison way) const = 0;
  /// Whether the pairs of a comparison and of its reverse are reverses of each other.
  virtual bool has_reverses() const = 0;

  /// Whether one pair is known that dominates and is attained: in every comparison, or in one. Else the mechanism lies
  /// between `above`, which follows it as closely as asked, and each of `below`.
  virtual bool is_exact() const { return true; }
  virtual bool is_exact_in(Comparison) const { return is_exact(); }
  using Pairs = std::vector<std::shared_ptr<const DominatingPair>>;
  virtual std::shared_ptr<const DominatingPair> above(Comparison way, const Accuracy&) const { return pair(way); }
  virtual Pairs below(Comparison, const Accuracy&) const { return {}; }
  /// Pairs below and above that enclose the mechanism's largest loss; none where the pairs of the curve do so.
  virtual Pairs largest(Comparison, const Accuracy&) const { return {}; }
  /// Pairs below and above that enclose its Renyi divergences and its mass at +inf.
  virtual Pairs moments(Comparison, const Accuracy&) const { return {}; }
  /// A run that never costs less, and whose pairs need no curve; empty where none is known.
  virtual std::vector<DescribedTerm> at_most() const;
};

/// A mechanism with its arguments, all of which are in their ranges.
struct Described {
  const MechanismKind* kind;
  std::vector<std::vector<double>> values;      // of each argument of the kind
  std::shared_ptr<const Described> inner = {};  // the mechanism that a scheme runs on a sample, or in a step
  std::shared_ptr<const OwnPairs> own = {};     // of own_mechanism alone

  double number(std::size_t argument) const { return values[argument].front(); }
  bool operator==(const Described& other) const;
};

using Mechanism = std::shared_ptr<const Described>;

/// Which pairs of an enclosed mechanism answer a question.
enum class Aspect {
  curve,    // the pairs that bound its curve
  moments,  // the pairs that enclose its Renyi divergences and its mass at +inf, which pairs above hide
  far,      // pairs whose Renyi divergences come from its curve and, beyond the curve's losses, from moments
  largest,  // the pairs that enclose its largest loss, which pairs above hide
};

/// A mechanism and how often it runs.
struct DescribedTerm {
  Mechanism mechanism;
  std::int64_t count;
};

/// A mechanism without a pair that is attained: pairs above and below its curve.
struct Enclosure {
  bool closes = false;  // whether the pairs meet as the accuracy grows; if not, theory limits the bounds
  PairName (*above)(const Described&, Comparison, const Accuracy&) = nullptr;
  /// Pairs below the curve. Each of them is a lower bound by itself.
  std::vector<PairName> (*below)(const Described&, Comparison, const Accuracy&);
  /// Pairs below and above that bound more than the curve.
  std::array<PairName, 2> (*beyond_curve)(const Described&, Comparison, const Accuracy&, Aspect) = nullptr;
  /// Fewer mechanisms of this kind that dominate the given ones together.
  std::vector<DescribedTerm> (*joined)(std::span<const DescribedTerm>) = nullptr;
  /// A pair with the mechanism's largest loss, the worst of an adjacency's comparisons; null where the pairs of the
  /// curve enclose it.
  PairName (*largest)(const Described&, Comparison) = nullptr;
  /// Where there is no pair above: a run that dominates the mechanism.
  std::vector<DescribedTerm> (*run_above)(const Described&) = nullptr;
};

/// Comparisons in which no pair of a mechanism is known, and the reason.
struct Refused {
  bool (*in)(Comparison) = nullptr;  // null: in none
  const char* reason = "";
};

/// A row of the table.
struct MechanismKind {
  std::string_view name;  // "gaussian"
  std::string_view type;  // "Gaussian": its class in Python, and in ledgers
  std::vector<Argument> arguments;
  Refused refused = {};  // of `pair`, and of `enclosure`
  PairName (*pair)(const Described&, Comparison) = nullptr;
  /// The pair of the mechanism on a Poisson subsample, with the sampling probability in (0, 1); null: none.
  PairName (*sampled)(const Described&, Comparison, double) = nullptr;
  bool is_scheme = false;                     // whether it runs another mechanism
  void (*check)(const Described&) = nullptr;  // checks conditions that ranges do not express
  /// An equivalent mechanism in simplest form; null if the output ignores the data.
  Mechanism (*simplified)(const Mechanism&) = nullptr;
  const Enclosure* enclosure = nullptr;  // in place of `pair`
  /// A run that never costs less: of a scheme its steps on all records, as curves are jointly convex.
  std::vector<DescribedTerm> (*at_most)(const Described&) = nullptr;
};

/// All rows.
std::span<const MechanismKind> mechanism_kinds();

/// The row of that name or type. Throws std::invalid_argument if there is none.
const MechanismKind& mechanism_kind(std::string_view name);

/// The mechanism of that kind. Throws std::invalid_argument for an argument that is missing, unknown, repeated or out
/// of its range.
Mechanism described(const MechanismKind& kind, std::span<const Given> arguments, Mechanism inner = nullptr);

/// The same, from the values of each argument in the order of the kind; empty values are not given.
Mechanism described_in_order(const MechanismKind& kind, std::vector<std::vector<double>> values,
                             Mechanism inner = nullptr);

/// A mechanism that no row describes, known by its pairs; by one pair where that pair is exact in every comparison.
Mechanism own_mechanism(std::shared_ptr<const OwnPairs> pairs);

/// An equivalent mechanism in simplest form; null if the output ignores the data.
Mechanism simplified(const Mechanism& mechanism);

/// A run that never costs less in any comparison, and is not sampled; none: empty.
std::vector<DescribedTerm> at_most(const Described& mechanism);

/// Throws NoPair in a comparison that its row refuses.
void check_comparison(const Described& mechanism, Comparison way);

/// The pair that dominates the mechanism in a comparison; for an enclosed mechanism the pair above. Throws NoPair if
/// none is known.
PairName dominating_pair_name(const Described& mechanism, Comparison way);

}  // namespace hockeystick

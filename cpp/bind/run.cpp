// SPDX-License-Identifier: Apache-2.0
// Runs of Python's mechanisms: mechanisms of the table by their numbers, others by the pairs that they give.
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "mechanisms/known_pairs.hpp"
#include "methods/questions.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/work.hpp"
#include "run/ask.hpp"
#include "run/enclosing.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// A class of mechanisms that the table describes.
struct Listed {
  const MechanismKind* kind;
  std::vector<py::str> fields;  // what keeps each argument of the kind
};

// Only classes that are never dropped; not destroyed, as that would need the interpreter.
std::unordered_map<const PyTypeObject*, Listed>& known_types = *new std::unordered_map<const PyTypeObject*, Listed>;

void list_mechanism(const py::type& type, const std::string& name,
                    const std::vector<std::pair<std::string, std::string>>& kept_as) {
  Listed one{&mechanism_kind(name), {}};
  for (const Argument& argument : one.kind->arguments)
    for (const auto& [given, field] : kept_as)
      if (given == argument.name) one.fields.emplace_back(field);
  if (one.fields.size() != one.kind->arguments.size())
    throw std::invalid_argument(name + " must keep each of its arguments");
  type.inc_ref();
  known_types.emplace(reinterpret_cast<const PyTypeObject*>(type.ptr()), std::move(one));
}

std::vector<DescribedTerm> terms_of(const py::handle& terms) {
  std::vector<DescribedTerm> all;
  for (const py::handle each : terms) {
    const auto term = py::reinterpret_borrow<py::tuple>(each);
    all.push_back({mechanism_of(term[0]), term[1].cast<std::int64_t>()});
  }
  return all;
}

// The value of a call into Python. An error of the core that passed through Python becomes the core's error again.
template <class Ask>
auto within_work(const Ask& ask_python) {
  try {
    return ask_python();
  } catch (py::error_already_set& error) {
    const bool is_memory = error.matches(PyExc_MemoryError);
    if (is_memory && std::string_view(error.what()).find(OverWork::message) != std::string_view::npos) throw OverWork();
    throw;
  }
}

// The pairs of a mechanism in Python. Threads that do not hold the interpreter may hold and ask this object.
class PairsOfPython : public OwnPairs {
 public:
  explicit PairsOfPython(const py::handle& mechanism) : mechanism_(mechanism) {
    mechanism_.inc_ref();
    const auto module = py::type::of(mechanism).attr("__module__").cast<std::string>();
    has_reverses_ = module.starts_with("hockeystick.");  // mechanisms of other modules need not define it
    is_exact_ = mechanism.attr("is_exact").cast<bool>();
    follows_accuracy_ = py::hasattr(mechanism, "largest_pairs");
    has_others_ = py::hasattr(mechanism, "at_most");
  }
  ~PairsOfPython() override {
    const py::gil_scoped_acquire acquire;
    mechanism_.dec_ref();
  }
  PairsOfPython(const PairsOfPython&) = delete;
  PairsOfPython& operator=(const PairsOfPython&) = delete;

  std::shared_ptr<const DominatingPair> pair(Comparison way) const override {
    const py::gil_scoped_acquire acquire;
    const py::object found = within_work([&] { return mechanism_.attr("dominating_pair")(direction(way)); });
    if (py::isinstance<DominatingPair>(found)) return found.cast<Pair>();
    throw py::type_error("dominating_pair must return a DominatingPair, got " + py::repr(found).cast<std::string>());
  }
  bool has_reverses() const override { return has_reverses_; }

  bool is_exact() const override { return is_exact_; }
  bool is_exact_in(Comparison way) const override {
    if (!follows_accuracy_) return is_exact_;
    const py::gil_scoped_acquire acquire;
    return mechanism_.attr("is_exact_in")(direction(way)).cast<bool>();
  }
  std::shared_ptr<const DominatingPair> above(Comparison way, const Accuracy& at) const override {
    if (!follows_accuracy_) return pair(way);
    const py::gil_scoped_acquire acquire;
    return within_work([&] { return mechanism_.attr("pair_above")(direction(way), accuracy(at)).cast<Pair>(); });
  }
  Pairs below(Comparison way, const Accuracy& at) const override {
    const py::gil_scoped_acquire acquire;
    const py::object ask = mechanism_.attr("pairs_below");
    return within_work(
        [&] { return listed(follows_accuracy_ ? ask(direction(way), accuracy(at)) : ask(direction(way))); });
  }
  Pairs largest(Comparison way, const Accuracy& at) const override { return enclosing("largest_pairs", way, at); }
  Pairs moments(Comparison way, const Accuracy& at) const override { return enclosing("moment_pairs", way, at); }
  std::vector<DescribedTerm> at_most() const override {
    if (!has_others_) return {};
    const py::gil_scoped_acquire acquire;
    return terms_of(mechanism_.attr("at_most")());
  }

 private:
  Pairs enclosing(const char* name, Comparison way, const Accuracy& at) const {
    const py::gil_scoped_acquire acquire;
    if (!py::hasattr(mechanism_, name)) return {};
    return within_work([&] { return listed(mechanism_.attr(name)(direction(way), accuracy(at))); });
  }
  static py::object direction(Comparison way) {
    const py::list ways(py::module_::import("hockeystick.adjacency").attr("Direction"));
    return ways[static_cast<std::size_t>(way)];
  }
  static py::object accuracy(const Accuracy& at) {
    return py::module_::import("hockeystick.mechanisms._enclosed").attr("Accuracy")(at.cells, at.tail);
  }
  static Pairs listed(const py::object& found) {
    Pairs pairs;
    for (const py::handle each : found) pairs.push_back(each.cast<Pair>());
    return pairs;
  }

  py::handle mechanism_;
  bool has_reverses_, is_exact_, follows_accuracy_, has_others_;
};

std::vector<double> numbers_of(const py::object& value) {
  if (value.is_none()) return {};
  if (py::isinstance<py::tuple>(value)) return value.cast<std::vector<double>>();
  return {value.cast<double>()};
}

using Terms = py::typing::Iterable<py::typing::Tuple<py::object, py::int_>>;

std::shared_ptr<Run> run_of(const Terms& terms) { return std::make_shared<Run>(terms_of(terms)); }

std::shared_ptr<Run> worst_of(const std::vector<std::shared_ptr<Run>>& parts) {
  return std::make_shared<Run>(std::vector<std::shared_ptr<const Run>>(parts.begin(), parts.end()));
}

View view_named(const std::string& name) {
  return named<View>("view", name,
                     {{"epsilon", View::epsilon},
                      {"delta", View::delta},
                      {"true_positive_rate", View::power},
                      {"tradeoff", View::tradeoff},
                      {"bayes_risk", View::bayes_risk},
                      {"gdp_mu", View::gdp_mu},
                      {"renyi_divergence", View::renyi},
                      {"zcdp", View::zcdp},
                      {"probabilistic_delta", View::loss_tail},
                      {"loss_quantile", View::loss_quantile},
                      {"loss_variance", View::loss_variance}});
}

Aspect aspect_named(const std::string& name) {
  return named<Aspect>(
      "aspect", name,
      {{"curve", Aspect::curve}, {"moments", Aspect::moments}, {"far", Aspect::far}, {"largest", Aspect::largest}});
}

using Points = py::typing::Union<py::float_, Doubles>;

Answers answers_of(const Run& run, const std::string& view, const Points& at, std::size_t adjacency, double tolerance,
                   std::size_t memory_limit, double smallest) {
  const View asked = view_named(view);
  const Limits limits{tolerance, memory_limit, {}, checked("smallest", smallest, ranges::smallest)};
  const auto answered = [&](std::span<const double> points) {
    const LongWork work;
    return checked(ask(run, asked, adjacency, points, limits), view.c_str(), points, limits);
  };
  if (PyFloat_CheckExact(at.ptr()) != 0) {
    const double point = PyFloat_AS_DOUBLE(at.ptr());
    return answered({&point, 1});
  }
  const auto points = Doubles::ensure(at);
  if (!points) throw py::error_already_set();
  return answered(in(points));
}

Pair described_pair(const py::object& mechanism, std::size_t comparison) {
  const Mechanism one = mechanism_of(mechanism);
  if (one->own != nullptr) throw py::type_error("mechanism must be one that the table of mechanisms describes");
  const LongWork work;
  return owned(known_pair(dominating_pair_name(*one, static_cast<Comparison>(comparison))));
}

std::vector<Pair> enclosing_pairs(const py::object& mechanism, std::size_t comparison, double cells, double tail,
                                  bool above) {
  const std::vector<DescribedTerm> run{{mechanism_of(mechanism), 1}};
  const auto way = static_cast<Comparison>(comparison);
  const LongWork work;
  std::vector<Pair> pairs;
  for (const Direction& one : (above ? runs_above : runs_below)(run, {&way, 1}, {{cells, tail}})) {
    if (one.size() > 1) throw NoPair("a composition dominates it, not one pair");
    pairs.push_back(owned(one.front().pair));
  }
  return pairs;
}

}  // namespace

Mechanism mechanism_of(const py::handle& mechanism) {
  static const py::str& inner_field = *new py::str("mechanism");
  const auto found = known_types.find(Py_TYPE(mechanism.ptr()));
  if (found == known_types.end()) return own_mechanism(std::make_shared<PairsOfPython>(mechanism));
  const auto& [kind, fields] = found->second;
  Mechanism inner;
  if (kind->is_scheme) {
    inner = mechanism_of(mechanism.attr(inner_field));
    // A mechanism that is a sample itself has its own message.
    if (inner->own != nullptr && kind->enclosure == nullptr)
      return own_mechanism(std::make_shared<PairsOfPython>(mechanism));
  }
  std::vector<std::vector<double>> values;
  values.reserve(fields.size());
  for (const py::str& field : fields) values.push_back(numbers_of(mechanism.attr(field)));
  return described_in_order(*kind, std::move(values), std::move(inner));
}

void bind_run(py::module_& module) {
  module.def("list_mechanism", &list_mechanism, py::arg("type"), py::arg("name"), py::arg("kept_as"),
             "Has runs read mechanisms of a class by their numbers: the row of the table of mechanisms, and the field "
             "that keeps each argument.");
  module.def(
      "described_types",
      [] {
        std::set<std::string> types;
        for (const MechanismKind& kind : mechanism_kinds()) types.emplace(kind.type);
        return types;
      },
      "The classes of mechanisms that the table of mechanisms describes.");
  module.def("described_pair", &described_pair, py::arg("mechanism"), py::arg("comparison"),
             "The pair of a mechanism that the table of mechanisms describes, in a comparison of neighbours by its "
             "index.");
  module.def("enclosing_pairs", &enclosing_pairs, py::arg("mechanism"), py::arg("comparison"), py::arg("cells"),
             py::arg("tail"), py::kw_only(), py::arg("above"),
             "The pair above a mechanism, or those below, in a comparison by its index.");
  py::class_<Run, std::shared_ptr<Run>>(module, "Run", "Mechanisms on the same data, and how often each runs.")
      .def(py::init(&run_of), py::arg("terms"))
      .def_static("worst_of", &worst_of, py::arg("parts"), "Runs of which the worst counts.")
      .def_property_readonly("is_exact", &Run::is_exact, "Whether one pair tells all of each mechanism.")
      .def_property_readonly("groups_by_part", &Run::groups_by_part,
                             "Whether a group of records in several parts costs no more than one in a single part.")
      .def("ask", &answers_of, py::arg("view"), py::arg("at"), py::arg("adjacency"), py::arg("tolerance"),
           py::arg("memory_limit"), py::arg("smallest"),
           "Encloses the answer at each point, for the worst direction of an adjacency by its index.")
      .def(
          "directions",
          [](const Run& run, std::size_t adjacency) {
            const LongWork work;
            return *run.directions(adjacency);
          },
          py::arg("adjacency"), "The pairs and counts of each distinct direction of an adjacency by its index.")
      .def(
          "sides",
          [](const Run& run, std::size_t comparison, double cells, double tail, bool above, const std::string& aspect) {
            const auto way = static_cast<Comparison>(comparison);
            const SideAccuracy accuracy{{cells, tail}, aspect_named(aspect)};
            const LongWork work;
            return (above ? runs_above : runs_below)(run.terms(), {&way, 1}, accuracy);
          },
          py::arg("comparison"), py::arg("cells"), py::arg("tail"), py::kw_only(), py::arg("above"),
          py::arg("aspect") = "curve",
          "The pairs and counts of the run above it in a comparison by its index, or of those below, for its curve, "
          "its "
          "moments, these with far losses, or its largest loss.")
      .def(
          "pairs",
          [](const Run& run, std::size_t comparison) {
            const LongWork work;
            return run.pairs(static_cast<Comparison>(comparison));
          },
          py::arg("comparison"), "The dominating pairs and counts in a comparison by its index.");
}

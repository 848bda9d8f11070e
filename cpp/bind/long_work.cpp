// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "bind/bindings.hpp"

namespace {

namespace py = pybind11;

std::atomic<unsigned long> main_thread{0};
std::atomic<int> running{0};         // threads at work
thread_local int depth = 0;          // works within works of this thread
std::atomic<bool> ending{false};     // whether the interpreter is ending
thread_local bool is_ender = false;  // whether this thread ends it, and may go on working

// The time of `seconds_now` after which this thread's work ends.
thread_local double latest = std::numeric_limits<double>::infinity();

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool is_late() { return latest < std::numeric_limits<double>::infinity() && seconds_now() >= latest; }

// The caller holds the interpreter.
[[noreturn]] void end_late() {
  PyErr_SetString(PyExc_TimeoutError, "the time_limit of this thread is over");
  throw py::error_already_set();
}

bool must_end() { return ending.load() && !is_ender; }

[[noreturn]] void end_thread() {
  PyErr_SetString(PyExc_SystemExit, "the interpreter is ending");
  throw py::error_already_set();
}

// Runs the handlers of signals that have arrived.
void handle_signals() {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (is_late()) end_late();
}

// The interpreter waits for this thread, and so can be taken.
void end_if_ending() {
  if (!must_end() && !is_late()) return;
  const py::gil_scoped_acquire acquire;
  if (must_end()) end_thread();
  end_late();
}

// Python handles signals in its main thread; other threads need not compete for the interpreter.
hockeystick::Watch watch() {
  return PyThread_get_thread_ident() == main_thread.load() ? &handle_signals : &end_if_ending;
}

// Called by atexit, while threads can still run: returns once no other thread is at work, and no work can begin.
void end_work() {
  is_ender = true;
  ending = true;
  const py::gil_scoped_release release;
  while (running.load() > (depth > 0 ? 1 : 0)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// After a fork the forking thread is the only one, and the main one.
void begin_child() {
  main_thread = PyThread_get_thread_ident();
  running = depth > 0 ? 1 : 0;
  ending = false;
}

}  // namespace

LongWork::Counted::Counted() {
  if (is_late()) end_late();
  if (depth == 0) ++running;
  ++depth;
  if (!must_end()) return;  // asked after it was counted, so that nobody slips through
  if (--depth == 0) --running;
  end_thread();
}

LongWork::Counted::~Counted() {
  if (--depth == 0) --running;
}

LongWork::LongWork() : watched_(watch()) {}

void bind_long_work(py::module_& module) {
  module.def("clock", &seconds_now, "Seconds of a clock that never goes back.");
  module.def(
      "end_work_at", [](double seconds) { return std::exchange(latest, seconds); }, py::arg("seconds"),
      "Have works of this thread raise TimeoutError from that time of `clock` on; returns what it was before.");
  main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  py::module_::import("atexit").attr("register")(py::cpp_function(&end_work));
  const py::module_ os = py::module_::import("os");
  if (py::hasattr(os, "register_at_fork"))
    os.attr("register_at_fork")(py::arg("after_in_child") = py::cpp_function(&begin_child));
}

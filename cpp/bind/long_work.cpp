// SPDX-License-Identifier: Apache-2.0
#include "bind/bindings.hpp"

namespace {

namespace py = pybind11;

unsigned long main_thread;  // set once, on import

// Runs the handlers of signals that have arrived.
void handle_signals() {
  const py::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

// Python handles signals in its main thread; the others need not compete for the interpreter.
hockeystick::Watch watch() { return PyThread_get_thread_ident() == main_thread ? &handle_signals : nullptr; }

}  // namespace

LongWork::LongWork() : watched_(watch()) {}

void bind_long_work() {
  main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
}

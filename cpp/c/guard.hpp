// SPDX-License-Identifier: Apache-2.0
// The common frame of C functions that return a status: they throw nothing, and the thread keeps the last message.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hockeystick.h"
#include "mechanisms/described.hpp"

namespace hockeystick::c {

/// Thrown by the watch to end the work.
struct Stopped {};

/// Thrown where this thread's arithmetic is not the one that the proofs assume.
struct BadFloatingPoint : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Keeps the message of hs_last_error, cut to its room. Takes no memory.
void remember(std::string_view message) noexcept;

/// The status of the work: the work returns HS_OK or more, or throws.
template <class Work>
int guarded(Work&& work) noexcept {
  const auto failed = [](int status, std::string_view message) {
    remember(message);
    return status;
  };
  try {
    remember("");
    return work();
  } catch (const Stopped&) {
    return failed(HS_STOPPED, "the watch stopped the work");
  } catch (const std::bad_alloc&) {
    return failed(HS_NO_MEMORY, "out of memory");
  } catch (const std::length_error&) {
    return failed(HS_NO_MEMORY, "out of memory");
  } catch (const BadFloatingPoint& error) {
    return failed(HS_BAD_FLOATING_POINT, error.what());
  } catch (const NoPair& error) {
    return failed(HS_NO_PAIR, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(HS_BAD_ARGUMENT, error.what());
  } catch (const std::domain_error& error) {
    return failed(HS_BAD_ARGUMENT, error.what());
  } catch (const std::exception& error) {
    return failed(HS_INTERNAL, error.what());
  } catch (...) {
    return failed(HS_INTERNAL, "an unknown exception");
  }
}

/// The pointer, or std::invalid_argument if it is NULL.
template <class Pointed>
Pointed* not_null(Pointed* pointer, const char* name) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(name) + " must be given, got NULL");
  return pointer;
}

}  // namespace hockeystick::c

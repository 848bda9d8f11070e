// SPDX-License-Identifier: Apache-2.0
use std::ffi::{c_char, c_int, c_void, CStr, CString};

#[repr(C)]
struct Parameter {
    name: *const c_char,
    value: f64,
    values: *const f64,
    count: usize,
}

#[repr(C)]
#[derive(Default)]
struct Answer {
    lower: f64,
    upper: f64,
    required_bytes: u64,
    limited_by: i32,
    reserved: i32,
}

#[link(name = "hockeystick")]
extern "C" {
    fn hs_last_error() -> *const c_char;
    fn hs_run_new() -> *mut c_void;
    fn hs_run_free(run: *mut c_void);
    fn hs_run_add(run: *mut c_void, name: *const c_char, given: *const Parameter, n: usize, count: i64) -> c_int;
    fn hs_epsilon(run: *const c_void, deltas: *const f64, n: usize, options: *const c_void, out: *mut Answer) -> c_int;
}

fn check(status: c_int) {
    if status < 0 {
        panic!("{}", unsafe { CStr::from_ptr(hs_last_error()) }.to_string_lossy());
    }
}

fn add(run: *mut c_void, mechanism: &str, given: &[(&str, f64)], count: i64) {
    let names: Vec<CString> = given.iter().map(|(name, _)| CString::new(*name).unwrap()).collect();
    let parameters: Vec<Parameter> = names
        .iter()
        .zip(given)
        .map(|(name, (_, value))| Parameter { name: name.as_ptr(), value: *value, values: std::ptr::null(), count: 0 })
        .collect();
    let mechanism = CString::new(mechanism).unwrap();
    check(unsafe { hs_run_add(run, mechanism.as_ptr(), parameters.as_ptr(), parameters.len(), count) });
}

fn main() {
    let run = unsafe { hs_run_new() };
    let step = [("noise_multiplier", 1.0), ("sampling_probability", 0.01)];
    add(run, "poisson_sampled(gaussian)", &step, 10_000);
    add(run, "laplace", &[("noise_multiplier", 20.0)], 5);
    let mut answer = Answer::default();
    check(unsafe { hs_epsilon(run, &1e-5, 1, std::ptr::null(), &mut answer) });
    unsafe { hs_run_free(run) };
    println!("{} {}", answer.lower, answer.upper);
}

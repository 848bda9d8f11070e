// SPDX-License-Identifier: Apache-2.0
package main

// #cgo pkg-config: hockeystick
// #include <hockeystick.h>
// #include <stdlib.h>
import "C"
import (
	"fmt"
	"log"
	"unsafe"
)

func check(status C.int) {
	if status < 0 {
		log.Fatal(C.GoString(C.hs_last_error()))
	}
}

func add(run *C.hs_run, mechanism string, given map[string]float64, count int64) {
	name := C.CString(mechanism)
	defer C.free(unsafe.Pointer(name))
	parameters := []C.hs_parameter{}
	for key, value := range given {
		text := C.CString(key)
		defer C.free(unsafe.Pointer(text))
		parameters = append(parameters, C.hs_parameter{name: text, value: C.double(value)})
	}
	// The array holds pointers, so that it must not be Go's.
	size := C.size_t(len(parameters)) * C.sizeof_hs_parameter
	array := (*C.hs_parameter)(C.malloc(size))
	defer C.free(unsafe.Pointer(array))
	copy(unsafe.Slice(array, len(parameters)), parameters)
	check(C.hs_run_add(run, name, array, C.size_t(len(parameters)), C.int64_t(count)))
}

func main() {
	run := C.hs_run_new()
	defer C.hs_run_free(run)
	add(run, "poisson_sampled(gaussian)", map[string]float64{"noise_multiplier": 1, "sampling_probability": 0.01}, 10000)
	add(run, "laplace", map[string]float64{"noise_multiplier": 20}, 5)
	delta, answer := C.double(1e-5), C.hs_answer{}
	check(C.hs_epsilon(run, &delta, 1, nil, &answer))
	fmt.Println(float64(answer.lower), float64(answer.upper))
}

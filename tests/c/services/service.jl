# SPDX-License-Identifier: Apache-2.0
# The same question from Julia: julia service.jl libhockeystick.so.1
using Libdl

struct Parameter
    name::Cstring
    value::Cdouble
    values::Ptr{Cdouble}
    count::Csize_t
end

struct Answer
    lower::Cdouble
    upper::Cdouble
    required_bytes::UInt64
    limited_by::Int32
    reserved::Int32
end

const library = dlopen(ARGS[1])
symbol(name) = dlsym(library, name)

function check(status)
    status < 0 && error(unsafe_string(ccall(symbol(:hs_last_error), Cstring, ())))
end

function add(run, mechanism, given, count)
    GC.@preserve given begin # it holds the names
        list = [Parameter(Base.unsafe_convert(Cstring, name), value, C_NULL, 0) for (name, value) in given]
        check(ccall(symbol(:hs_run_add), Cint, (Ptr{Cvoid}, Cstring, Ptr{Parameter}, Csize_t, Int64),
                    run, mechanism, list, length(list), count))
    end
end

release = ccall(symbol(:hs_run_new), Ptr{Cvoid}, ())
add(release, "poisson_sampled(gaussian)", ["noise_multiplier" => 1.0, "sampling_probability" => 0.01], 10_000)
add(release, "laplace", ["noise_multiplier" => 20.0], 5)
answer = Ref{Answer}()
check(ccall(symbol(:hs_epsilon), Cint, (Ptr{Cvoid}, Ref{Cdouble}, Csize_t, Ptr{Cvoid}, Ref{Answer}),
            release, 1e-5, 1, C_NULL, answer))
ccall(symbol(:hs_run_free), Cvoid, (Ptr{Cvoid},), release)
println(answer[].lower, " ", answer[].upper)

// SPDX-License-Identifier: Apache-2.0
#include "run/sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace hockeystick {
namespace {

constexpr std::size_t rounds = 64, block_size = 64;
using State = std::array<std::uint32_t, 8>;

// The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8.
constexpr std::array<std::uint32_t, rounds> constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr State first_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

std::uint32_t mixed(std::uint32_t x, int a, int b, int c) {
  return std::rotr(x, a) ^ std::rotr(x, b) ^ std::rotr(x, c);
}

void absorb(State& state, const unsigned char* block) {
  std::array<std::uint32_t, rounds> w{};
  for (std::size_t k = 0; k < 16; ++k)
    for (std::size_t byte = 0; byte < 4; ++byte) w[k] = w[k] << 8 | block[4 * k + byte];
  for (std::size_t k = 16; k < rounds; ++k) {
    const std::uint32_t low = std::rotr(w[k - 15], 7) ^ std::rotr(w[k - 15], 18) ^ w[k - 15] >> 3;
    const std::uint32_t high = std::rotr(w[k - 2], 17) ^ std::rotr(w[k - 2], 19) ^ w[k - 2] >> 10;
    w[k] = w[k - 16] + low + w[k - 7] + high;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t k = 0; k < rounds; ++k) {
    const std::uint32_t one = h + mixed(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + constants[k] + w[k];
    const std::uint32_t two = mixed(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const State added{a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < state.size(); ++k) state[k] += added[k];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  State state = first_state;
  const auto at = [&](std::size_t k) { return reinterpret_cast<const unsigned char*>(bytes.data()) + k; };
  const std::size_t whole = bytes.size() / block_size * block_size;
  for (std::size_t k = 0; k < whole; k += block_size) absorb(state, at(k));
  std::string rest(bytes.substr(whole));
  rest += '\x80';
  while (rest.size() % block_size != block_size - 8) rest += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    rest += static_cast<char>(static_cast<unsigned char>(std::uint64_t{bytes.size()} * 8 >> shift));
  for (std::size_t k = 0; k < rest.size(); k += block_size)
    absorb(state, reinterpret_cast<const unsigned char*>(rest.data()) + k);
  std::string digits;
  for (const std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 15];
  return digits;
}

}  // namespace hockeystick

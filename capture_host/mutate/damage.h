// Damage: random harm to a file's bytes.
//
// The kinds of the mutation kit that do not aim at one rule.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "capture_host/mutate/kit.h"

namespace pianola::mutate {

// Each changes the file and returns what was done. The first few mutants of a kind are the same for every seed: what is
// at the ends.
using Engine = std::mt19937;
std::string truncate_file(std::uint32_t index, Engine& engine, Bytes& file);
std::string flip_bytes(std::uint32_t index, Engine& engine, Bytes& file);
std::string damage_header(Engine& engine, Bytes& file);     // the digest is not put right yet
std::string damage_structure(Engine& engine, Bytes& file);  // likewise

// Damages a signed file; the digest is corrected here.
std::string reseal_file(std::uint32_t index, Engine& engine, Bytes& file);

// 0 to limit - 1; limit is not 0. The standard's distributions differ from library to library; this does not.
[[nodiscard]] std::uint32_t below(Engine& engine, std::size_t limit);

}  // namespace pianola::mutate

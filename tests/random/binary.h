// Binary: a program as the bytes of a trace binary, through the product's own writer.
//
// Place in the whole: tests only.
#pragma once

#include "tests/random/program.h"

namespace pianola::programs {

[[nodiscard]] Bytes binary_of(const Program& program);

}  // namespace pianola::programs

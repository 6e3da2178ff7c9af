// Silence: what the program prints goes nowhere.
//
// For fuzzers that run the command line in their own process.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace pianola::fuzz {

// Sends what the program prints nowhere, as long as it lives.
class Silence {
  public:
    Silence() : output_{dup(STDOUT_FILENO)}, errors_{dup(STDERR_FILENO)} {
        const int nowhere = creat("/dev/null", 0U);
        (void)dup2(nowhere, STDOUT_FILENO);
        (void)dup2(nowhere, STDERR_FILENO);
        (void)close(nowhere);
    }
    ~Silence() {
        (void)std::fflush(stdout);
        (void)dup2(output_, STDOUT_FILENO);
        (void)dup2(errors_, STDERR_FILENO);
        (void)close(output_);
        (void)close(errors_);
    }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    int output_;
    int errors_;
};

}  // namespace pianola::fuzz

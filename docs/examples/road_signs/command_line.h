// Command line of pianola-sample: makes the sample and judges what a replay said about it.
//
// Top of docs/examples/road_signs; main.cpp only calls it, so that tests can too. Results go to stdout, progress and
// complaints to stderr.
#pragma once

namespace pianola::sample {

enum ExitCode : int {
    kDone = 0,
    kBelowRequired = 1,  // accuracy is below --require
    kUsage = 2,
    kFileTrouble = 6,  // a file cannot be read or written, or its contents do not fit
};

[[nodiscard]] int run_command_line(int argc, const char* const* argv);

}  // namespace pianola::sample

// WellFormedFile: a trace binary that is whole and can be read, whatever the device it is for.
//
// What `inspect` and `diff` begin with; they also serve files that the proofs refuse.
#pragma once

#include <string>

#include "capture_host/cli/target_option.h"
#include "pianola/envelope.h"
#include "pianola/image.h"

namespace pianola::cli {

struct WellFormedFile {
    // Throws files::FileError, and CliError with kRefused.
    WellFormedFile(const std::string& file_name, const std::string& plugin);
    ~WellFormedFile() = default;
    // The image points into the bytes.
    WellFormedFile(const WellFormedFile&) = delete;
    WellFormedFile& operator=(const WellFormedFile&) = delete;

    BinaryFile file;
    Envelope envelope;
    Image image;
};

}  // namespace pianola::cli

// Where the tests of the importer find real models.
//
// The models are not part of the source tree; a test that needs them skips without them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace pianola::tflite {

// The folder of models, or an empty path.
inline std::filesystem::path models_dir() {
    const char* const shared = std::getenv("PIANOLA_SHARED");
    const std::filesystem::path root = (shared != nullptr)
                                           ? std::filesystem::path{shared}
                                           : (std::filesystem::path{PIANOLA_SOURCE_DIR}.parent_path() / "shared");
    const std::filesystem::path models = root / "models";
    return std::filesystem::is_directory(models) ? models : std::filesystem::path{};
}

inline std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return std::vector<std::uint8_t>(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
}

// Every folder with a model, in alphabetical order.
inline std::vector<std::filesystem::path> model_folders() {
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(models_dir())) {
        if (entry.path().filename() == "model.tflite") {
            folders.push_back(entry.path().parent_path());
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace pianola::tflite

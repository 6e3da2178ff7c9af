// Writes every seeded defect to a folder N of its own: the model as model.tflite, its binary with the defect as
// binary.ptb and without it as sound.ptb. Prints a line for each: N|PART|DEFECT. Usage: pianola_write_defects FOLDER
#include <exception>
#include <filesystem>
#include <iostream>

#include "pianola_host/files.h"
#include "pianola_host/manifest.h"
#include "tests/decompile/defects.h"
#include "tests/tflite/model_builder.h"

namespace pianola::decompile {
namespace {

void write_to(const std::filesystem::path& folder, const Defect& defect) {
    std::filesystem::create_directories(folder);
    const auto save = [&folder](const char* name, const std::vector<std::uint8_t>& bytes) {
        files::store_file(folder / name, bytes);
    };
    const auto save_binary = [&save](const char* name, const capture::LinkedWorkload& work) {
        save(name, capture::write_trace_binary(work.manifest, work.segments));
    };
    save("model.tflite", tflite::build_model(defect.model()));
    save_binary("binary.ptb", linked(defect));
    save_binary("sound.ptb", linked({"", "", {}, {}, defect.model, defect.is_pipelined, defect.pack}));
}

}  // namespace
}  // namespace pianola::decompile

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: pianola_write_defects FOLDER\n";
        return 2;
    }
    try {
        std::size_t number = 0U;
        for (const pianola::decompile::Defect& defect : pianola::decompile::all_defects()) {
            pianola::decompile::write_to(std::filesystem::path{argv[1]} / std::to_string(number), defect);
            std::cout << number << '|' << defect.part << '|' << defect.what << '\n';
            number += 1U;
        }
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}

// pianola embed: a binary as a source or object that is linked into an application.

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "capture_host/base/child.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"
#include "pianola/config.h"

namespace pianola::cli {
namespace {

struct EmbedArguments {
    std::vector<std::string> files;
    std::string output;
    std::string rom;
    std::string format;
    std::string language{"c11"};
    std::string symbol;
    std::string section;
    std::string header;
    std::string compiler;
    std::vector<std::string> compiler_flags;
    TargetArguments target;
    bool json{false};
};

// The parts that all forms share.
struct Embedding {
    std::string symbol;
    std::string section;    // empty: the compiler's own choice for constants
    std::string file_name;  // without folders, so that the place of the build does not show
    ByteSpan bytes;

    [[nodiscard]] std::string title() const {
        return fmt::format("{} as {}; made by pianola embed, do not edit", file_name, symbol);
    }
    [[nodiscard]] std::string digest() const { return to_hex(ByteSpan{signing::openssl_sha256(bytes)}); }
};

std::string declarations(const Embedding& embedding) {
    return fmt::format(
        "extern const unsigned char {0}[{1}]; /* aligned to {2} */\n"
        "extern const uint32_t {0}_size;\n",
        embedding.symbol, embedding.bytes.size(), kFileAlignmentBytes);
}

std::string c_header(const Embedding& embedding) {
    const std::string guard = fmt::format("PIANOLA_EMBEDDED_{}_H", embedding.symbol);
    return fmt::format(
        "/* {0}. */\n"
        "/* SHA-256 {1} */\n"
        "#ifndef {2}\n#define {2}\n\n"
        "#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
        "{3}"
        "#ifdef __cplusplus\n}}\n#endif\n\n"
        "#endif\n",
        embedding.title(), embedding.digest(), guard, declarations(embedding));
}

// Plain C11, which is C++ as well; or C99, in which the alignment is an attribute of the compiler, as a section is.
std::string c_source(const Embedding& embedding, bool is_c99) {
    const std::string section =
        embedding.section.empty() ? std::string{} : fmt::format("__attribute__((section(\"{}\"))) ", embedding.section);
    const std::string alignment =
        fmt::format(is_c99 ? "__attribute__((aligned({})))" : "alignas({})", kFileAlignmentBytes);
    std::string text = fmt::format(
        "/* {0}. */\n"
        "/* SHA-256 {1} */\n"
        "#include <stdint.h>\n"
        "#ifdef __cplusplus\n"
        "extern \"C\" {{\n"
        "{7}"
        "#endif\n\n"
        "{2}\n"
        "const uint32_t {3}_size = {4};\n"
        "{5} {6}const unsigned char {3}[{4}] = {{",
        embedding.title(), embedding.digest(), declarations(embedding), embedding.symbol, embedding.bytes.size(),
        alignment, section, is_c99 ? "" : "#else\n#include <stdalign.h>\n");
    constexpr std::size_t kBytesPerLine = 24U;
    for (std::size_t i = 0U; i < embedding.bytes.size(); ++i) {
        text += fmt::format("{}{},", ((i % kBytesPerLine) == 0U) ? "\n" : "", embedding.bytes[i]);
    }
    text += "\n};\n\n#ifdef __cplusplus\n}\n#endif\n";
    return text;
}

// For GNU as, whatever the architecture: '%' rather than '@', which begins a comment on Arm; sizes as numbers rather
// than as differences of labels, which RISC-V leaves to the linker.
std::string assembler_source(const Embedding& embedding, const std::string& included) {
    const std::string section =
        embedding.section.empty() ? fmt::format(".rodata.{}", embedding.symbol) : embedding.section;
    return fmt::format(
        "/* {0}. */\n"
        "/* SHA-256 {1} */\n"
        "    .section {2}, \"a\", %progbits\n"
        "    .balign {3}\n"
        "    .global {4}\n"
        "    .type {4}, %object\n"
        "    .size {4}, {5}\n"
        "{4}:\n"
        "    .incbin \"{6}\", 0, {5}\n"
        "    .global {4}_end\n"
        "{4}_end:\n"
        "    .balign 4\n"
        "    .global {4}_size\n"
        "    .type {4}_size, %object\n"
        "    .size {4}_size, 4\n"
        "{4}_size:\n"
        "    .4byte {5}\n"
        "    .section .note.GNU-stack, \"\", %progbits\n",
        embedding.title(), embedding.digest(), section, kFileAlignmentBytes, embedding.symbol, embedding.bytes.size(),
        included);
}

// Name under which the assembler text includes the binary.
inline constexpr const char* kIncludedName = "binary.ptb";

int run_compiler(const std::vector<std::string>& command) {
    try {
        return files::run_program(command);
    } catch (const files::NotStarted& error) {
        throw CliError{kUsage, fmt::format("--compiler {}: can not be run: {}", command[0], error.what())};
    }
}

// An object file. What flags it needs for its ABI only the target's own compiler knows, so that it is called rather
// than imitated: runs `compiler flags... -c` on the text, in which `.incbin "binary.ptb"` gives `binary`, and returns
// the object. No shell is involved. What the compiler says goes to standard error. Throws CliError.
std::vector<std::uint8_t> assemble(const std::string& compiler, const std::vector<std::string>& flags,
                                   const std::string& text, ByteSpan binary) {
    const files::TemporaryFolder folder;
    // The very bytes that were verified, whatever happens to the user's file meanwhile.
    files::store_file(folder.file(kIncludedName), std::vector<std::uint8_t>{binary.begin(), binary.end()});
    const std::string source = folder.file("binary.s");
    const std::string object = folder.file("binary.o");
    files::store_file(source, text);

    std::vector<std::string> command{compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    for (const std::string& each :
         {std::string{"-c"}, std::string{"-I"}, folder.name(), std::string{"-o"}, object, source}) {
        command.push_back(each);
    }
    const int code = run_compiler(command);
    if (code != EXIT_SUCCESS) {
        throw CliError{kUsage, fmt::format("--compiler {}: ended with exit code {}", compiler, code)};
    }
    return files::load_file(object);
}

std::string format_of(const EmbedArguments& arguments) {
    if (!arguments.format.empty()) {
        return arguments.format;
    }
    const std::string suffix = std::filesystem::path{arguments.output}.extension().string();
    const std::map<std::string, std::string> formats{{".c", "c"}, {".S", "asm"}, {".s", "asm"}, {".o", "object"}};
    const auto found = formats.find(suffix);
    if (found == formats.end()) {
        throw CliError{kUsage, fmt::format("--output {}: neither .c, .S, .s nor .o; say --format c, asm or object",
                                           files::readable(arguments.output))};
    }
    return found->second;
}

bool is_section(const std::string& text) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    return text.find_first_not_of(kAllowed) == std::string::npos;
}

// What the binaries name of kernels, together: the ROM of an image that runs all of them.
class NamedKernels {
  public:
    // Throws CliError if the file is for another family than those before it.
    void add(const std::string& file_name, const VerifiedFile& file) {
        const Target& target = file.target();
        if ((target_ != nullptr) && (target_ != &target)) {
            throw CliError{kUsage, fmt::format("{}: is for another device family than the files before it",
                                               files::readable(file_name))};
        }
        target_ = &target;
        titles_ += fmt::format("//   {}  SHA-256 {}\n", base_name_in_source(file_name),
                               to_hex(ByteSpan{signing::openssl_sha256(file.bytes())}));
        for (std::uint32_t i = 0U; i < file.image().target().kernel_count; ++i) {
            ids_.insert(file.image().kernel(i).id);
        }
    }
    // Throws CliError if the family has no such form.
    [[nodiscard]] std::string source() const {
        const std::vector<std::uint32_t> ids{ids_.begin(), ids_.end()};
        const std::string rom = target_->kernel_rom(Span<const std::uint32_t>{ids.data(), ids.size()});
        if (rom.empty()) {
            throw CliError{kUsage, ids.empty() ? "--rom: the binaries launch no kernel"
                                               : "--rom: the device family has no such source"};
        }
        return "// The kernels of these binaries, and no other; made by pianola embed --rom, do not edit.\n" + titles_ +
               rom;
    }
    [[nodiscard]] nlohmann::json to_json() const {
        nlohmann::json list = nlohmann::json::array();
        for (const std::uint32_t id : ids_) {
            const char* const name = target_->kernel_name(id);
            list.push_back({{"id", id}, {"name", (name == nullptr) ? "" : name}});
        }
        return list;
    }

  private:
    const Target* target_{nullptr};
    std::string titles_;
    std::set<std::uint32_t> ids_;
};

std::string rom_text(const nlohmann::json& kernels) {
    std::string text = "kernels:";
    for (const nlohmann::json& kernel : kernels) {
        text += fill(" {name} ({id})", kernel) + ((&kernel == &kernels.back()) ? "" : ",");
    }
    return text + (kernels.empty() ? " none\n" : "\n");
}

void embed_one(const EmbedArguments& arguments, const std::string& name, const VerifiedFile& file,
               nlohmann::json& json) {
    const std::string format = format_of(arguments);
    const bool is_object = format == "object";
    if (is_object == arguments.compiler.empty()) {
        throw CliError{kUsage, is_object ? "an object needs --compiler, for example --compiler arm-none-eabi-gcc"
                                         : "--compiler is for objects; sources are the same for all of them"};
    }
    const Embedding embedding{arguments.symbol.empty() ? symbol_for(name) : arguments.symbol, arguments.section,
                              base_name_in_source(name), file.bytes()};
    const bool is_named = (name != kStandardInput) && (embedding.file_name == std::filesystem::path{name}.filename());
    if ((format == "asm") && !is_named) {
        throw CliError{
            kUsage, fmt::format("{}: an assembler source can not include a file of this name", files::readable(name)),
            "name a file, in printable ASCII, or make a source with --format c"};
    }
    if (format == "c") {
        files::store_file(arguments.output, c_source(embedding, arguments.language == "c99"));
    } else if (is_object) {
        const std::string text = assembler_source(embedding, kIncludedName);
        files::store_file(arguments.output, assemble(arguments.compiler, arguments.compiler_flags, text, file.bytes()));
    } else {
        files::store_file(arguments.output, assembler_source(embedding, embedding.file_name));
    }
    if (!arguments.header.empty()) {
        files::store_file(arguments.header, c_header(embedding));
    }
    json = {{"output", arguments.output},
            {"format", format},
            {"symbol", embedding.symbol},
            {"bytes", file.bytes().size()},
            {"sha256", embedding.digest()}};
}

int embed_files(const EmbedArguments& arguments) {
    if (arguments.output.empty() && arguments.rom.empty()) {
        throw CliError{kUsage, "--output or --rom is required"};
    }
    if ((arguments.files.size() > 1U) && !arguments.output.empty()) {
        throw CliError{kUsage, "--output takes one binary; several are for --rom alone"};
    }
    NamedKernels kernels;
    std::vector<std::unique_ptr<const VerifiedFile>> binaries;
    for (const std::string& name : arguments.files) {
        binaries.push_back(std::make_unique<const VerifiedFile>(name, arguments.target));
        kernels.add(name, *binaries.back());
    }
    const std::string rom = arguments.rom.empty() ? std::string{} : kernels.source();
    nlohmann::json json;
    if (!arguments.output.empty()) {
        embed_one(arguments, arguments.files.front(), *binaries.front(), json);
    }
    json["kernels"] = kernels.to_json();
    if (!arguments.rom.empty()) {
        files::store_file(arguments.rom, rom);
        json["rom"] = arguments.rom;
    }
    std::string text;
    if (!arguments.output.empty()) {
        text = files::readable(arguments.output) +
               fmt::format("{}, aligned to {}\n", fill(": {bytes} bytes as {symbol}", json), kFileAlignmentBytes);
    }
    text += (arguments.rom.empty() ? "" : (files::readable(arguments.rom) + ": ")) + rom_text(json.at("kernels"));
    print_result(arguments.json, json, text);
    return kDone;
}

}  // namespace

void add_embed(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "embed", "Makes a source or object of a binary, for linking into flash", embed_files);
    command->footer(
        "Examples:\n"
        "  pianola embed signs.ptb -o signs.c --header signs.h\n"
        "  pianola embed signs.ptb -o signs.S && arm-none-eabi-gcc -mcpu=cortex-m33 -c -I . signs.S\n"
        "  pianola embed signs.ptb -o signs.o --compiler riscv64-unknown-elf-gcc \\\n"
        "      --compiler-flag -march=rv32imac --compiler-flag -mabi=ilp32\n"
        "  pianola embed signs.ptb words.ptb --rom kernel_rom.cpp\n\n"
        "The binary is verified first. Symbols: NAME, 64-byte aligned and constant, and NAME_size, 32 bits; NAME_end "
        "as\n"
        "well from the assembler. An assembler source names the binary without its folder: give that with -I. The "
        "same\n"
        "binary and options give the same bytes.");
    add_text(*command, "file", arguments->files, kReads, "Trace binary; several for --rom alone")->required();
    add_text(*command, "-o,--output", arguments->output, kWrites, "File to write: .c, .S or .o");
    add_text(
        *command, "--rom", arguments->rom, kWrites,
        "Also write a C++ source for the device's image: a ROM with the kernels that the binaries name, and no other");
    command->add_option("--format", arguments->format, "c, asm or object; default: by the output's suffix")
        ->check(CLI::IsMember({"c", "asm", "object"}));
    add_language_option(*command, arguments->language, "c11", "Of a C source");
    add_symbol_option(*command, arguments->symbol, "Name of the symbol; default: from the binary's file name");
    command->add_option("--section", arguments->section, "Section to put it in; default: that of constants, .rodata")
        ->check([](const std::string& text) {
            return is_section(text) ? std::string{} : ("'" + text + "' has more than letters, digits, '_' and '.'");
        })
        ->type_name(kSaysName);
    add_text(*command, "--header", arguments->header, kWrites,
             "Also write a header for C and C++ that declares the symbols");
    CLI::Option* const compiler = add_text(*command, "--compiler", arguments->compiler, kRuns,
                                           "For objects: the target's compiler or assembler driver");
    add_text(*command, "--compiler-flag", arguments->compiler_flags, kSaysAnything,
             "For objects: a flag for the compiler, such as -mcpu=cortex-m33; once per flag")
        ->allow_extra_args(false)
        ->needs(compiler);
    add_target_options(*command, arguments->target);
    command->add_flag("--json", arguments->json, "Print the summary as JSON");
}

}  // namespace pianola::cli

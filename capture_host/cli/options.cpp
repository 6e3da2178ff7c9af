#include "capture_host/cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "pianola_host/files.h"

namespace pianola::cli {
namespace {

constexpr std::uint64_t kMaxHostNs = 1'000'000'000U;

// Letters of the C locale, in every locale of the user.
constexpr bool is_letter(char each) {
    return ((each >= 'a') && (each <= 'z')) || ((each >= 'A') && (each <= 'Z'));
}
constexpr bool belongs_in_symbol(char each) {
    return is_letter(each) || ((each >= '0') && (each <= '9')) || (each == '_');
}

// Keywords of C23 and C++20: a source that declares one does not compile, or means something else.
bool is_keyword(const std::string& text) {
    static const std::string kKeywords =
        " _Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 _Decimal64 _Generic _Imaginary "
        "_Noreturn _Static_assert _Thread_local alignas alignof and and_eq asm auto bitand bitor bool break case "
        "catch char char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
        "consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum "
        "explicit export extern false float for friend goto if inline int long mutable namespace new noexcept "
        "not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
        "restrict return short signed sizeof static static_assert static_cast struct switch template this "
        "thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using virtual "
        "void volatile wchar_t while xor xor_eq ";
    return kKeywords.find(" " + text + " ") != std::string::npos;
}

}  // namespace

void add_host_cost_options(CLI::App& command, HostCost& cost) {
    add_number(command, "--dispatch-ns", cost.dispatch_ns, std::uint64_t{0U}, kMaxHostNs,
               "Host time for one operation without trace");
    add_number(command, "--replay-ns", cost.replay_ns, std::uint64_t{0U}, kMaxHostNs,
               "Host time for one queue command");
}

std::string symbol_for(const std::string& file_name) {
    std::string symbol = std::filesystem::path{file_name}.stem().string();
    std::replace_if(symbol.begin(), symbol.end(), [](char each) { return !belongs_in_symbol(each); }, '_');
    const bool is_name = !symbol.empty() && is_letter(symbol.front()) && !is_keyword(symbol);
    return is_name ? symbol : ("binary_" + symbol);
}

CLI::Option* add_symbol_option(CLI::App& command, std::string& symbol, const std::string& description) {
    return command.add_option("--symbol", symbol, description)
        ->check([](const std::string& text) {
            const bool is_identifier = !text.empty() && (is_letter(text.front()) || (text.front() == '_')) &&
                                       std::all_of(text.begin(), text.end(), belongs_in_symbol);
            if (is_identifier && is_keyword(text)) {
                return "'" + text + "' is a keyword of C or C++";
            }
            return is_identifier ? std::string{} : ("'" + text + "' is not a C identifier");
        })
        ->type_name(kSaysName);
}

void add_language_option(CLI::App& command, std::string& language, const char* usual, const std::string& description) {
    command.add_option("--language", language, fmt::format("{}: {} or c99", description, usual))
        ->check(CLI::IsMember({usual, "c99"}))
        ->capture_default_str();
}

std::string complaint_of_no_number(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && (end == (text.data() + text.size())) && std::isfinite(value);
    return is_number ? std::string{} : fmt::format("'{}' is not a valid number", text);
}

void write_result(const std::string& file_name, const std::string& contents) {
    if (file_name.empty()) {
        fmt::print("{}", contents);
    } else {
        files::store_file(file_name, contents);
    }
}

}  // namespace pianola::cli

// Guidelines on literals: how a number or a text is written, which the syntax tree no longer knows.
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using clang::ast_matchers::characterLiteral;
using clang::ast_matchers::integerLiteral;
using clang::ast_matchers::stringLiteral;

void match_integers(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(integerLiteral().bind(kHit), callback);
}

void match_texts(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(stringLiteral().bind(kHit), callback);
    finder->addMatcher(characterLiteral().bind(kHit), callback);
}

std::string number_text(const MatchFinder::MatchResult& result) {
    return token_text(result.Nodes.getNodeAs<clang::IntegerLiteral>(kHit)->getLocation(), result);
}

// A template's argument that is a number has a literal in the tree, and none in the source.
bool is_written(const std::string& text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

bool is_octal(const MatchFinder::MatchResult& result) {
    const std::string text = number_text(result);
    return text.size() > 1 && text[0] == '0' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
}

bool lacks_unsigned_suffix(const MatchFinder::MatchResult& result) {
    const auto* literal = result.Nodes.getNodeAs<clang::IntegerLiteral>(kHit);
    const std::string text = number_text(result);
    return literal->getType()->isUnsignedIntegerType() && is_written(text) &&
           text.find_first_of("uU") == std::string::npos;
}

bool has_one_long_suffix(const MatchFinder::MatchResult& result) {
    const std::string text = number_text(result);
    if (!is_written(text)) {
        return false;
    }
    const bool is_hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    const std::size_t digits =
        is_hexadecimal ? text.find_last_of("0123456789abcdefABCDEF") : text.find_last_of("0123456789");
    const std::string suffix = text.substr(digits + 1);
    return std::count_if(suffix.begin(), suffix.end(), [](char c) { return c == 'l' || c == 'L'; }) == 1;
}

// The texts of the tokens that a literal is made of: several, where literals follow each other.
std::vector<std::string> texts(const MatchFinder::MatchResult& result) {
    std::vector<std::string> found;
    if (const auto* text = result.Nodes.getNodeAs<clang::StringLiteral>(kHit)) {
        for (unsigned part = 0; part < text->getNumConcatenated(); ++part) {
            found.push_back(token_text(text->getStrTokenLoc(part), result));
        }
    } else if (const auto* character = result.Nodes.getNodeAs<clang::CharacterLiteral>(kHit)) {
        found.push_back(token_text(character->getLocation(), result));
    }
    return found;
}

// Whether a numeric escape in `text` runs into a character that is part of the literal.
bool has_open_escape(const std::string& text) {
    if (text.find("R\"") != std::string::npos) {
        return false;
    }
    for (std::size_t at = text.find('\\'); at != std::string::npos && at + 1 < text.size(); at = text.find('\\', at)) {
        const bool is_hexadecimal = text[at + 1] == 'x';
        const bool is_octal = text[at + 1] >= '0' && text[at + 1] <= '7';
        std::size_t end = at + 2;
        const std::size_t longest = is_octal ? at + 4 : text.size();
        while ((is_hexadecimal || is_octal) && end < longest &&
               std::isxdigit(static_cast<unsigned char>(text[end])) != 0 && (is_hexadecimal || text[end] < '8')) {
            ++end;
        }
        const char next = end < text.size() ? text[end] : '"';
        if ((is_hexadecimal || is_octal) && next != '\\' && next != '"' && next != '\'') {
            return true;
        }
        at = end;
    }
    return false;
}

bool any_open_escape(const MatchFinder::MatchResult& result) {
    const std::vector<std::string> parts = texts(result);
    return std::any_of(parts.begin(), parts.end(), has_open_escape);
}

bool mixes_prefixes(const MatchFinder::MatchResult& result) {
    std::set<std::string> prefixes;
    for (const std::string& part : texts(result)) {
        prefixes.insert(part.substr(0, part.find_first_of("R\"'")));
    }
    return prefixes.size() > 1;
}

constexpr Guideline kLiteralGuidelines[]{
    {"5.13.2", "a numeric escape sequence has no clear end", match_texts, any_open_escape},
    {"5.13.3", "an octal number", match_integers, is_octal},
    {"5.13.4", "a number of an unsigned type without the suffix U", match_integers, lacks_unsigned_suffix},
    {"5.13.6", "a single L: whether the type is long or long long depends on the target", match_integers,
     has_one_long_suffix},
    {"5.13.7", "neighbouring literals with different prefixes", match_texts, mixes_prefixes},
};

}  // namespace

llvm::ArrayRef<Guideline> literal_guidelines() {
    return kLiteralGuidelines;
}

}  // namespace pianola::misra

// Guidelines on what of the language's surroundings may be used: the compiler's own words, the C and C++ libraries.
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/ASTMatchers/ASTMatchers.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using namespace clang::ast_matchers;  // NOLINT(google-build-using-namespace): DEV-060

void match_extensions(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(callExpr(callee(functionDecl(matchesName("^::__")))).bind(kHit), callback);
    finder->addMatcher(
        decl(unless(isImplicit()), anyOf(functionDecl(), varDecl(), recordDecl(), fieldDecl())).bind(kHit), callback);
}

// Attributes of the compiler's that DEV-071 admits: where code lies, and whether it is expanded in place.
bool is_admitted(const clang::Attr& attribute) {
    const llvm::StringRef name = attribute.getAttrName() == nullptr ? "" : attribute.getAttrName()->getName();
    return attribute.getScopeName() != nullptr &&
           llvm::is_contained({"always_inline", "cold", "noinline", "section", "target"}, name);
}

// Calls are findings; of a declaration, attributes that the standard does not know are.
bool is_extension(const MatchFinder::MatchResult& result) {
    const auto* declaration = result.Nodes.getNodeAs<clang::Decl>(kHit);
    if (declaration == nullptr) {
        return true;
    }
    return std::any_of(declaration->attr_begin(), declaration->attr_end(), [](const clang::Attr* attribute) {
        const bool is_standard = attribute->isStandardAttributeSyntax() && attribute->getScopeName() == nullptr;
        return !attribute->isImplicit() && !attribute->isInherited() && !is_standard && !is_admitted(*attribute) &&
               !attribute->isKeywordAttribute() && !attribute->isAlignas();
    });
}

void match_ends(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        declRefExpr(to(functionDecl(hasAnyName("::abort", "::std::abort", "::exit", "::std::exit", "::_Exit",
                                               "::std::_Exit", "::_exit", "::quick_exit", "::std::quick_exit",
                                               "::std::terminate", "__builtin_trap", "__builtin_abort"))))
            .bind(kHit),
        callback);
}

void match_numbers(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(declRefExpr(to(functionDecl(hasAnyName("::atoi", "::std::atoi", "::atol", "::std::atol",
                                                              "::atoll", "::std::atoll", "::atof", "::std::atof"))))
                           .bind(kHit),
                       callback);
}

void match_strings(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        declRefExpr(to(functionDecl(matchesName("^::(std::)?(str|wcs)[a-z]+$"), isExpansionInSystemHeader())))
            .bind(kHit),
        callback);
}

void match_memory(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(declRefExpr(to(functionDecl(hasAnyName("::memcpy", "::std::memcpy", "::memmove",
                                                              "::std::memmove", "::memcmp", "::std::memcmp"))),
                                   unless(hasAncestor(functionDecl(anyOf(isImplicit(), isDefaulted())))))
                           .bind(kHit),
                       callback);
}

void match_offset(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    // The library of matchers has none for it.
    finder->addMatcher(internal::VariadicDynCastAllOfMatcher<clang::Stmt, clang::OffsetOfExpr>{}().bind(kHit),
                       callback);
}

void match_placement(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxNewExpr(hasAnyPlacementArg(expr())).bind(kHit), callback);
    finder->addMatcher(
        callExpr(callee(functionDecl(hasAnyOverloadedOperatorName("new", "delete", "new[]", "delete[]")))).bind(kHit),
        callback);
}

void match_allocation_functions(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        functionDecl(hasAnyOverloadedOperatorName("new", "delete", "new[]", "delete[]"), unless(isImplicit()))
            .bind(kHit),
        callback);
}

constexpr Guideline kLibraryGuidelines[]{
    {"4.1.1", "not C++17: a word of the compiler's own", match_extensions, is_extension},
    {"18.5.2", "ends the program", match_ends, nullptr},
    {"21.2.1", "a number is read by a function that cannot say what is wrong", match_numbers, nullptr},
    {"21.2.2", "a function of the C library for strings", match_strings, nullptr},
    {"21.2.4", "offsetof", match_offset, nullptr, true},
    {"21.6.3", "an object made in memory of one's own, or raw memory", match_placement, nullptr},
    {"21.6.4", "an allocation function of one's own", match_allocation_functions, nullptr},
    {"24.5.2", "memcpy, memmove or memcmp", match_memory, nullptr},
};

}  // namespace

llvm::ArrayRef<Guideline> library_guidelines() {
    return kLibraryGuidelines;
}

}  // namespace pianola::misra

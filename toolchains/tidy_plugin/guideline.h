// Checks of MISRA C++:2023 for which clang-tidy has none of its own, as a table: each is a matcher of the syntax tree
// and, where that is not enough, a function that decides on what was matched.
#pragma once

#include <clang-tidy/ClangTidyModule.h>
#include <clang/AST/Expr.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace pianola::misra {

using clang::ast_matchers::MatchFinder;

// What a matcher binds the place of the finding to.
inline constexpr llvm::StringRef kHit = "hit";

struct Guideline {
    // As MISRA C++:2023 numbers it. The check is called pianola-misra-<number>.
    const char* number{nullptr};
    const char* message{nullptr};
    void (*match)(MatchFinder* finder, MatchFinder::MatchCallback* callback){nullptr};
    // Whether a match is a finding; null: each is.
    bool (*holds)(const MatchFinder::MatchResult& result){nullptr};
    // Whether what a macro of a library's header makes is looked at as well.
    bool in_macros_of_libraries{false};
};

// The text of the token at `location`, as the source has it. Of a literal that is the literal.
std::string token_text(clang::SourceLocation location, const MatchFinder::MatchResult& result);

// The tables, each in the file of its name.
llvm::ArrayRef<Guideline> literal_guidelines();
llvm::ArrayRef<Guideline> conversion_guidelines();
llvm::ArrayRef<Guideline> expression_guidelines();
llvm::ArrayRef<Guideline> statement_guidelines();
llvm::ArrayRef<Guideline> declaration_guidelines();
llvm::ArrayRef<Guideline> class_guidelines();
llvm::ArrayRef<Guideline> library_guidelines();

// Makes a check of every entry of every table.
void register_guidelines(clang::tidy::ClangTidyCheckFactories& factories);

}  // namespace pianola::misra

#include "toolchains/tidy_plugin/guideline.h"

#include <clang-tidy/ClangTidyCheck.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <memory>

namespace pianola::misra {
namespace {

// The place of what was matched; invalid where the compiler made it up.
clang::SourceLocation place(const MatchFinder::MatchResult& result) {
    if (const auto* statement = result.Nodes.getNodeAs<clang::Stmt>(kHit)) {
        return statement->getBeginLoc();
    }
    if (const auto* declaration = result.Nodes.getNodeAs<clang::Decl>(kHit)) {
        return declaration->isImplicit() ? clang::SourceLocation{} : declaration->getLocation();
    }
    if (const auto* type = result.Nodes.getNodeAs<clang::TypeLoc>(kHit)) {
        return type->getBeginLoc();
    }
    return {};
}

class GuidelineCheck : public clang::tidy::ClangTidyCheck {
  public:
    GuidelineCheck(llvm::StringRef name, clang::tidy::ClangTidyContext* context, const Guideline& guideline)
        : ClangTidyCheck{name, context}, guideline_{guideline} {}

    void registerMatchers(MatchFinder* finder) override { guideline_.match(finder, this); }

    void check(const MatchFinder::MatchResult& result) override {
        const clang::SourceLocation location = place(result);
        if (location.isInvalid() ||
            result.SourceManager->isInSystemHeader(result.SourceManager->getExpansionLoc(location)) ||
            (location.isMacroID() && result.SourceManager->isInSystemMacro(location) &&
             !guideline_.in_macros_of_libraries)) {
            return;
        }
        if (guideline_.holds == nullptr || guideline_.holds(result)) {
            diag(result.SourceManager->getExpansionLoc(location), guideline_.message);
        }
    }

  private:
    const Guideline& guideline_;
};

}  // namespace

std::string token_text(clang::SourceLocation location, const MatchFinder::MatchResult& result) {
    const clang::SourceManager& sources = *result.SourceManager;
    return clang::Lexer::getSpelling(sources.getSpellingLoc(location), *std::make_unique<llvm::SmallString<64>>(),
                                     sources, result.Context->getLangOpts())
        .str();
}

void register_guidelines(clang::tidy::ClangTidyCheckFactories& factories) {
    for (const llvm::ArrayRef<Guideline> table :
         {literal_guidelines(), conversion_guidelines(), expression_guidelines(), statement_guidelines(),
          declaration_guidelines(), class_guidelines(), library_guidelines()}) {
        for (const Guideline& guideline : table) {
            factories.registerCheckFactory(std::string{"pianola-misra-"} + guideline.number,
                                           [&guideline](llvm::StringRef name, clang::tidy::ClangTidyContext* context) {
                                               return std::make_unique<GuidelineCheck>(name, context, guideline);
                                           });
        }
    }
}

}  // namespace pianola::misra

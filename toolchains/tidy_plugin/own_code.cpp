// A plugin for clang-tidy 19: its checks look at the project's own code, and no longer through every declaration of the
// libraries' headers that a source includes, where they report nothing anyway. That is two thirds of their time. Later
// versions of clang-tidy do the same by themselves.
//
// Its other checks are of MISRA C++:2023: guideline.h.
//
// The check "pianola-own-code" finds nothing. It matches the translation unit, which comes before all that is in it,
// and limits what is traversed from there on.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/ASTMatchers/ASTMatchers.h>
#include <clang/Basic/SourceManager.h>

#include <vector>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola {
namespace {

class OwnCode : public clang::tidy::ClangTidyCheck {
  public:
    using ClangTidyCheck::ClangTidyCheck;

    void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
        finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
    }

    void check(const clang::ast_matchers::MatchFinder::MatchResult& result) override {
        std::vector<clang::Decl*> own;
        for (clang::Decl* const declaration : result.Context->getTranslationUnitDecl()->decls()) {
            if (!result.SourceManager->isInSystemHeader(declaration->getLocation())) {
                own.push_back(declaration);
            }
        }
        result.Context->setTraversalScope(own);
    }
};

class Module : public clang::tidy::ClangTidyModule {
    void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
        factories.registerCheck<OwnCode>("pianola-own-code");
        misra::register_guidelines(factories);
    }
};

// NOLINTNEXTLINE(cert-err58-cpp): DEV-038
const clang::tidy::ClangTidyModuleRegistry::Add<Module> kRegistered(
    "pianola", "Limits all checks to own code; guidelines of MISRA C++:2023.");

}  // namespace
}  // namespace pianola

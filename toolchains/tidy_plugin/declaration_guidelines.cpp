// Guidelines on declarations of names, variables, functions and enumerations.
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchers.h>
#include <clang/Analysis/Analyses/ExprMutationAnalyzer.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using namespace clang::ast_matchers;  // NOLINT(google-build-using-namespace): DEV-060

void match_extern_array(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        varDecl(hasExternalFormalLinkage(), hasType(incompleteArrayType()), unless(hasInitializer(expr()))).bind(kHit),
        callback);
}

void match_global(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(decl(hasParent(translationUnitDecl()),
                            unless(anyOf(namespaceDecl(), linkageSpecDecl(), functionDecl(isMain()), isImplicit())))
                           .bind(kHit),
                       callback);
}

bool is_no_empty_declaration(const MatchFinder::MatchResult& result) {
    const auto* declaration = result.Nodes.getNodeAs<clang::Decl>(kHit);
    if (const auto* method = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
        return !method->isCXXClassMember() && !method->isExternC();  // a member of a class of a namespace, defined here
    }
    return !llvm::isa<clang::EmptyDecl, clang::StaticAssertDecl>(declaration);
}

void match_main(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(functionDecl(hasName("main"), unless(isMain())).bind(kHit), callback);
}

void match_type_of_source(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(tagDecl(isDefinition(), isExpansionInMainFile(),
                               hasDeclContext(anyOf(translationUnitDecl(), namespaceDecl(unless(isAnonymous())))),
                               unless(cxxRecordDecl(isTemplateInstantiation())))
                           .bind(kHit),
                       callback);
}

// What a source alone defines has no place where a second source would find it, and may be defined there once more.
bool is_of_a_source(const MatchFinder::MatchResult& result) {
    const auto* type = result.Nodes.getNodeAs<clang::TagDecl>(kHit);
    return !type->isInAnonymousNamespace() && type->getPreviousDecl() == nullptr;
}

void match_redeclaration(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(functionDecl(unless(isImplicit()), unless(isInstantiated())).bind(kHit), callback);
    finder->addMatcher(varDecl(hasGlobalStorage()).bind(kHit), callback);
}

const clang::TypedefNameDecl* alias_of(clang::QualType type) {
    if (type->isReferenceType() || type->isPointerType()) {
        type = type->getPointeeType();
    }
    const auto* alias = type->getAs<clang::TypedefType>();
    return alias == nullptr ? nullptr : llvm::cast<clang::TypedefNameDecl>(alias->getDecl()->getCanonicalDecl());
}

bool names_another_alias(const MatchFinder::MatchResult& result) {
    if (const auto* variable = result.Nodes.getNodeAs<clang::VarDecl>(kHit)) {
        const clang::VarDecl* before = variable->getPreviousDecl();
        return before != nullptr && alias_of(before->getType()) != alias_of(variable->getType());
    }
    const auto* function = result.Nodes.getNodeAs<clang::FunctionDecl>(kHit);
    const clang::FunctionDecl* before = function->getPreviousDecl();
    if (before == nullptr) {
        return false;
    }
    bool differs = alias_of(before->getReturnType()) != alias_of(function->getReturnType());
    for (unsigned at = 0; at < function->getNumParams(); ++at) {
        differs =
            differs || alias_of(before->getParamDecl(at)->getType()) != alias_of(function->getParamDecl(at)->getType());
    }
    return differs;
}

void match_standard_integer(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(typeLoc(loc(qualType(builtinType()))).bind(kHit), callback);
}

// The result of main and the dummy parameter of a postfix operator are int by the language's own rule.
bool names_standard_integer(const MatchFinder::MatchResult& result) {
    const auto type = result.Nodes.getNodeAs<clang::TypeLoc>(kHit)->getUnqualifiedLoc().getAs<clang::BuiltinTypeLoc>();
    if (type.isNull()) {
        return false;
    }
    switch (type.getTypePtr()->getKind()) {
        case clang::BuiltinType::SChar:
        case clang::BuiltinType::UChar:
        case clang::BuiltinType::Short:
        case clang::BuiltinType::UShort:
        case clang::BuiltinType::Int:
        case clang::BuiltinType::UInt:
        case clang::BuiltinType::Long:
        case clang::BuiltinType::ULong:
        case clang::BuiltinType::LongLong:
        case clang::BuiltinType::ULongLong:
            break;
        default:
            return false;
    }
    // What a template was given stands elsewhere.
    const std::string text = token_text(type.getBeginLoc(), result);
    if (!llvm::is_contained({"signed", "unsigned", "char", "short", "int", "long"}, text)) {
        return false;
    }
    const clang::DynTypedNodeList parents = result.Context->getParents(*result.Nodes.getNodeAs<clang::TypeLoc>(kHit));
    for (const clang::DynTypedNode& parent : parents) {
        const auto* outer = parent.get<clang::TypeLoc>();
        const clang::DynTypedNodeList above = outer == nullptr ? parents : result.Context->getParents(*outer);
        for (const clang::DynTypedNode& node : above) {
            const auto* function = node.get<clang::FunctionDecl>();
            if (function != nullptr && function->isMain()) {
                return false;
            }
        }
    }
    return true;
}

void match_volatile(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    const auto is_volatile = hasType(qualType(isVolatileQualified()));
    finder->addMatcher(varDecl(anyOf(hasLocalStorage(), parmVarDecl()), is_volatile).bind(kHit), callback);
    finder->addMatcher(functionDecl(returns(qualType(isVolatileQualified()))).bind(kHit), callback);
}

void match_parameter(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    // Of assembler nothing is known: what it names may change.
    finder->addMatcher(
        functionDecl(isDefinition(), hasBody(stmt()), unless(hasDescendant(asmStmt())), unless(isInstantiated()),
                     unless(isImplicit()), unless(cxxMethodDecl(anyOf(isVirtual(), isOverride()))),
                     forEachDescendant(
                         parmVarDecl(hasType(lValueReferenceType(pointee(unless(isConstQualified()))))).bind(kHit)))
            .bind("function"),
        callback);
}

bool could_be_const(const MatchFinder::MatchResult& result) {
    const auto* function = result.Nodes.getNodeAs<clang::FunctionDecl>("function");
    const auto* parameter = result.Nodes.getNodeAs<clang::ParmVarDecl>(kHit);
    if (parameter->getDeclContext() != function || parameter->getType()->isDependentType() ||
        parameter->getType()->getPointeeType()->isFunctionType() || !parameter->isUsed()) {
        return false;
    }
    if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(function)) {
        for (const clang::CXXCtorInitializer* part : constructor->inits()) {
            if (clang::ExprMutationAnalyzer{*part->getInit(), *result.Context}.isMutated(parameter)) {
                return false;
            }
        }
        return !constructor->inits().empty()
                   ? false
                   : !clang::ExprMutationAnalyzer{*function->getBody(), *result.Context}.isMutated(parameter);
    }
    return !clang::ExprMutationAnalyzer{*function->getBody(), *result.Context}.isMutated(parameter);
}

void match_enumeration(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(enumDecl(isDefinition()).bind(kHit), callback);
}

bool has_no_type(const MatchFinder::MatchResult& result) {
    return result.Nodes.getNodeAs<clang::EnumDecl>(kHit)->getIntegerTypeSourceInfo() == nullptr;
}

bool is_unscoped(const MatchFinder::MatchResult& result) {
    return !result.Nodes.getNodeAs<clang::EnumDecl>(kHit)->isScoped();
}

void match_enumerator(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(enumConstantDecl().bind(kHit), callback);
}

bool repeats_a_value(const MatchFinder::MatchResult& result) {
    const auto* enumerator = result.Nodes.getNodeAs<clang::EnumConstantDecl>(kHit);
    if (enumerator->getInitExpr() != nullptr) {
        return false;
    }
    const auto* of = llvm::cast<clang::EnumDecl>(enumerator->getDeclContext());
    return std::any_of(of->enumerator_begin(), of->enumerator_end(), [&](const clang::EnumConstantDecl* other) {
        return other != enumerator && llvm::APSInt::isSameValue(other->getInitVal(), enumerator->getInitVal());
    });
}

void match_pointers(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(valueDecl(hasType(pointerType(pointee(pointerType(pointee(pointerType())))))).bind(kHit),
                       callback);
}

void match_static_local(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(varDecl(isStaticLocal()).bind(kHit), callback);
}

void match_local(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(varDecl(hasAutomaticStorageDuration(), unless(parmVarDecl()), unless(isImplicit()),
                               unless(hasParent(declStmt(hasParent(cxxForRangeStmt())))))
                           .bind(kHit),
                       callback);
}

// The implied call of a constructor that does nothing is no value.
bool has_no_value(const MatchFinder::MatchResult& result) {
    const auto* variable = result.Nodes.getNodeAs<clang::VarDecl>(kHit);
    if (variable->getType()->isDependentType() || variable->isExceptionVariable()) {
        return false;
    }
    if (!variable->hasInit()) {
        return true;
    }
    const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(variable->getInit()->IgnoreImplicit());
    return construction != nullptr && construction->getConstructor()->isTrivial() && construction->getNumArgs() == 0 &&
           !construction->isListInitialization() && !construction->requiresZeroInitialization();
}

constexpr Guideline kDeclarationGuidelines[]{
    {"6.0.2", "an external array without a size", match_extern_array, nullptr},
    {"6.0.3", "a declaration in the global namespace", match_global, is_no_empty_declaration},
    {"6.0.4", "a function of another namespace is called main", match_main, nullptr},
    {"6.2.3", "a source defines a type outside its unnamed namespace", match_type_of_source, is_of_a_source},
    {"6.7.1", "a local variable with static storage", match_static_local, nullptr},
    {"6.9.1", "an earlier declaration names the type by another alias", match_redeclaration, names_another_alias},
    {"6.9.2", "a standard integer type by its name", match_standard_integer, names_standard_integer},
    {"10.1.1", "a reference parameter that could be one to const", match_parameter, could_be_const},
    {"10.1.2", "volatile where it has no meaning", match_volatile, nullptr},
    {"10.2.1", "an enumeration does not say its type", match_enumeration, has_no_type},
    {"10.2.2", "an unscoped enumeration", match_enumeration, is_unscoped},
    {"11.3.2", "more than two levels of pointers", match_pointers, nullptr},
    {"11.6.1", "a variable gets no value where it is declared", match_local, has_no_value},
    {"11.6.3", "an enumerator repeats a value without saying so", match_enumerator, repeats_a_value},
};

}  // namespace

llvm::ArrayRef<Guideline> declaration_guidelines() {
    return kDeclarationGuidelines;
}

}  // namespace pianola::misra

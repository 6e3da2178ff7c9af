// Guidelines on classes, templates and operators.
#include <clang/AST/ASTContext.h>
#include <clang/AST/CXXInheritance.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include <algorithm>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using namespace clang::ast_matchers;  // NOLINT(google-build-using-namespace): DEV-060

void match_method(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxMethodDecl(unless(isImplicit()), unless(isInstantiated())).bind(kHit), callback);
}

// A function of a base with the same name that this one neither overrides nor brings in by a using declaration.
bool hides_inherited(const MatchFinder::MatchResult& result) {
    const auto* method = result.Nodes.getNodeAs<clang::CXXMethodDecl>(kHit);
    const clang::CXXRecordDecl* of = method->getParent();
    if (!of->hasDefinition() || method->getIdentifier() == nullptr || method->size_overridden_methods() > 0) {
        return false;
    }
    const auto is_brought_in = [&](const clang::Decl* declaration) {
        const auto* brought_in = llvm::dyn_cast<clang::UsingShadowDecl>(declaration);
        return brought_in != nullptr && brought_in->getDeclName() == method->getDeclName();
    };
    if (std::any_of(of->decls_begin(), of->decls_end(), is_brought_in)) {
        return false;
    }
    return !of->forallBases([&](const clang::CXXRecordDecl* base) {
        return std::none_of(base->method_begin(), base->method_end(), [&](const clang::CXXMethodDecl* inherited) {
            return inherited->getDeclName() == method->getDeclName() && inherited->getAccess() != clang::AS_private;
        });
    });
}

void match_dependent_base(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxRecordDecl(isDefinition(), unless(isImplicit())).bind(kHit), callback);
}

bool has_dependent_base(const MatchFinder::MatchResult& result) {
    return result.Nodes.getNodeAs<clang::CXXRecordDecl>(kHit)->hasAnyDependentBases();
}

bool hands_out_a_part(const MatchFinder::MatchResult& result) {
    const auto* method = result.Nodes.getNodeAs<clang::CXXMethodDecl>(kHit);
    if (method->isStatic() || method->getRefQualifier() != clang::RQ_None || !method->doesThisDeclarationHaveABody() ||
        (!method->getReturnType()->isReferenceType() && !method->getReturnType()->isPointerType())) {
        return false;
    }
    const auto part =
        memberExpr(hasObjectExpression(ignoringParenImpCasts(cxxThisExpr())), member(fieldDecl()),
                   unless(hasType(pointerType())), unless(hasDeclaration(fieldDecl(hasType(referenceType())))));
    const auto given = returnStmt(hasReturnValue(ignoringParenImpCasts(
        expr(anyOf(part, unaryOperator(hasOperatorName("&"), hasUnaryOperand(ignoringParenImpCasts(part))))))));
    return !match(findAll(given), *method->getBody(), *result.Context).empty();
}

void match_bit_field(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(fieldDecl(isBitField()).bind(kHit), callback);
}

void match_union(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(recordDecl(isUnion()).bind(kHit), callback);
}

bool has_virtual_base(const MatchFinder::MatchResult& result) {
    return result.Nodes.getNodeAs<clang::CXXRecordDecl>(kHit)->getNumVBases() > 0;
}

bool renames_parameter(const MatchFinder::MatchResult& result) {
    const auto* method = result.Nodes.getNodeAs<clang::CXXMethodDecl>(kHit);
    for (const clang::CXXMethodDecl* overridden : method->overridden_methods()) {
        for (unsigned at = 0; at < method->getNumParams(); ++at) {
            const llvm::StringRef name = method->getParamDecl(at)->getName();
            const llvm::StringRef before = overridden->getParamDecl(at)->getName();
            if (!name.empty() && !before.empty() && name != before) {
                return true;
            }
        }
    }
    return false;
}

bool mixes_access(const MatchFinder::MatchResult& result) {
    const auto* record = result.Nodes.getNodeAs<clang::CXXRecordDecl>(kHit);
    bool is_public = false;
    bool is_other = false;
    for (const clang::FieldDecl* field : record->fields()) {
        is_public = is_public || field->getAccess() == clang::AS_public || field->getAccess() == clang::AS_none;
        is_other = is_other || field->getAccess() == clang::AS_private || field->getAccess() == clang::AS_protected;
        if (field->getAccess() == clang::AS_protected) {
            return true;
        }
    }
    return is_public && is_other;
}

void match_constructor(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        cxxConstructorDecl(isDefinition(), isUserProvided(), unless(isDelegatingConstructor())).bind(kHit), callback);
}

bool leaves_out_base(const MatchFinder::MatchResult& result) {
    const auto* constructor = result.Nodes.getNodeAs<clang::CXXConstructorDecl>(kHit);
    return std::any_of(constructor->init_begin(), constructor->init_end(), [](const clang::CXXCtorInitializer* part) {
        return part->isBaseInitializer() && !part->isWritten();
    });
}

void match_list_constructor(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxConstructorDecl(hasAnyParameter(hasType(hasCanonicalType(hasDeclaration(
                                              classTemplateSpecializationDecl(hasName("::std::initializer_list")))))))
                           .bind(kHit),
                       callback);
}

void match_own_assignment(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        cxxMethodDecl(anyOf(isCopyAssignmentOperator(), isMoveAssignmentOperator()), isUserProvided()).bind(kHit),
        callback);
}

void match_logical_operator(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(functionDecl(hasAnyOverloadedOperatorName("&&", "||")).bind(kHit), callback);
}

void match_address_operator(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(functionDecl(hasOverloadedOperatorName("&")).bind(kHit), callback);
}

bool is_unary(const MatchFinder::MatchResult& result) {
    const auto* function = result.Nodes.getNodeAs<clang::FunctionDecl>(kHit);
    return function->getNumParams() == (llvm::isa<clang::CXXMethodDecl>(function) ? 0U : 1U);
}

void match_symmetric_operator(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxMethodDecl(hasAnyOverloadedOperatorName("+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">",
                                                                  ">=", "^", "&", "|", "&&", "||"),
                                     unless(parameterCountIs(0)))
                           .bind(kHit),
                       callback);
}

void match_specialisation(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(functionDecl(isExplicitTemplateSpecialization()).bind(kHit), callback);
}

void match_promises(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    const auto is_written =
        allOf(unless(isImplicit()), unless(isDefaulted()), unless(isDeleted()), unless(isInstantiated()));
    finder->addMatcher(cxxConstructorDecl(isMoveConstructor(), is_written).bind(kHit), callback);
    finder->addMatcher(cxxMethodDecl(isMoveAssignmentOperator(), is_written).bind(kHit), callback);
    finder->addMatcher(functionDecl(hasName("swap"), is_written).bind(kHit), callback);
}

// clang-tidy has checks for it, which are silent where the compiler has no exceptions.
bool promises_nothing(const MatchFinder::MatchResult& result) {
    const auto* type = result.Nodes.getNodeAs<clang::FunctionDecl>(kHit)->getType()->getAs<clang::FunctionProtoType>();
    return type->getExceptionSpecType() == clang::EST_None;
}

constexpr Guideline kClassGuidelines[]{
    {"6.4.2", "hides a function of a base", match_method, hides_inherited},
    {"6.4.3", "a base that depends on a template's parameter", match_dependent_base, has_dependent_base},
    {"6.8.4", "hands out a part of an object that may be temporary: no & behind the parameters", match_method,
     hands_out_a_part},
    {"12.2.1", "a bit-field", match_bit_field, nullptr},
    {"12.3.1", "a union", match_union, nullptr},
    {"13.1.1", "a virtual base", match_dependent_base, has_virtual_base},
    {"13.3.3", "the overridden function calls this parameter otherwise", match_method, renames_parameter},
    {"14.1.1", "data members of which some are private and some are not", match_dependent_base, mixes_access},
    {"15.1.2", "the constructor leaves out a base", match_constructor, leaves_out_base},
    {"15.1.5", "a constructor from an initializer_list", match_list_constructor, nullptr},
    {"15.8.1", "an assignment operator of one's own", match_own_assignment, nullptr},
    {"16.5.1", "&& or || is overloaded", match_logical_operator, nullptr},
    {"16.5.2", "the unary & is overloaded", match_address_operator, is_unary},
    {"16.6.1", "a symmetric operator as a member", match_symmetric_operator, nullptr},
    {"17.8.1", "a function template is specialised", match_specialisation, nullptr},
    {"18.4.1", "moves and swaps that do not say noexcept", match_promises, promises_nothing},
};

}  // namespace

llvm::ArrayRef<Guideline> class_guidelines() {
    return kClassGuidelines;
}

}  // namespace pianola::misra

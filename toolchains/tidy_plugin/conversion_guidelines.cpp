// Guidelines on conversions, written and implied.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using namespace clang::ast_matchers;  // NOLINT(google-build-using-namespace): DEV-060

// The expression that `expression` is directly an operand of, through parentheses; null where there is none.
const clang::Expr* operation_around(const clang::Expr& expression, clang::ASTContext& context) {
    clang::DynTypedNodeList parents = context.getParents(expression);
    while (!parents.empty()) {
        const auto* parent = parents[0].get<clang::Expr>();
        if (parent == nullptr || !llvm::isa<clang::ParenExpr>(parent)) {
            return parent;
        }
        parents = context.getParents(*parent);
    }
    return nullptr;
}

bool is_plain_char(clang::QualType type) {
    const clang::QualType plain = type.getCanonicalType().getUnqualifiedType();
    return plain->isSpecificBuiltinType(clang::BuiltinType::Char_S) ||
           plain->isSpecificBuiltinType(clang::BuiltinType::Char_U) || plain->isChar16Type() || plain->isChar32Type() ||
           plain->isWideCharType();
}

void match_implied(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(implicitCastExpr(hasCastKind(clang::CK_IntegralCast)).bind(kHit), callback);
}

// Two characters that are compared or subtracted are both promoted; that is what characters are for.
bool mixes_character_and_number(const MatchFinder::MatchResult& result) {
    const auto* cast = result.Nodes.getNodeAs<clang::ImplicitCastExpr>(kHit);
    const clang::QualType from = cast->getSubExpr()->getType();
    if (is_plain_char(from) == is_plain_char(cast->getType())) {
        return false;
    }
    const auto* around = llvm::dyn_cast_or_null<clang::BinaryOperator>(operation_around(*cast, *result.Context));
    if (around == nullptr) {
        return true;
    }
    const bool both = is_plain_char(around->getLHS()->IgnoreParenImpCasts()->getType()) &&
                      is_plain_char(around->getRHS()->IgnoreParenImpCasts()->getType());
    return !(both && (around->isComparisonOp() || around->getOpcode() == clang::BO_Sub));
}

// A promotion or one of the usual arithmetic conversions: an operand of an operator that computes.
bool changes_sign_of_operand(const MatchFinder::MatchResult& result) {
    const auto* cast = result.Nodes.getNodeAs<clang::ImplicitCastExpr>(kHit);
    const clang::QualType from = cast->getSubExpr()->getType();
    if (!from->isIntegerType() || from->isBooleanType() || is_plain_char(from) || from->isEnumeralType() ||
        !cast->getType()->isIntegerType() ||
        from->isUnsignedIntegerType() == cast->getType()->isUnsignedIntegerType()) {
        return false;
    }
    const clang::Expr* around = operation_around(*cast, *result.Context);
    const auto* binary = llvm::dyn_cast_or_null<clang::BinaryOperator>(around);
    const bool computes = (binary != nullptr && binary->getOpcode() != clang::BO_Assign && !binary->isShiftOp()) ||
                          (binary != nullptr && binary->isShiftOp() &&
                           binary->getLHS()->IgnoreParens() == static_cast<const clang::Expr*>(cast)) ||
                          llvm::isa_and_nonnull<clang::UnaryOperator, clang::ConditionalOperator>(around);
    clang::Expr::EvalResult value;
    const bool is_constant = !cast->isValueDependent() && cast->getSubExpr()->EvaluateAsInt(value, *result.Context);
    return computes && !(is_constant && !value.Val.getInt().isNegative());
}

void match_decay(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(implicitCastExpr(hasCastKind(clang::CK_FunctionToPointerDecay)).bind(kHit), callback);
}

// Where a function is called, initialises a pointer or is assigned to one, that it becomes a pointer is meant.
bool decays_elsewhere(const MatchFinder::MatchResult& result) {
    const auto* cast = result.Nodes.getNodeAs<clang::ImplicitCastExpr>(kHit);
    const clang::Expr* around = operation_around(*cast, *result.Context);
    if (around == nullptr || llvm::isa<clang::InitListExpr, clang::CallExpr, clang::CXXConstructExpr,
                                       clang::ExplicitCastExpr, clang::ConstantExpr>(around)) {
        return false;
    }
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(around);
    return !(binary != nullptr && binary->getOpcode() == clang::BO_Assign) &&
           !llvm::isa<clang::SubstNonTypeTemplateParmExpr, clang::ImplicitCastExpr>(around);
}

void match_functional_cast(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxFunctionalCastExpr().bind(kHit), callback);
    finder->addMatcher(cxxUnresolvedConstructExpr().bind(kHit), callback);
}

bool has_parentheses(const MatchFinder::MatchResult& result) {
    if (const auto* cast = result.Nodes.getNodeAs<clang::CXXFunctionalCastExpr>(kHit)) {
        return !cast->isListInitialization();
    }
    return !result.Nodes.getNodeAs<clang::CXXUnresolvedConstructExpr>(kHit)->isListInitialization();
}

void match_written(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(explicitCastExpr(unless(hasType(voidType()))).bind(kHit), callback);
}

bool is_function_pointer_cast(const MatchFinder::MatchResult& result) {
    const auto* cast = result.Nodes.getNodeAs<clang::ExplicitCastExpr>(kHit);
    const clang::QualType from = cast->getSubExprAsWritten()->getType();
    const bool is_same = result.Context->hasSameType(cast->getType(), from) ||
                         result.Context->hasSameType(cast->getType(), result.Context->getPointerType(from));
    return !is_same && (from->isFunctionPointerType() || from->isFunctionType() ||
                        cast->getType()->isFunctionPointerType() || cast->getType()->isMemberFunctionPointerType());
}

// Of numbers, performance-no-int-to-ptr says it.
bool makes_object_pointer(const MatchFinder::MatchResult& result) {
    const auto* cast = result.Nodes.getNodeAs<clang::ExplicitCastExpr>(kHit);
    const clang::QualType from = cast->getSubExprAsWritten()->getType();
    return cast->getType()->isObjectPointerType() && !cast->getType()->isVoidPointerType() && from->isVoidPointerType();
}

bool makes_narrow_address(const MatchFinder::MatchResult& result) {
    const auto* cast = result.Nodes.getNodeAs<clang::ExplicitCastExpr>(kHit);
    if (!cast->getSubExprAsWritten()->getType()->isAnyPointerType() ||
        !cast->getType()->isIntegralOrEnumerationType()) {
        return false;
    }
    const std::string name = cast->getTypeAsWritten().getUnqualifiedType().getAsString();
    return name.find("uintptr_t") == std::string::npos && name.find("intptr_t") == std::string::npos;
}

constexpr Guideline kConversionGuidelines[]{
    {"7.0.3", "a character is used as a number, or a number as a character", match_implied, mixes_character_and_number},
    {"7.0.5", "a promotion or arithmetic conversion changes an operand's sign", match_implied, changes_sign_of_operand},
    {"7.11.3", "a function becomes a pointer where none is asked for", match_decay, decays_elsewhere},
    {"8.2.2", "a functional cast in parentheses", match_functional_cast, has_parentheses},
    {"8.2.4", "a cast from or to a pointer to a function", match_written, is_function_pointer_cast},
    {"8.2.6", "a cast makes a pointer to an object of one to void", match_written, makes_object_pointer},
    {"8.2.8", "a pointer becomes a number that is no uintptr_t or intptr_t", match_written, makes_narrow_address},
};

}  // namespace

llvm::ArrayRef<Guideline> conversion_guidelines() {
    return kConversionGuidelines;
}

}  // namespace pianola::misra

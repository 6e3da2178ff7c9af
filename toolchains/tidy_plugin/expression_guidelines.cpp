// Guidelines on expressions.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include <algorithm>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using namespace clang::ast_matchers;  // NOLINT(google-build-using-namespace): DEV-060

// What the language defaults, it writes itself.
void match_calls(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        callExpr(unless(cxxOperatorCallExpr(unless(hasOverloadedOperatorName("()")))), unless(hasType(voidType())),
                 unless(isTypeDependent()), unless(hasAncestor(functionDecl(anyOf(isImplicit(), isDefaulted())))),
                 unless(callee(functionDecl(hasAnyName("::memcpy", "::memmove", "::memset")))))
            .bind(kHit),
        callback);
}

// Whether nobody takes the value of what was matched: it is a statement by itself.
bool is_statement(const MatchFinder::MatchResult& result) {
    const auto* expression = result.Nodes.getNodeAs<clang::Expr>(kHit);
    clang::DynTypedNode node = clang::DynTypedNode::create(*expression);
    for (clang::DynTypedNodeList parents = result.Context->getParents(node); !parents.empty();
         parents = result.Context->getParents(node)) {
        node = parents[0];
        const auto* around = node.get<clang::Stmt>();
        if (around == nullptr) {
            return false;
        }
        if (!llvm::isa<clang::ExprWithCleanups, clang::CXXBindTemporaryExpr, clang::MaterializeTemporaryExpr>(around)) {
            const auto* loop = llvm::dyn_cast<clang::ForStmt>(around);
            const auto* branch = llvm::dyn_cast<clang::IfStmt>(around);
            return llvm::isa<clang::CompoundStmt, clang::SwitchCase, clang::LabelStmt>(around) ||
                   (loop != nullptr && loop->getCond() != expression) ||
                   (branch != nullptr && branch->getCond() != expression);
        }
    }
    return false;
}

void match_casts(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(explicitCastExpr(unless(hasType(voidType()))).bind(kHit), callback);
    finder->addMatcher(cxxTemporaryObjectExpr().bind(kHit), callback);
}

void match_floating_point(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        binaryOperator(unless(hasOperatorName("=")), hasEitherOperand(hasType(realFloatingPointType()))).bind(kHit),
        callback);
    finder->addMatcher(
        unaryOperator(hasAnyOperatorName("+", "-", "!", "++", "--"), hasUnaryOperand(hasType(realFloatingPointType())))
            .bind(kHit),
        callback);
}

void match_minus(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(unaryOperator(hasOperatorName("-")).bind(kHit), callback);
}

// The operand as it is written: promotion would hide that it has no sign.
bool negates_unsigned(const MatchFinder::MatchResult& result) {
    const auto* negation = result.Nodes.getNodeAs<clang::UnaryOperator>(kHit);
    return negation->getSubExpr()->IgnoreParenImpCasts()->getType()->isUnsignedIntegerType();
}

void match_plus(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(unaryOperator(hasOperatorName("+")).bind(kHit), callback);
}

void match_pointer_difference(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        binaryOperator(hasOperatorName("-"), hasLHS(hasType(pointerType())), hasRHS(hasType(pointerType()))).bind(kHit),
        callback);
}

void match_pointer_order(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(
        binaryOperator(hasAnyOperatorName("<", "<=", ">", ">="), hasLHS(hasType(pointerType()))).bind(kHit), callback);
}

void match_logic(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    const auto changes = expr(anyOf(
        cxxMemberCallExpr(callee(cxxMethodDecl(unless(isConst()), unless(isStaticStorageClass())))),
        callExpr(callee(functionDecl(hasAnyParameter(hasType(references(qualType(unless(isConstQualified())))))))),
        unaryOperator(hasAnyOperatorName("++", "--")), binaryOperator(isAssignmentOperator())));
    finder->addMatcher(
        binaryOperator(hasAnyOperatorName("&&", "||"), hasRHS(anyOf(changes, hasDescendant(changes)))).bind(kHit),
        callback);
}

void match_assignment(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(binaryOperation(isAssignmentOperator()).bind(kHit), callback);
}

bool is_no_statement(const MatchFinder::MatchResult& result) {
    const auto* expression = result.Nodes.getNodeAs<clang::Expr>(kHit);
    const clang::DynTypedNodeList parents = result.Context->getParents(*expression);
    const auto* around = parents.empty() ? nullptr : parents[0].get<clang::Expr>();
    return around != nullptr && !llvm::isa<clang::ExprWithCleanups>(around) && !is_statement(result);
}

void match_comma(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(binaryOperation(hasOperatorName(",")).bind(kHit), callback);
}

void match_unsigned_arithmetic(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(binaryOperator(hasAnyOperatorName("+", "-", "*"), hasType(isUnsignedInteger()),
                                      unless(isInstantiationDependent()))
                           .bind(kHit),
                       callback);
}

bool wraps(const MatchFinder::MatchResult& result) {
    const auto* operation = result.Nodes.getNodeAs<clang::BinaryOperator>(kHit);
    clang::Expr::EvalResult left;
    clang::Expr::EvalResult right;
    if (!operation->getLHS()->EvaluateAsInt(left, *result.Context) ||
        !operation->getRHS()->EvaluateAsInt(right, *result.Context)) {
        return false;
    }
    bool overflow = false;
    const llvm::APInt first = left.Val.getInt();
    const llvm::APInt second = right.Val.getInt();
    if (operation->getOpcode() == clang::BO_Add) {
        static_cast<void>(first.uadd_ov(second, overflow));
    } else if (operation->getOpcode() == clang::BO_Sub) {
        static_cast<void>(first.usub_ov(second, overflow));
    } else {
        static_cast<void>(first.umul_ov(second, overflow));
    }
    return overflow;
}

void match_member_pointer_comparison(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    const auto null_pointer = ignoringParenImpCasts(cxxNullPtrLiteralExpr());
    finder->addMatcher(binaryOperator(hasAnyOperatorName("==", "!="), hasEitherOperand(hasType(memberPointerType())),
                                      unless(hasEitherOperand(null_pointer)))
                           .bind(kHit),
                       callback);
}

void match_lambda(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(lambdaExpr().bind(kHit), callback);
}

// A lambda that is called or handed to a call where it is written does not outlive that.
bool is_kept(const MatchFinder::MatchResult& result) {
    clang::DynTypedNode node = clang::DynTypedNode::create(*result.Nodes.getNodeAs<clang::Expr>(kHit));
    for (clang::DynTypedNodeList parents = result.Context->getParents(node); !parents.empty();
         parents = result.Context->getParents(node)) {
        node = parents[0];
        const auto* around = node.get<clang::Expr>();
        if (around == nullptr) {
            return true;
        }
        if (llvm::isa<clang::CallExpr>(around)) {
            return false;
        }
    }
    return true;
}

bool keeps_this(const MatchFinder::MatchResult& result) {
    const auto* lambda = result.Nodes.getNodeAs<clang::LambdaExpr>(kHit);
    const auto takes_this = [](const clang::LambdaCapture& capture) {
        return capture.isImplicit() && capture.capturesThis();
    };
    return std::any_of(lambda->capture_begin(), lambda->capture_end(), takes_this) && is_kept(result);
}

bool keeps_unnamed(const MatchFinder::MatchResult& result) {
    return result.Nodes.getNodeAs<clang::LambdaExpr>(kHit)->implicit_captures().begin() !=
               result.Nodes.getNodeAs<clang::LambdaExpr>(kHit)->implicit_captures().end() &&
           is_kept(result);
}

constexpr Guideline kExpressionGuidelines[]{
    {"0.1.2", "nobody looks at this result", match_calls, is_statement},
    {"0.3.1", "arithmetic in floating point", match_floating_point, nullptr},
    {"8.1.1", "a lambda that is kept captures this without saying so", match_lambda, keeps_this},
    {"8.1.2", "a lambda that is kept captures what it does not name", match_lambda, keeps_unnamed},
    {"8.3.1", "a minus in front of an unsigned operand", match_minus, negates_unsigned},
    {"8.3.2", "a plus in front of an operand", match_plus, nullptr},
    {"8.7.2", "a difference of pointers", match_pointer_difference, nullptr},
    {"8.9.1", "pointers compared for their order", match_pointer_order, nullptr},
    {"8.14.1", "what && or || may leave out changes something", match_logic, nullptr},
    {"8.18.2", "the value of an assignment is used", match_assignment, is_no_statement},
    {"8.19.1", "a comma operator", match_comma, nullptr},
    {"8.20.1", "constant unsigned arithmetic wraps", match_unsigned_arithmetic, wraps},
    {"9.2.1", "a conversion whose result nobody takes", match_casts, is_statement},
    {"13.3.4", "pointers to members compared", match_member_pointer_comparison, nullptr},
};

}  // namespace

llvm::ArrayRef<Guideline> expression_guidelines() {
    return kExpressionGuidelines;
}

}  // namespace pianola::misra

// Guidelines on statements.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/ASTMatchers/ASTMatchers.h>

#include "toolchains/tidy_plugin/guideline.h"

namespace pianola::misra {
namespace {

using namespace clang::ast_matchers;  // NOLINT(google-build-using-namespace): DEV-060

void match_if(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(ifStmt(unless(hasElse(stmt()))).bind(kHit), callback);
}

bool ends_else_if(const MatchFinder::MatchResult& result) {
    const auto* last = result.Nodes.getNodeAs<clang::IfStmt>(kHit);
    const clang::DynTypedNodeList parents = result.Context->getParents(*last);
    const auto* around = parents.empty() ? nullptr : parents[0].get<clang::IfStmt>();
    return around != nullptr && around->getElse() == last;
}

void match_for(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(forStmt().bind(kHit), callback);
}

const clang::VarDecl* variable_of(const clang::Expr* expression) {
    const auto* reference =
        expression == nullptr ? nullptr : llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    return reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
}

// Finds out whether a statement changes a variable.
class Changes : public clang::RecursiveASTVisitor<Changes> {
  public:
    explicit Changes(const clang::VarDecl* variable) : variable_{variable} {}

    // NOLINTBEGIN(readability-identifier-naming): DEV-011
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        const bool writes = operation->isIncrementDecrementOp() || operation->getOpcode() == clang::UO_AddrOf;
        found_ = found_ || (writes && variable_of(operation->getSubExpr()) == variable_);
        return !found_;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        found_ = found_ || (operation->isAssignmentOp() && variable_of(operation->getLHS()) == variable_);
        return !found_;
    }
    // NOLINTEND(readability-identifier-naming): DEV-011

    [[nodiscard]] bool found() const { return found_; }

  private:
    const clang::VarDecl* variable_{nullptr};
    bool found_{false};
};

// The one variable that the loop's first part declares; null where there is another number of them.
const clang::VarDecl* counter_of(const clang::ForStmt& loop) {
    const auto* statement = llvm::dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
    if (statement == nullptr || !statement->isSingleDecl()) {
        return nullptr;
    }
    const auto* counter = llvm::dyn_cast<clang::VarDecl>(statement->getSingleDecl());
    return counter != nullptr && (counter->getType()->isIntegerType() || counter->getType()->isDependentType())
               ? counter
               : nullptr;
}

bool compares(const clang::Expr* condition, const clang::VarDecl* counter) {
    const auto* comparison =
        condition == nullptr ? nullptr : llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
    return comparison != nullptr && comparison->isRelationalOp() &&
           (variable_of(comparison->getLHS()) == counter || variable_of(comparison->getRHS()) == counter);
}

bool steps(const clang::Expr* step, const clang::VarDecl* counter) {
    if (const auto* unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(step)) {
        return unary->isIncrementDecrementOp() && variable_of(unary->getSubExpr()) == counter;
    }
    const auto* compound = llvm::dyn_cast_or_null<clang::CompoundAssignOperator>(step);
    return compound != nullptr &&
           (compound->getOpcode() == clang::BO_AddAssign || compound->getOpcode() == clang::BO_SubAssign) &&
           variable_of(compound->getLHS()) == counter;
}

bool is_no_counting_loop(const MatchFinder::MatchResult& result) {
    const auto* loop = result.Nodes.getNodeAs<clang::ForStmt>(kHit);
    const clang::VarDecl* counter = counter_of(*loop);
    if (counter == nullptr || !compares(loop->getCond(), counter) || !steps(loop->getInc(), counter)) {
        return true;
    }
    Changes changes{counter};
    changes.TraverseStmt(
        const_cast<clang::Stmt*>(loop->getBody()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): DEV-060
    return changes.found();
}

// Counts the calls that a range is made by.
class Calls : public clang::RecursiveASTVisitor<Calls> {
  public:
    // NOLINTBEGIN(readability-identifier-naming): DEV-011
    bool VisitCallExpr(clang::CallExpr* /*call*/) {
        ++count_;
        return true;
    }
    bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
        count_ += construction->getConstructor()->isCopyOrMoveConstructor() ? 0U : 1U;
        return true;
    }
    // NOLINTEND(readability-identifier-naming): DEV-011

    [[nodiscard]] unsigned count() const { return count_; }

  private:
    unsigned count_{0};
};

void match_range_for(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(cxxForRangeStmt().bind(kHit), callback);
}

bool calls_twice(const MatchFinder::MatchResult& result) {
    const auto* loop = result.Nodes.getNodeAs<clang::CXXForRangeStmt>(kHit);
    Calls calls;
    calls.TraverseStmt(
        const_cast<clang::Expr*>(loop->getRangeInit()));  // NOLINT(cppcoreguidelines-pro-type-const-cast): DEV-060
    return calls.count() > 1;
}

// Conditions that a constant of the same function decides. Those of the build's configuration are no findings.
void match_condition(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    const auto condition = expr(unless(isInstantiationDependent())).bind(kHit);
    finder->addMatcher(ifStmt(unless(isConstexpr()), hasCondition(condition)), callback);
    finder->addMatcher(mapAnyOf(whileStmt, doStmt, forStmt, conditionalOperator).with(hasCondition(condition)),
                       callback);
}

// Collects whether an expression names constants of a function, and nothing else.
class Names : public clang::RecursiveASTVisitor<Names> {
  public:
    // NOLINTBEGIN(readability-identifier-naming): DEV-011
    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
        has_local_ = has_local_ || (variable != nullptr && variable->isLocalVarDecl());
        has_other_ = has_other_ || variable == nullptr || !variable->isLocalVarDecl();
        return true;
    }
    // NOLINTEND(readability-identifier-naming): DEV-011

    [[nodiscard]] bool are_local() const { return has_local_ && !has_other_; }

  private:
    bool has_local_{false};
    bool has_other_{false};
};

bool is_decided_here(const MatchFinder::MatchResult& result) {
    const auto* condition = result.Nodes.getNodeAs<clang::Expr>(kHit);
    Names names;
    names.TraverseStmt(const_cast<clang::Expr*>(condition));  // NOLINT(cppcoreguidelines-pro-type-const-cast): DEV-060
    bool value{false};
    return names.are_local() && condition->EvaluateAsBooleanCondition(value, *result.Context);
}

// Labels that stand deeper than in the block of their switch.
void match_label(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(switchCase(unless(anyOf(hasParent(switchStmt()), hasParent(switchCase()),
                                               hasParent(compoundStmt(hasParent(switchStmt()))))))
                           .bind(kHit),
                       callback);
}

void match_goto(MatchFinder* finder, MatchFinder::MatchCallback* callback) {
    finder->addMatcher(gotoStmt().bind(kHit), callback);
}

constexpr Guideline kStatementGuidelines[]{
    {"0.0.2", "a constant of this function decides the condition", match_condition, is_decided_here},
    {"9.4.1", "the last else is missing", match_if, ends_else_if},
    {"9.4.2", "a label that is not directly in the block of its switch", match_label, nullptr},
    {"9.5.1", "a loop that is no plain counting loop", match_for, is_no_counting_loop},
    {"9.5.2", "the range of a loop takes more than one call", match_range_for, calls_twice},
    {"9.6.1", "a goto", match_goto, nullptr},
};

}  // namespace

llvm::ArrayRef<Guideline> statement_guidelines() {
    return kStatementGuidelines;
}

}  // namespace pianola::misra

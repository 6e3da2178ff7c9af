#include "capture_host/mutate/coverage.h"

namespace pianola::mutate {

const char* why_never_alone(Rule rule) noexcept {
    switch (rule) {
        case Rule::kImgSize:
            return "a manifest that is refused for its size is not opened: without the rule there is nothing to go on "
                   "with";
        case Rule::kImgStructure:
            return "guards memory: a manifest of another structure would be read outside its bytes";
        case Rule::kImgExactSize:
            return "a manifest with bytes behind it is not opened: without the rule there is nothing to go on with";
        case Rule::kCapTables:
            return "a manifest with more tables is not opened: without the rule there is nothing to go on with";
        case Rule::kImgUnion:
            return "guards memory: tables with a row for each kind of command would be read outside";
        case Rule::kScrIndex:
            return "guards memory: lists would be read outside";
        default:
            return why_no_mutant(rule);
    }
}

const char* why_no_mutant(Rule rule) noexcept {
    switch (rule) {
        case Rule::kImgBool:
            return "the schema has no truth values";
        case Rule::kAutCounter:
            return "the platform's counter can not be read: nothing in a file makes it so";
        case Rule::kTgtEvidence:
            return "the session's policy is not in the file";
        default:
            return nullptr;
    }
}

}  // namespace pianola::mutate

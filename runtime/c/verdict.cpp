// The texts of a verdict. Each function is separate, so that an image which does not print contains none of them.
#include "runtime/c/twins.h"

const char* pnl_rule_id(pnl_rule_t rule) {
    return pianola::rule_id(static_cast<pianola::Rule>(rule));
}

const char* pnl_rule_message(pnl_rule_t rule) {
    return pianola::rule_message(static_cast<pianola::Rule>(rule));
}

const char* pnl_rule_reason(pnl_rule_t rule) {
    return pianola::rule_reason(static_cast<pianola::Rule>(rule));
}

size_t pnl_verdict_path(const pnl_verdict_t* verdict, char* text, size_t text_size) {
    // A verdict that was never written may hold any value.
    if ((verdict == nullptr) || (text == nullptr) || (verdict->path.count > PNL_MAX_PATH_STEPS)) {
        return 0U;
    }
    return format_path(pianola::c_api::twin(verdict)->path, pianola::Span<char>{text, text_size});
}

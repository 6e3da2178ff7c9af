// Read-only queries of a session; callbacks may call them too.
#include "runtime/c/session_at.h"

namespace pianola::c_api {

const Session* find(const pnl_session_t* session) noexcept {
    if ((session == nullptr) || (((session->private_mark ^ number_of(session)) | kBusy) != (kMark | kBusy))) {
        return nullptr;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return std::launder(reinterpret_cast<const Session*>(&session->private_words[0]));
}

}  // namespace pianola::c_api

using pianola::Session;
using pianola::c_api::c_twin;
namespace c_api = pianola::c_api;

bool pnl_session_is_loaded(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) && found->is_loaded();
}

bool pnl_session_has_views(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) && found->has_views();
}

bool pnl_session_is_verifying(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) && found->is_verifying();
}

uint32_t pnl_session_self_test_count(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->self_test_count() : 0U;
}

pnl_bytes_t pnl_session_self_tests(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    const pianola::ByteSpan vectors = (found != nullptr) ? found->self_tests() : pianola::ByteSpan{};
    return pnl_bytes_t{vectors.data(), vectors.size()};
}

uint32_t pnl_session_output_bytes(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->output_bytes() : 0U;
}

uint32_t pnl_session_scrub_calls(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->scrub_calls() : 0U;
}

const pnl_plan_t* pnl_session_plan(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return ((found != nullptr) && found->is_loaded()) ? c_twin<pnl_plan_t>(&found->plan()) : nullptr;
}

const pnl_fault_t* pnl_session_fault(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? c_twin<pnl_fault_t>(&found->fault()) : nullptr;
}

const pnl_fault_t* pnl_session_past_fault(const pnl_session_t* session, uint32_t index) {
    const Session* const found = c_api::find(session);
    return ((found != nullptr) && (index < pianola::kMaxFaultRecords)) ? c_twin<pnl_fault_t>(&found->past_fault(index))
                                                                       : nullptr;
}

uint32_t pnl_session_fault_count(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->fault_count() : 0U;
}

uint32_t pnl_session_steps_completed(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->steps_completed() : 0U;
}

/* A user of the C API: every constant and type is used as an application would. Compiled, not run. */
#include "pianola.h"

extern pnl_status_t pnl_header_use(pnl_session_t* session, const pnl_session_config_t* config);

static pnl_workspace_t workspace;
static pnl_validation_t validation;

pnl_status_t pnl_header_use(pnl_session_t* session, const pnl_session_config_t* config) {
    static const uint8_t file[64] = {0U};
    pnl_verdict_t verdict;
    pnl_status_t status = pnl_session_init(session, sizeof(*session), config);
    if (status == PNL_OK) {
        status = pnl_session_load(session, file, sizeof(file), &workspace, &verdict);
    }
    if ((status == PNL_REFUSED) && (verdict.rule != PNL_RULE_ACCEPTED)) {
        pnl_device_description_t description = {0};
        description.attestation = PNL_ATTESTATION_DIGEST;
        description.costs = PNL_COST_KIND_EXACT;
        status = pnl_validate(file, sizeof(file), &description, config->command_set, &config->settings.trust,
                              &validation, sizeof(validation), &verdict);
    }
    return status;
}

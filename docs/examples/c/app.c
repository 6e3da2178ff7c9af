/* See app.h. */
#include "app.h"

#include <string.h>

#include "Det.h"
#include "Pnl.h"

#define APP_MAX_INPUT_BYTES 4096U
#define APP_MAX_OUTPUT_BYTES 64U
#define APP_REPLAYS 2U
#define APP_MAX_TICKS 1000000UL /* no scenario takes as many */

#define APP_DONE 0
#define APP_WRONG_RESULT 1
#define APP_UNEXPECTED 2
#define APP_NO_SCENARIO 3

static const app_environment_t* app_environment;
static uint8_t app_input[APP_MAX_INPUT_BYTES];
static uint8_t app_output[APP_MAX_OUTPUT_BYTES];
static uint32_t app_sent;    /* inputs that the module has been given */
static uint32_t app_results; /* outputs that it has given */
static uint32_t app_wrong;
static uint32_t app_errors; /* that Det was told of, and the last one */
static uint8_t app_last_error;
static bool app_is_stuck;
static uint64_t app_clock_us; /* ahead of the machine's */

static void app_print_number(uint32_t number) {
    static const char digits[] = "0123456789";
    char text[11];
    size_t place = sizeof(text) - 1U;
    uint32_t rest = number;
    text[place] = '\0';
    do {
        place--;
        text[place] = digits[rest % 10U];
        rest /= 10U;
    } while (rest != 0U);
    app_environment->print(&text[place]);
}

static void app_print_report(const char* kind, uint8_t api, uint8_t error) {
    app_environment->print(kind);
    app_environment->print(": module 255, service ");
    app_print_number(api);
    app_environment->print(", error ");
    app_print_number(error);
    app_environment->print("\n");
    app_errors++;
    app_last_error = error;
}

Std_ReturnType Det_ReportError(uint16 ModuleId, uint8 InstanceId, uint8 ApiId, uint8 ErrorId) {
    (void)ModuleId;
    (void)InstanceId;
    app_print_report("Det error", ApiId, ErrorId);
    return E_OK;
}

Std_ReturnType Det_ReportRuntimeError(uint16 ModuleId, uint8 InstanceId, uint8 ApiId, uint8 ErrorId) {
    (void)ModuleId;
    (void)InstanceId;
    app_print_report("Det runtime error", ApiId, ErrorId);
    return E_OK;
}

/* ---- Platform ---- */

static uint64_t app_now_us(void* context) {
    (void)context;
    if (app_is_stuck) {
        app_clock_us += 1000000U; /* so that the scenario does not take as long as the deadline is */
    }
    return app_environment->now_us() + app_clock_us;
}

static void app_idle(void* context) {
    (void)context;
    app_environment->idle();
}

static void app_serve_watchdog(void* context) {
    (void)context; /* the ECU's watchdog is served here, and nowhere else */
}

/* An ECU keeps this counter in memory that survives power cycles and cannot be set back. */
static pnl_status_t app_lowest_version(void* context, uint32_t* version) {
    *version = *(const uint32_t*)context;
    return PNL_OK;
}

static pnl_status_t app_raise_version(void* context, uint32_t version) {
    *(uint32_t*)context = version;
    return PNL_OK;
}

static void app_enter_safe_state(void* context, const pnl_fault_t* fault) {
    (void)context;
    app_environment->print("safe state, fault in stage ");
    app_print_number(fault->stage);
    app_environment->print("\n");
}

static const pnl_platform_ops_t app_platform_ops = {
    sizeof(pnl_platform_ops_t), PNL_API_VERSION,    app_now_us,        app_idle,
    app_serve_watchdog,         app_lowest_version, app_raise_version, app_enter_safe_state};
static uint32_t app_security_version;

/* ---- Device: the machine's, except for one function ---- */

static pnl_status_t app_completion(void* context, uint32_t queue, uint32_t token, pnl_completion_t* completion) {
    return app_is_stuck ? PNL_PENDING : app_environment->device->completion(context, queue, token, completion);
}

static pnl_device_ops_t app_device_ops; /* constant, except for this one function */
static pnl_device_t app_device;
static pnl_platform_t app_platform;
static pnl_command_set_t app_command_set;
static pnl_verifier_t app_verifier;
static pnl_device_t* const app_devices[1] = {&app_device};
static pnl_session_config_t app_session; /* a constant where the binary's key is known when this is compiled */

/* ---- Sensor and actuator: the binary's own vectors, each an input and the output that it must give ---- */

static const uint8_t* app_vector(uint32_t number) {
    const pnl_bytes_t all = Pnl_GetSelfTests();
    const size_t vector_bytes = app_environment->input_bytes + app_environment->output_bytes;
    const size_t count = all.size / vector_bytes;
    return (count == 0U) ? NULL : &all.data[(number % count) * vector_bytes];
}

static uint32_t app_vector_count(void) {
    return (uint32_t)(Pnl_GetSelfTests().size / (app_environment->input_bytes + app_environment->output_bytes));
}

static boolean app_receive(uint8* Input, uint32 InputBytes) {
    const bool is_there = app_sent < (APP_REPLAYS * app_vector_count());
    if (is_there) {
        (void)memcpy(Input, app_vector(app_sent), InputBytes);
        app_sent++;
    }
    return is_there;
}

static void app_send(const uint8* Output, uint32 OutputBytes) {
    const uint8_t* const vector = app_vector(app_results);
    if (memcmp(Output, &vector[app_environment->input_bytes], OutputBytes) != 0) {
        app_wrong++;
    }
    app_results++;
}

/* ---- Scenarios ---- */

static Pnl_ConfigType app_config;

static pnl_status_t app_make_objects(void) {
    pnl_status_t status = pnl_platform_init(&app_platform, &app_platform_ops, &app_security_version);
    app_device_ops = *app_environment->device;
    app_device_ops.completion = app_completion;
    if (status == PNL_OK) {
        status = pnl_device_init(&app_device, &app_device_ops, app_environment->device_context);
    }
    if (status == PNL_OK) {
        status =
            pnl_command_set_init(&app_command_set, app_environment->command_set, app_environment->command_set_context);
    }
    if ((status == PNL_OK) && (app_environment->verifier != NULL)) {
        status = pnl_verifier_init(&app_verifier, app_environment->verifier, app_environment->verifier_context);
    }
    return status;
}

static void app_configure(const uint8_t* binary) {
    app_session.struct_size = (uint32_t)sizeof(app_session);
    app_session.version = PNL_API_VERSION;
    app_session.devices = app_devices;
    app_session.rows = 1U;
    app_session.columns = 1U;
    app_session.platform = &app_platform;
    app_session.command_set = &app_command_set;
    app_session.settings.trust.signatures = app_environment->signatures;
    app_session.settings.trust.keys = app_environment->key;
    app_session.settings.trust.key_count = 0U;
    if (app_environment->key != NULL) {
        app_session.settings.trust.key_count = 1U;
    }
    app_session.settings.trust.verifier = (app_environment->verifier != NULL) ? &app_verifier : NULL;
    app_session.settings.release = PNL_RELEASE_VERIFIED;
    app_session.settings.least_evidence = PNL_EVIDENCE_DIGEST;

    app_config.Session = &app_session;
    app_config.Binary = binary;
    app_config.BinaryBytes = (uint32_t)app_environment->binary_bytes;
    app_config.Input = app_input;
    app_config.InputBytes = (uint32_t)app_environment->input_bytes;
    app_config.Output = app_output;
    app_config.OutputBytes = (uint32_t)app_environment->output_bytes;
    app_config.Receive = app_receive;
    app_config.Send = app_send;
}

/* The operating system: one call of the main function per tick. */
static void app_tick_until(uint32_t results) {
    uint32_t ticks = 0U;
    while ((app_results < results) && (app_errors == 0U) && (ticks < APP_MAX_TICKS)) {
        Pnl_MainFunction();
        ticks++;
    }
}

static int app_replay(void) {
    int code = APP_UNEXPECTED;
    const uint32_t wanted = APP_REPLAYS * app_vector_count();
    app_tick_until(wanted);
    Pnl_DeInit();
    app_print_number(app_results);
    app_environment->print(" results, ");
    app_print_number(app_wrong);
    app_environment->print(" wrong\n");
    if ((wanted != 0U) && (app_results == wanted) && (app_errors == 0U)) {
        code = APP_DONE;
        if (app_wrong != 0U) {
            code = APP_WRONG_RESULT;
        }
    }
    return code;
}

static int app_corrupted(void) {
    const pnl_verdict_t* const verdict = Pnl_GetVerdict();
    app_environment->print("refused: ");
    app_environment->print(pnl_rule_id(verdict->rule));
    app_environment->print("\n");
    Pnl_MainFunction(); /* does nothing any more */
    return ((app_errors == 1U) && (app_last_error == PNL_E_INIT_FAILED) && (app_results == 0U)) ? APP_DONE
                                                                                                : APP_UNEXPECTED;
}

static int app_stuck(void) {
    uint32_t steps = 0U;
    pnl_status_t status = PNL_OK;
    const uint32_t expected_steps = app_vector_count() + 1U; /* those of the self-test, and one */
    app_tick_until(1U);                                      /* the first result comes */
    app_is_stuck = true;
    app_tick_until(2U);
    (void)Pnl_GetStatus(&status, &steps);
    return ((app_errors == 1U) && (app_last_error == PNL_E_TIMEOUT) && (app_results == 1U) &&
            (steps == expected_steps) && (status == PNL_TIMEOUT))
               ? APP_DONE
               : APP_UNEXPECTED;
}

static int app_misused(void) {
    Pnl_Init(&app_config); /* again */
    Pnl_GetVersionInfo(NULL);
    (void)Pnl_GetStatus(NULL, NULL);
    Pnl_MainFunction(); /* a step is under way from here on */
    Pnl_DeInit();
    return (app_errors == 4U) && (app_last_error == PNL_E_STATE) ? APP_DONE : APP_UNEXPECTED;
}

int app_run(const app_environment_t* environment, const char* scenario) {
    int code = APP_NO_SCENARIO;
    const uint8_t* binary = environment->binary;
    app_environment = environment;
    if ((environment->input_bytes <= sizeof(app_input)) && (environment->output_bytes <= sizeof(app_output)) &&
        (app_make_objects() == PNL_OK)) {
        if ((strcmp(scenario, "corrupted") == 0) && (environment->spare.size >= environment->binary_bytes)) {
            (void)memcpy(environment->spare.data, binary, environment->binary_bytes);
            environment->spare.data[environment->binary_bytes / 2U] ^= 1U;
            binary = environment->spare.data;
        }
        app_configure(binary);
        Pnl_Init(&app_config);
        if (strcmp(scenario, "replay") == 0) {
            code = app_replay();
        } else if (strcmp(scenario, "corrupted") == 0) {
            code = app_corrupted();
        } else if (strcmp(scenario, "stuck") == 0) {
            code = app_stuck();
        } else if (strcmp(scenario, "misused") == 0) {
            code = app_misused();
        } else {
            /* there is no such scenario */
        }
    }
    return code;
}

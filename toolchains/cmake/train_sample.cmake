# Trains the project's own sample, unless an earlier build has: cmake -DTRAINER=<pianola-sample> -DMODEL=<.tflite> -P
# train_sample.cmake A script, because every build would otherwise do it once: a build tool trusts no output that it has
# not made itself.
get_filename_component(folder "${MODEL}" DIRECTORY)
file(MAKE_DIRECTORY "${folder}")
file(LOCK "${folder}.lock" TIMEOUT 600)
if("${TRAINER}" IS_NEWER_THAN "${MODEL}")
    execute_process(COMMAND "${TRAINER}" --out "${folder}" COMMAND_ERROR_IS_FATAL ANY)
endif()

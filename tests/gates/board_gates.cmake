# Gates of a board's build: what only its own targets and link edges can show. The host's build has all others, and the
# proofs.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME ${PIANOLA_BOARD}.layering CONFIGURATIONS Release
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/layering_gate.py"
            "${PROJECT_SOURCE_DIR}" --links "${PROJECT_BINARY_DIR}/target_links.txt")
set_tests_properties(${PIANOLA_BOARD}.layering PROPERTIES LABELS "baremetal;gate" TIMEOUT 300)

# What images link of components of others, against tests/baremetal/measured/linked_symbols.csv. Both configurations
# must be built; of a build in which each device core is a device, Release.
set(pianola_images_of ${PIANOLA_BOARD})
set(pianola_gate_label baremetal)
if(PIANOLA_DEVICE_PER_CORE)
    set(pianola_images_of ${PIANOLA_BOARD}_mesh)
    set(pianola_gate_label mesh)
endif()
add_test(NAME ${pianola_images_of}.components CONFIGURATIONS Release
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/docs/safety/tools/linked_symbols.py"
            --board ${pianola_images_of} --build "${PROJECT_BINARY_DIR}")
set_tests_properties(${pianola_images_of}.components PROPERTIES LABELS "${pianola_gate_label};gate" TIMEOUT 300)

# Gates of a board's build: what only its own targets and link edges can show. The host's build has all others, and the
# proofs.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME ${PIANOLA_BOARD}.layering CONFIGURATIONS Release
    COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_LIST_DIR}/layering_gate.py"
            "${PROJECT_SOURCE_DIR}" --links "${PROJECT_BINARY_DIR}/target_links.txt")
set_tests_properties(${PIANOLA_BOARD}.layering PROPERTIES LABELS "baremetal;gate" TIMEOUT 300)

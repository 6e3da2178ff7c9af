# pianola_add_baremetal_test(<name> SCRIPT file.py [IMAGE target] [TIMEOUT seconds] [LABELS label...] [WHERE_OFFERED]
#                            [ARGS argument...]):
# the test <board>.<name>, on pianola_baremetal unless IMAGE names another. WHERE_OFFERED: of boards only whose
# board.json names it among its tests. The script is told the board, the image and where host tools, models and a work
# folder are; see baremetal_support.py.
pianola_board_fact(pianola_offered_tests ${PIANOLA_BOARD} tests "")
function(pianola_add_baremetal_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "WHERE_OFFERED" "SCRIPT;IMAGE;TIMEOUT" "LABELS;ARGS")
    if(arg_WHERE_OFFERED AND NOT name IN_LIST pianola_offered_tests)
        return()
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    if(NOT arg_IMAGE)
        set(arg_IMAGE pianola_baremetal)
    endif()
    add_test(NAME ${PIANOLA_BOARD}.${name} CONFIGURATIONS Release
        COMMAND "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${arg_SCRIPT}"
                --board ${PIANOLA_BOARD} --image "$<TARGET_FILE:${arg_IMAGE}>"
                --pianola "$<TARGET_FILE:pianola>" --sample "${PROJECT_SOURCE_DIR}/build/sample"
                --models "${PROJECT_SOURCE_DIR}/../shared/models" --work "${PROJECT_BINARY_DIR}/work"
                ${arg_ARGS})
    set_tests_properties(${PIANOLA_BOARD}.${name} PROPERTIES LABELS "baremetal;${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
        SKIP_RETURN_CODE 77
        ENVIRONMENT_MODIFICATION "PYTHONPATH=path_list_prepend:${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tools")
endfunction()

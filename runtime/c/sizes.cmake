# Writes pianola_sizes.h: cmake -DNM=<nm> -DOBJECT=<sizes.cpp's object> -DHEADER=<to write> -P sizes.cmake. The target's
# own nm reads its objects, and nothing is run on the target.
execute_process(COMMAND "${NM}" -P "${OBJECT}" OUTPUT_VARIABLE symbols RESULT_VARIABLE code)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "${NM} can not read ${OBJECT}")
endif()
set(text "/* Sizes of the C API's objects, of this target and profile; measured by the build, do not edit. */\n")
string(APPEND text "#ifndef PIANOLA_SIZES_H\n#define PIANOLA_SIZES_H\n\n")
set(what_PROFILE "number of the capacity profile: 1 small_ecu, 2 default, 3 host")
set(what_MESH_DEVICES "that one session drives")
set(what_FAULT_RECORDS "that a session keeps")
set(what_STEPS_IN_FLIGHT "at most")
foreach(pair IN ITEMS SESSION_WORDS:SessionWords WORKSPACE_WORDS:WorkspaceWords VALIDATION_WORDS:ValidationWords
        DEVICE_WORDS:DeviceWords PLATFORM_WORDS:PlatformWords COMMAND_SET_WORDS:CommandSetWords
        VERIFIER_WORDS:VerifierWords DIGEST_ENGINE_WORDS:DigestEngineWords MESH_DEVICES:MeshDevices
        FAULT_RECORDS:FaultRecords STEPS_IN_FLIGHT:StepsInFlight PROFILE:Profile)
    string(REGEX REPLACE ":.*" "" name "${pair}")
    string(REGEX REPLACE ".*:" "" symbol "${pair}")
    # "name type value size", numbers in hexadecimal.
    if(NOT "\n${symbols}" MATCHES "\nkPnl${symbol} [A-Za-z] [0-9a-f]+ ([0-9a-f]+)")
        message(FATAL_ERROR "${OBJECT} has no kPnl${symbol}")
    endif()
    math(EXPR number "0x${CMAKE_MATCH_1}")
    string(APPEND text "#define PNL_${name} ${number}U")
    if(DEFINED what_${name})
        string(APPEND text " /* ${what_${name}} */")
    elseif(name MATCHES "_WORDS$")
        math(EXPR bytes "${number} * 8")
        string(APPEND text " /* of 64 bits: ${bytes} bytes */")
    endif()
    string(APPEND text "\n")
endforeach()
string(APPEND text "\n#endif\n")
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "${text}" @ONLY)  # leaves a header that is as it must be alone
file(TOUCH_NOCREATE "${HEADER}")

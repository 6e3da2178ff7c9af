# pianola_add_benchmark_image(<target> <name> <model file> <option of capture>...): the image of
# docs/examples/board/benchmark.cpp with a model of the benchmark, under the benchmark's name for it.
function(pianola_add_benchmark_image target name model)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/benchmark/${target})
    set(made ${folder}/own_model)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
        OUTPUT ${made}.ptb ${made}.S ${made}.h ${made}_manifest.h
        COMMAND ${host_pianola} capture ${model} -o ${made}.ptb --device ${board_device} --setup-deadline-us 60000000
                ${ARGN}
        COMMAND ${host_pianola} embed ${made}.ptb -o ${made}.S --header ${made}.h
        COMMAND ${host_pianola} size ${made}.ptb --device ${board_device} --header -o ${made}_manifest.h
        DEPENDS pianola_host_tools ${host_pianola} ${model} ${board_device}
        COMMENT "capture ${target}" VERBATIM)
    set(application ${PROJECT_SOURCE_DIR}/docs/examples/board)
    pianola_add_board_application(${target}
        SOURCES ${application}/benchmark.cpp ${application}/benchmark_protocol.cpp ${application}/benchmark_real.cpp
                ${made}.S
        DEFINITIONS PIANOLA_BENCHMARK_MODEL="${name}")
    set_source_files_properties(${made}.S PROPERTIES COMPILE_OPTIONS -I${folder})
    target_include_directories(${target} SYSTEM PRIVATE ${folder})
endfunction()

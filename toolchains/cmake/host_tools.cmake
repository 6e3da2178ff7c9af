# cmake -DSOURCE=<source tree> -DTOOLS=<target;...> -P host_tools.cmake
#
# Brings programs of the host build (preset release, build/release) up to date for a board's build. Configures only
# where nobody did, and builds only what changed. Two boards may be built at the same time, and ninja does not expect
# company: one at a time.
cmake_minimum_required(VERSION 3.25)
set(build ${SOURCE}/build/release)
file(MAKE_DIRECTORY ${SOURCE}/build)
file(LOCK ${SOURCE}/build/host_tools.lock GUARD PROCESS)
if(NOT EXISTS ${build}/build.ninja)
    execute_process(COMMAND ${CMAKE_COMMAND} --preset release WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${build} --target ${TOOLS} COMMAND_ERROR_IS_FATAL ANY)

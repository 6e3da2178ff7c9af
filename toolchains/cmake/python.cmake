# Finds the Python interpreter that the build and the tests run and that the Python package is built for: the first one
# in the PATH that has NumPy. A version manager's interpreter may come before the distribution's and lack it. Where none
# has it, FindPython3 takes the first of all. -D Python3_EXECUTABLE=... chooses another.

# find_program's validator: false where the interpreter at `candidate` cannot import NumPy.
function(pianola_has_numpy result candidate)
    execute_process(COMMAND "${candidate}" -c "import numpy" RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(NOT code EQUAL 0)
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()

find_program(Python3_EXECUTABLE NAMES python3 VALIDATOR pianola_has_numpy
    DOC "Python interpreter to build for and to test with")
if(NOT Python3_EXECUTABLE)
    message(STATUS "No Python interpreter with NumPy: tests that compute with it will fail")
    unset(Python3_EXECUTABLE CACHE)
endif()

# The Python package is built where its packages are installed, unless PIANOLA_PYTHON says ON or OFF.
if(PIANOLA_PYTHON STREQUAL "AUTO")
    set(PIANOLA_PYTHON OFF)
    if(Python3_EXECUTABLE)
        find_package(Python3 QUIET COMPONENTS Interpreter Development.Module)
        find_package(pybind11 QUIET)
        if(Python3_Development.Module_FOUND AND pybind11_FOUND)
            set(PIANOLA_PYTHON ON)
        endif()
    endif()
    if(NOT PIANOLA_PYTHON)
        message(STATUS "Python: python3-dev, python3-numpy or pybind11-dev is missing; the Python package is not built")
    endif()
endif()

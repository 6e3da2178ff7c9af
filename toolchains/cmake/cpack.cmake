# Packages by CPack: Debian's (`cpack` in a build folder of the host side, or the target package) and the source package
# (package_source), which has what is generated from the schema with it. toolchains/package_smoke.sh tries them in a
# clean Debian.
set(CPACK_PACKAGE_NAME pianola)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "Pianola's developers <developers@pianola.invalid>")
set(CPACK_PACKAGE_VENDOR "Pianola")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
# CPack's own default. Any other summary would stand in front of every component's description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_NAME} built using CMake")
set(CPACK_PIANOLA_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_PIANOLA_BUILD "${PROJECT_BINARY_DIR}")
set(CPACK_PIANOLA_FLATBUFFERS "${FLATBUFFERS_INCLUDE_DIR}")

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "pianola-${PROJECT_VERSION}")
set(CPACK_SOURCE_INSTALLED_DIRECTORIES "${PROJECT_BINARY_DIR}/source_package;/")
set(CPACK_SOURCE_IGNORE_FILES "")
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/source_package.cmake")

# The components: what a program needs to run, to be built; the command line; the Python package.
set(CPACK_GENERATOR TGZ)
set(CPACK_COMPONENTS_ALL dev)
if(PIANOLA_HOST)
    list(APPEND CPACK_COMPONENTS_ALL tools)
endif()
if(TARGET pianola_measure)
    list(APPEND CPACK_COMPONENTS_ALL measure)
endif()
if(PIANOLA_PYTHON)
    list(APPEND CPACK_COMPONENTS_ALL python)
endif()
# A build with a shared library, of component runtime, says so by these global properties: pianola_has_shared_library,
# and pianola_shared_package, the name of its Debian package.
get_property(pianola_has_shared GLOBAL PROPERTY pianola_has_shared_library)
if(pianola_has_shared)
    list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()

if(PIANOLA_HOST)
    set(CPACK_GENERATOR DEB)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
    set(CPACK_STRIP_FILES ON)
    set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
        OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
    set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
    set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian_files.cmake")

    # CPack indents the lines of descriptions.
    set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME pianola)
    set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
    set(CPACK_DEBIAN_TOOLS_DESCRIPTION "capture-and-replay tools for accelerators
Captures a static workload for an accelerator into a verified trace binary,
judges such binaries, shows what they do, and replays them on a simulated
device.")

    set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpianola-dev)
    set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
    set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
    set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libfmt-dev, libbearssl-dev, libssl-dev")
    if(PIANOLA_HAS_VULKAN)
        string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libvulkan-dev")
    endif()
    set(CPACK_DEBIAN_DEV_DESCRIPTION "capture-and-replay runtime for accelerators (development files)
Static libraries, headers and files for CMake and pkg-config: the runtime that
proves and replays trace binaries without a heap or exceptions, the simulated
device, the conformance kit for ports, and the host API for captures.")

    set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-pianola)
    set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
    find_package(Python3 QUIET COMPONENTS Interpreter)
    if(Python3_VERSION MATCHES "^([0-9]+)\\.([0-9]+)")
        math(EXPR next "${CMAKE_MATCH_2} + 1")
        set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
            "python3 (>= ${CMAKE_MATCH_1}.${CMAKE_MATCH_2}), python3 (<< ${CMAKE_MATCH_1}.${next})")
    endif()
    set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
    set(CPACK_DEBIAN_PYTHON_DESCRIPTION "capture-and-replay for accelerators (Python package)
The host API for Python: devices, tensors and operations on them, traces,
captures, pipelines, and replay of trace binaries.")

    # A shared library is a package of its own, whose name has the version of its interface.
    get_property(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME GLOBAL PROPERTY pianola_shared_package)
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
    # CPack's own scripts call ldconfig, which Debian wants to be asked for by a trigger.
    set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/triggers")
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
    set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
    set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "capture-and-replay for accelerators (shared library)
Judges and shows trace binaries, for programs in C and other languages.")
    if(pianola_has_shared)
        string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
            ", ${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME} (= ${PROJECT_VERSION})")
    endif()
endif()
include(CPack)

# What a source package needs to have been made. cmake --build asks for it; CPack cannot.
if(TARGET schemac)
    add_custom_target(pianola_generated DEPENDS pianola_runtime)
endif()

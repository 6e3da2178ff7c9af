# FlatBuffers as every target uses it: one configuration, because its inline functions and its Verifier's layout depend
# on these definitions and must not differ inside a program.
# The schema's tables and headers are made by flatc and schemac. A source package has them already, for builds that have
# neither flatc nor fmt, or whose compiler makes programs that do not run here.
set(PIANOLA_GENERATED_DIR "" CACHE PATH
  "Folder with what is generated from the schema; empty to make it, or for schema/generated where that cannot be")
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h PATHS /usr/include /usr/local/include REQUIRED)
find_program(FLATC flatc)
set(pianola_generated_dir "${PIANOLA_GENERATED_DIR}")
if(PIANOLA_HOST OR pianola_host_programs)
  if(NOT FLATC)
    message(FATAL_ERROR "The host side needs flatc (flatbuffers-compiler). PIANOLA_HOST=OFF builds without it.")
  endif()
elseif(NOT pianola_generated_dir)
  find_package(fmt QUIET)  # of the schema compiler
  if(NOT FLATC OR NOT fmt_FOUND OR CMAKE_CROSSCOMPILING)
    set(pianola_generated_dir "${PROJECT_SOURCE_DIR}/schema/generated")
  endif()
endif()
set(pianola_makes_schema ON)
if(pianola_generated_dir)
  set(pianola_makes_schema OFF)
endif()

# A folder with nothing in it but FlatBuffers: a cross compiler that was shown all of /usr/include would take the host's
# C library for its own.
set(pianola_flatbuffers_alone ${PROJECT_BINARY_DIR}/flatbuffers_include)
file(MAKE_DIRECTORY ${pianola_flatbuffers_alone})
file(CREATE_LINK ${FLATBUFFERS_INCLUDE_DIR}/flatbuffers ${pianola_flatbuffers_alone}/flatbuffers SYMBOLIC)

add_library(pianola_flatbuffers INTERFACE)
if(PIANOLA_BOARD OR CMAKE_CROSSCOMPILING)
  target_include_directories(pianola_flatbuffers SYSTEM INTERFACE ${pianola_flatbuffers_alone})
else()
  target_include_directories(pianola_flatbuffers SYSTEM INTERFACE ${FLATBUFFERS_INCLUDE_DIR})
endif()
target_include_directories(pianola_flatbuffers INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(pianola_flatbuffers INTERFACE
  FLATBUFFERS_ASSERT=pianola_flatbuffers_assert
  "FLATBUFFERS_ASSERT_INCLUDE=\"runtime/image/flatbuffers_assert.h\""
  FLATBUFFERS_TRACK_VERIFIER_BUFFER_SIZE)

# pianola_take_generated(OUT_DIR): copies what a source package has to OUT_DIR. Its stamp has to agree: with every file
# of the schema and of the schema compiler, with what was generated, and with FlatBuffers' headers.
function(pianola_take_generated out_dir)
  set(stamp "${pianola_generated_dir}/stamp.txt")
  set(remedy "Install flatc and fmt and build for this machine, or take a source package: docs/guide/packages.md")
  if(NOT EXISTS "${stamp}")
    message(FATAL_ERROR "No ${stamp}, and flatc or fmt is missing, or the compiler is a cross compiler. ${remedy}")
  endif()
  include("${PROJECT_SOURCE_DIR}/toolchains/cmake/generated_stamp.cmake")
  pianola_generated_stamp(wanted "${PROJECT_SOURCE_DIR}" "${pianola_generated_dir}" "${FLATBUFFERS_INCLUDE_DIR}")
  file(READ "${stamp}" found)
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "${stamp} does not agree with the schema, the files beside it, or FlatBuffers in "
      "${FLATBUFFERS_INCLUDE_DIR}. ${remedy}\n--- of the package\n${found}--- here\n${wanted}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${stamp}")
  pianola_generated_files(files "${PROJECT_SOURCE_DIR}")
  foreach(file IN LISTS files)
    configure_file("${pianola_generated_dir}/${file}" "${out_dir}/${file}" COPYONLY)
  endforeach()
endfunction()

# pianola_compile_schema(ROOT_FBS OUT_DIR DECLARING_HEADER): makes, in OUT_DIR, flatc's headers for all files of the
# schema, and schemac's schema.txt, pianola_schema_hash.h and schema_rules_generated.cpp, whose constant
# DECLARING_HEADER declares.
function(pianola_compile_schema root_fbs out_dir declaring_header)
  if(NOT pianola_makes_schema)
    pianola_take_generated(${out_dir})
    return()
  endif()
  get_filename_component(folder ${root_fbs} DIRECTORY)
  get_filename_component(name ${root_fbs} NAME_WE)
  file(GLOB fbs_files CONFIGURE_DEPENDS ${folder}/*.fbs)
  set(headers)
  foreach(fbs ${fbs_files})
    get_filename_component(stem ${fbs} NAME_WE)
    list(APPEND headers ${out_dir}/${stem}_generated.h)
  endforeach()
  file(MAKE_DIRECTORY ${out_dir})
  add_custom_command(
    OUTPUT ${headers} ${out_dir}/${name}.bfbs
    COMMAND ${FLATC} --cpp --scoped-enums -o ${out_dir} ${fbs_files}
    # Without --bfbs-builtins, attributes such as nested_flatbuffer are left out, and schemac could not refuse them.
    COMMAND ${FLATC} --binary --schema --bfbs-builtins -o ${out_dir} ${root_fbs}
    DEPENDS ${fbs_files}
    COMMENT "flatc ${name}")
  add_custom_command(
    OUTPUT ${out_dir}/schema.txt ${out_dir}/pianola_schema_hash.h ${out_dir}/schema_rules_generated.cpp
    COMMAND schemac ${out_dir}/${name}.bfbs ${declaring_header} ${out_dir}
    DEPENDS schemac ${out_dir}/${name}.bfbs
    COMMENT "schemac ${name}")
endfunction()

# pianola_compile_fbs(FBS OUT_DIR): makes OUT_DIR/<name>_generated.h with flatc alone, for formats that are not our own.
function(pianola_compile_fbs fbs out_dir)
  get_filename_component(name ${fbs} NAME_WE)
  file(MAKE_DIRECTORY ${out_dir})
  add_custom_command(
    OUTPUT ${out_dir}/${name}_generated.h
    COMMAND ${FLATC} --cpp -o ${out_dir} ${fbs}
    DEPENDS ${fbs}
    COMMENT "flatc ${name}")
endfunction()

# FlatBuffers as every target uses it: one configuration, because its inline functions and its Verifier's layout depend
# on these definitions and must not differ inside a program.
find_program(FLATC flatc REQUIRED)
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h PATHS /usr/include /usr/local/include REQUIRED)

# A folder with nothing in it but FlatBuffers: a cross compiler that was shown all of /usr/include would take the host's
# C library for its own.
set(pianola_flatbuffers_alone ${PROJECT_BINARY_DIR}/flatbuffers_include)
file(MAKE_DIRECTORY ${pianola_flatbuffers_alone})
file(CREATE_LINK ${FLATBUFFERS_INCLUDE_DIR}/flatbuffers ${pianola_flatbuffers_alone}/flatbuffers SYMBOLIC)

add_library(pianola_flatbuffers INTERFACE)
if(PIANOLA_BOARD)
  target_include_directories(pianola_flatbuffers SYSTEM INTERFACE ${pianola_flatbuffers_alone})
else()
  target_include_directories(pianola_flatbuffers SYSTEM INTERFACE ${FLATBUFFERS_INCLUDE_DIR})
endif()
target_include_directories(pianola_flatbuffers INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(pianola_flatbuffers INTERFACE
  FLATBUFFERS_ASSERT=pianola_flatbuffers_assert
  "FLATBUFFERS_ASSERT_INCLUDE=\"runtime/image/flatbuffers_assert.h\""
  FLATBUFFERS_TRACK_VERIFIER_BUFFER_SIZE)

# pianola_compile_schema(ROOT_FBS OUT_DIR DECLARING_HEADER): makes, in OUT_DIR, flatc's headers for all files of the
# schema, and schemac's schema.txt, pianola_schema_hash.h and schema_rules_generated.cpp, whose constant
# DECLARING_HEADER declares.
function(pianola_compile_schema root_fbs out_dir declaring_header)
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

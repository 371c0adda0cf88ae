# fuzz/<folder>/fuzz_<target>.c is one entry function (fuzz/fuzz.h); beside it <target>/ holds its
# inputs, seeds and findings, and <target>.dict, where there is one, words that its format is made of.
# FOLDERS are the libraries of src/ that it links besides as_<folder>.
#
# A common build makes of it a program that runs the inputs once, ctest's fuzz/<folder>/<target>.
# A build with ASSAY_FUZZ makes the fuzzer bin/fuzz_<folder>_<target>, which tools/fuzz runs.
function(assay_fuzz folder target)
  cmake_parse_arguments(F "" "" "FOLDERS;LIBRARIES" ${ARGN})
  if(ASSAY_FUZZ)
    set(program fuzz_${folder}_${target})
    add_executable(${program} fuzz_${target}.c)
    target_compile_options(${program} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${program})
  else()
    set(program replay_${folder}_${target})
    add_executable(${program} fuzz_${target}.c ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
    add_test(NAME fuzz/${folder}/${target} COMMAND ${program} ${CMAKE_CURRENT_SOURCE_DIR}/${target})
  endif()
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/fuzz)
  target_link_libraries(${program} PRIVATE as_base as_${folder} m ${F_LIBRARIES})
  foreach(used IN LISTS F_FOLDERS)
    target_link_libraries(${program} PRIVATE as_${used})
  endforeach()
  target_compile_options(${program} PRIVATE ${ASSAY_WARNINGS})
endfunction()

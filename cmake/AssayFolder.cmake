# One folder of src/ is one static library as_<name>; USES lists the folders that it may include
# (the arrows of docs/architecture.md), LIBRARIES what it needs from outside.
function(assay_folder name)
  cmake_parse_arguments(F "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(as_${name} STATIC ${F_SOURCES})
  target_include_directories(as_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  foreach(used IN LISTS F_USES)
    target_link_libraries(as_${name} PUBLIC as_${used})
  endforeach()
  target_link_libraries(as_${name} PUBLIC ${F_LIBRARIES})
  target_compile_options(as_${name} PRIVATE ${ASSAY_WARNINGS})
  if(ASSAY_FUZZ) # branches of readers and planners lead a fuzzer on, those of kernels do not
    target_compile_options(as_${name} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# tests/<folder>/test_<file>.c -> ctest's <folder>/<file>; FOLDERS are the libraries it links.
# The test runs in tests/, so that cases are found as cases/<name>.
function(assay_test folder file)
  cmake_parse_arguments(T "" "" "FOLDERS;LIBRARIES;ARGUMENTS" ${ARGN})
  set(target test_${folder}_${file})
  add_executable(${target} test_${file}.c)
  target_link_libraries(${target} PRIVATE as_${folder} PkgConfig::CMOCKA m ${T_LIBRARIES})
  foreach(used IN LISTS T_FOLDERS)
    target_link_libraries(${target} PRIVATE as_${used})
  endforeach()
  target_compile_options(${target} PRIVATE ${ASSAY_WARNINGS})
  add_test(NAME ${folder}/${file} COMMAND ${target} ${T_ARGUMENTS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests)
endfunction()

# Files written over simd/f32.h are compiled once for each ISA of the architecture and the objects
# added to `target`: with that ISA's flags, -DISA=avx2, -DISA_AVX2 and -DISA_ID=AS_ISA_AVX2.  They and
# the target's own files see AS_BUILT_ISAS, which is AS_BUILT(avx2, AVX2) for each of them, as base does.
set(ASSAY_ISAS_x86_64 scalar avx2 avx512)
set(ASSAY_ISAS_aarch64 scalar neon)
if(ASSAY_FUZZ) # clang needs minutes for one such file under sanitizers
  list(REMOVE_ITEM ASSAY_ISAS_x86_64 avx512)
endif()
set(ASSAY_ISA_FLAGS_scalar)
set(ASSAY_ISA_FLAGS_avx2 -mavx2 -mfma)
set(ASSAY_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
set(ASSAY_ISA_FLAGS_neon) # part of every AArch64
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  # gcc 12 orders instructions before it assigns registers, and then moves accumulators of tile.c to
  # the stack and back: 72 moves in the file, none without.
  list(APPEND ASSAY_ISA_FLAGS_neon -fno-schedule-insns)
endif()

function(assay_names_isas target)
  foreach(isa IN LISTS ASSAY_ISAS_${ASSAY_ARCHITECTURE})
    string(TOUPPER ${isa} isa_macro)
    string(APPEND built "AS_BUILT(${isa}, ${isa_macro}) ")
  endforeach()
  target_compile_definitions(${target} PRIVATE "AS_BUILT_ISAS=${built}")
endfunction()

function(assay_isa_sources target)
  set(isas ${ASSAY_ISAS_${ASSAY_ARCHITECTURE}})
  assay_names_isas(${target})
  foreach(isa IN LISTS isas)
    set(objects ${target}_${isa})
    string(TOUPPER ${isa} isa_macro)
    add_library(${objects} OBJECT ${ARGN})
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(${objects} PRIVATE ISA=${isa} ISA_${isa_macro} ISA_ID=AS_ISA_${isa_macro})
    assay_names_isas(${objects})
    target_compile_options(${objects} PRIVATE ${ASSAY_WARNINGS} ${ASSAY_ISA_FLAGS_${isa}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

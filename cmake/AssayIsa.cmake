# Files written over simd/f32.h are compiled once for each ISA and the objects added to `target`:
# with that ISA's flags, -DISA=avx2 and -DISA_AVX2.
set(ASSAY_ISAS scalar avx2 avx512)
set(ASSAY_ISA_FLAGS_scalar)
set(ASSAY_ISA_FLAGS_avx2 -mavx2 -mfma)
set(ASSAY_ISA_FLAGS_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)

function(assay_isa_sources target)
  foreach(isa IN LISTS ASSAY_ISAS)
    set(objects ${target}_${isa})
    string(TOUPPER ${isa} isa_macro)
    add_library(${objects} OBJECT ${ARGN})
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(${objects} PRIVATE ISA=${isa} ISA_${isa_macro})
    target_compile_options(${objects} PRIVATE ${ASSAY_WARNINGS} ${ASSAY_ISA_FLAGS_${isa}})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

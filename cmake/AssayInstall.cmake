# What `make install` lays out below the prefix: the programs with their manual page, adapters and
# bundled data, libassay with its headers and what pkg-config says of it.
include(GNUInstallDirs)

set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ASSAY_PREFIX_FROM_PC /${pc_folder} /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/assay.pc.in ${PROJECT_BINARY_DIR}/assay.pc @ONLY)

if(TARGET assay-search-mpi)
  set(mpi_target assay-search-mpi)
  set(mpi_program $<TARGET_FILE:assay-search-mpi>)
endif()
set(manual ${PROJECT_BINARY_DIR}/assay.1)
add_custom_command(OUTPUT ${manual}
  COMMAND ${PROJECT_SOURCE_DIR}/tools/manual $<TARGET_FILE:assay> ${manual} ${mpi_program}
  DEPENDS assay ${mpi_target} ${PROJECT_SOURCE_DIR}/tools/manual VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual})

# What plain `make` builds.
add_custom_target(programs ALL DEPENDS assay ${mpi_target})
if(NOT mpi_target)
  add_custom_command(TARGET programs POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND} -E echo
    "Without assay-search-mpi: there is no MPI here (Debian: libopenmpi-dev and openmpi-bin)")
endif()

install(TARGETS assay_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS assay ${mpi_target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/assay.pc DESTINATION ${pc_folder})
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/adapters DESTINATION ${CMAKE_INSTALL_DATADIR}/assay
  FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/data/digits.json ${PROJECT_SOURCE_DIR}/data/digits.csv
  ${PROJECT_SOURCE_DIR}/data/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/data)

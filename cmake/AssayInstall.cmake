# What `make install` lays out below the prefix: the program with its manual page, adapters and
# bundled data, libassay
# with its headers and what pkg-config says of it.
include(GNUInstallDirs)

set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ASSAY_PREFIX_FROM_PC /${pc_folder} /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/assay.pc.in ${PROJECT_BINARY_DIR}/assay.pc @ONLY)

set(manual ${PROJECT_BINARY_DIR}/assay.1)
add_custom_command(OUTPUT ${manual}
  COMMAND ${PROJECT_SOURCE_DIR}/tools/manual $<TARGET_FILE:assay> ${manual}
  DEPENDS assay ${PROJECT_SOURCE_DIR}/tools/manual VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual})

install(TARGETS assay_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/assay.pc DESTINATION ${pc_folder})
install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/adapters DESTINATION ${CMAKE_INSTALL_DATADIR}/assay
  FILES_MATCHING PATTERN "*.py")
install(FILES ${PROJECT_SOURCE_DIR}/data/digits.json ${PROJECT_SOURCE_DIR}/data/digits.csv
  ${PROJECT_SOURCE_DIR}/data/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/data)

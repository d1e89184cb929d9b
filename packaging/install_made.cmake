# Run at installation: what is made with the program and the prefix. `program`, `version`, `from` (this
# folder), `made` (where to make it) and `man` are set by CMakeLists.txt.
configure_file(${from}/tacho.service.in ${made}/tacho.service @ONLY)
file(INSTALL ${made}/tacho.service DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)

execute_process(COMMAND ${from}/man.sh ${program} ${version}
  COMMAND gzip -9n OUTPUT_FILE ${made}/tacho.1.gz COMMAND_ERROR_IS_FATAL ANY)
file(INSTALL ${made}/tacho.1.gz DESTINATION ${CMAKE_INSTALL_PREFIX}/${man})

# Only the system's own place: /etc is the system's, and what an administrator wrote there stays.
set(config /etc/tacho/tacho.toml)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND NOT EXISTS $ENV{DESTDIR}${config})
  execute_process(COMMAND ${program} doctor --config
    OUTPUT_FILE ${made}/tacho.toml COMMAND_ERROR_IS_FATAL ANY)
  file(INSTALL ${made}/tacho.toml DESTINATION /etc/tacho)
endif()

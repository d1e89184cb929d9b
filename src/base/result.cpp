#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace tacho {

Errc errc_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return Errc::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
      return Errc::no_permission;
    case EOPNOTSUPP:
    case ENOSYS:
    case EPROTONOSUPPORT:
    case EAFNOSUPPORT:
      return Errc::not_supported;
    case ETIMEDOUT:
      return Errc::timed_out;
    case ESRCH:
    case ENODEV:
    case ENXIO:
    case ESTALE:
      return Errc::gone;
    case ENOSPC:
    case EDQUOT:
      return Errc::no_space;
    case EBUSY:
    case EAGAIN:
    case EADDRINUSE:
      return Errc::busy;
    case EINVAL:
      return Errc::invalid;
    default:
      return Errc::io;
  }
}

tl::unexpected<Error> fail_errno(int error_number, std::string_view what) {
  return tl::unexpected<Error>(
      Error{errc_of(error_number), fmt::format("{}: {}", what, std::strerror(error_number))});
}

}  // namespace tacho

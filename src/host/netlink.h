// One question to the kernel over netlink(7), and its answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct mnl_socket;
struct nlmsghdr;

namespace tacho {

/// Not thread-safe; every thread opens its own. Waits at most two seconds for a message.
class NetlinkSocket {
 public:
  /// `bus`: NETLINK_SOCK_DIAG, NETLINK_GENERIC … Fails with not_supported where the kernel (or a
  /// sandbox) has none.
  [[nodiscard]] static Result<NetlinkSocket> open(int bus);

  /// Sends `request` (its sequence number is set here) and hands each message of the answer, header
  /// included, to `take`. An answer ends with NLMSG_DONE, with an error or, where the request is no
  /// dump, with its first message. The error of the kernel is the error of this call.
  [[nodiscard]] Result<void> ask(nlmsghdr* request,
                                 const std::function<void(std::string_view message)>& take);

 private:
  struct Close {
    void operator()(mnl_socket* socket) const;
  };
  std::unique_ptr<mnl_socket, Close> socket_;
  std::string buffer_;
  uint32_t sequence_ = 0;
};

}  // namespace tacho

#include "host/netlink.h"

#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>

namespace tacho {
namespace {

/// The kernel fills at most 32 KiB of a dump into one message (net/netlink/af_netlink.c).
constexpr size_t kReceive = 64 * 1024;

}  // namespace

void NetlinkSocket::Close::operator()(mnl_socket* socket) const {
  mnl_socket_close(socket);
}

Result<NetlinkSocket> NetlinkSocket::open(int bus) {
  NetlinkSocket made;
  made.socket_.reset(mnl_socket_open2(bus, SOCK_CLOEXEC));
  if (!made.socket_) {
    bool none = errno == EPROTONOSUPPORT || errno == EAFNOSUPPORT;
    return fail_errno(none ? EOPNOTSUPP : errno, "netlink");
  }
  timeval patience{2, 0};
  setsockopt(mnl_socket_get_fd(made.socket_.get()), SOL_SOCKET, SO_RCVTIMEO, &patience,
             sizeof(patience));
  if (mnl_socket_bind(made.socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0) {
    return fail_errno(errno, "netlink");
  }
  made.buffer_.resize(kReceive);
  return made;
}

Result<void> NetlinkSocket::ask(nlmsghdr* request,
                                const std::function<void(std::string_view message)>& take) {
  request->nlmsg_seq = ++sequence_;
  bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
  if (mnl_socket_sendto(socket_.get(), request, request->nlmsg_len) < 0) {
    return fail_errno(errno, "netlink");
  }
  while (true) {
    ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      bool late = errno == EAGAIN || errno == EWOULDBLOCK;
      return fail_errno(late ? ETIMEDOUT : errno, "netlink");
    }
    int left = static_cast<int>(got);
    const auto* message = reinterpret_cast<const nlmsghdr*>(buffer_.data());
    for (; mnl_nlmsg_ok(message, left); message = mnl_nlmsg_next(message, &left)) {
      if (message->nlmsg_seq != sequence_) continue;  // of a question that was given up
      if (message->nlmsg_type == NLMSG_DONE) return {};
      if (message->nlmsg_type == NLMSG_ERROR) {
        int error = 0;
        if (message->nlmsg_len >= NLMSG_HDRLEN + sizeof(nlmsgerr)) {
          error = -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(message))->error;
        }
        if (error != 0) return fail_errno(error, "netlink");
        return {};
      }
      take({reinterpret_cast<const char*>(message), message->nlmsg_len});
      if (!dump) return {};
    }
  }
}

}  // namespace tacho

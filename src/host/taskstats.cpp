#include "host/taskstats.h"

#include <libmnl/libmnl.h>
#include <linux/acct.h>
#include <linux/genetlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/text.h"

namespace tacho {
namespace {

/// Room for some 10,000 ended tasks between two samples; the kernel takes it only as it fills.
constexpr int kRoom = 8 << 20;
/// Drained at most so much at a time: a storm that is faster than we are must not hold the sample.
constexpr int kMostMessages = 50'000;
constexpr uint16_t kOldestVersion = 12;

const nlattr* find(const nlattr* begin, size_t bytes, uint16_t type) {
  int left = static_cast<int>(bytes);
  for (const nlattr* a = begin; mnl_attr_ok(a, left); a = mnl_attr_next(a)) {
    if (mnl_attr_get_type(a) == type) return a;
    left -= MNL_ALIGN(a->nla_len);
  }
  return nullptr;
}

const nlattr* find_within(const nlattr* nest, uint16_t type) {
  if (nest == nullptr) return nullptr;
  return find(static_cast<const nlattr*>(mnl_attr_get_payload(nest)),
              mnl_attr_get_payload_len(nest), type);
}

const nlattr* find_in(const nlmsghdr* message, uint16_t type) {
  constexpr size_t kHeader = MNL_NLMSG_HDRLEN + MNL_ALIGN(sizeof(genlmsghdr));
  if (message->nlmsg_len < kHeader) return nullptr;
  return find(static_cast<const nlattr*>(mnl_nlmsg_get_payload_offset(message, sizeof(genlmsghdr))),
              message->nlmsg_len - kHeader, type);
}

/// The structure grows with the kernel: what this one does not have yet stays zero, and what it has
/// beyond is left.
std::optional<taskstats> stats_in(const nlattr* aggregate) {
  const nlattr* attribute = find_within(aggregate, TASKSTATS_TYPE_STATS);
  if (attribute == nullptr) return std::nullopt;
  taskstats stats{};
  std::memcpy(&stats, mnl_attr_get_payload(attribute),
              std::min<size_t>(sizeof stats, mnl_attr_get_payload_len(attribute)));
  return stats;
}

std::string_view command_of(const taskstats& stats) {
  return {stats.ac_comm, strnlen(stats.ac_comm, sizeof stats.ac_comm)};
}

}  // namespace

std::optional<TaskExit> parse_task_exit(std::string_view netlink_message) {
  if (netlink_message.size() < MNL_NLMSG_HDRLEN) return std::nullopt;
  const auto* message = reinterpret_cast<const nlmsghdr*>(netlink_message.data());
  if (!mnl_nlmsg_ok(message, static_cast<int>(netlink_message.size()))) return std::nullopt;
  auto stats = stats_in(find_in(message, TASKSTATS_TYPE_AGGR_PID));
  if (!stats || stats->version < kOldestVersion) return std::nullopt;
  TaskExit exit;
  exit.pid = stats->ac_pid;
  exit.process = stats->ac_tgid;
  exit.parent = stats->ac_ppid;
  exit.uid = stats->ac_uid;
  exit.command = command_of(*stats);
  exit.user_us = stats->ac_utime;
  exit.system_us = stats->ac_stime;
  exit.run_ns = stats->cpu_run_virtual_total;
  exit.process_age_us = stats->ac_tgetime;
  exit.exit_code = stats->ac_exitcode;
  exit.last = (stats->ac_flag & AGROUP) != 0;
  if (auto process = stats_in(find_in(message, TASKSTATS_TYPE_AGGR_TGID)))
    exit.process_run_ns = process->cpu_run_virtual_total;
  return exit;
}

void ExitListener::Close::operator()(mnl_socket* socket) const {
  mnl_socket_close(socket);
}

ExitListener::ExitListener(ExitListener&&) noexcept = default;
ExitListener& ExitListener::operator=(ExitListener&&) noexcept = default;

ExitListener::~ExitListener() {
  // The kernel would find out by itself, but only with the next task that ends.
  if (socket_) {
    (void)call(family_, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK, cpus_);
  }
}

Result<uint32_t> ExitListener::call(uint16_t type, uint8_t command, uint16_t attribute,
                                    std::string_view text) {
  std::array<char, 4096> request{};
  nlmsghdr* header = mnl_nlmsg_put_header(request.data());
  header->nlmsg_type = type;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  auto* generic = static_cast<genlmsghdr*>(mnl_nlmsg_put_extra_header(header, sizeof(genlmsghdr)));
  generic->cmd = command;
  generic->version = 1;
  if (!mnl_attr_put_check(header, request.size(), attribute, text.size() + 1, text.data())) {
    return fail(Errc::invalid, "taskstats: too long a list of CPUs");
  }
  if (mnl_socket_sendto(socket_.get(), header, header->nlmsg_len) < 0)
    return fail_errno(errno, "taskstats");
  uint32_t family = 0;
  while (true) {  // the kernel answers within the send: nothing is waited for
    ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (got < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
    if (got < 0) return fail_errno(errno, "taskstats");
    const auto* answer = reinterpret_cast<const nlmsghdr*>(buffer_.data());
    if (!mnl_nlmsg_ok(answer, static_cast<int>(got))) continue;
    if (answer->nlmsg_type == NLMSG_ERROR) {
      int error = -static_cast<const nlmsgerr*>(mnl_nlmsg_get_payload(answer))->error;
      // kernel/taskstats.c, cmd_attr_register_cpumask()
      if (error == EINVAL) return fail(Errc::not_supported, "taskstats: not within a namespace");
      if (error != 0) return fail_errno(error, "taskstats");
      return family;
    }
    const nlattr* id = find_in(answer, CTRL_ATTR_FAMILY_ID);
    if (type == GENL_ID_CTRL && id != nullptr && mnl_attr_get_payload_len(id) >= 2)
      family = mnl_attr_get_u16(id);
  }
}

Result<ExitListener> ExitListener::open(const Machine& machine) {
  if (!machine.is_live()) return fail(Errc::not_supported, "taskstats: not of a folder");
  ExitListener made;
  made.buffer_.resize(64 * 1024);
  made.socket_.reset(mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!made.socket_ || mnl_socket_bind(made.socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0) {
    int error = errno;
    made.socket_.reset();
    return fail_errno(error == EPROTONOSUPPORT ? EOPNOTSUPP : error, "taskstats");
  }
  int socket = mnl_socket_get_fd(made.socket_.get());
  if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &kRoom, sizeof kRoom) < 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &kRoom, sizeof kRoom);
  auto family =
      made.call(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
  Buffer buffer;
  auto cpus = machine.read("sys/devices/system/cpu/possible", buffer);
  if (!family || !cpus) {
    made.socket_.reset();  // nothing to take back
    if (!cpus) return tl::unexpected(cpus.error());
    // Neither is the family of another network namespace found.
    if (family.error().code == Errc::not_found)
      return fail(Errc::not_supported, "taskstats: not in this kernel or network namespace");
    return tl::unexpected(family.error());
  }
  made.family_ = static_cast<uint16_t>(*family);
  made.cpus_ = trim(*cpus);
  auto registered =
      made.call(made.family_, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, made.cpus_);
  if (!registered) {
    made.socket_.reset();
    return tl::unexpected(registered.error());
  }
  return made;
}

void ExitListener::drain(std::vector<TaskExit>& exits) {
  for (int i = 0; i < kMostMessages; ++i) {
    ssize_t got = mnl_socket_recvfrom(socket_.get(), buffer_.data(), buffer_.size());
    if (got < 0 && (errno == EINTR || errno == ENOBUFS)) continue;  // lost() tells of the latter
    if (got < 0) return;
    if (auto exit = parse_task_exit({buffer_.data(), static_cast<size_t>(got)}))
      exits.push_back(std::move(*exit));
  }
}

uint64_t ExitListener::lost() const {
  std::array<uint32_t, SK_MEMINFO_VARS> memory{};
  socklen_t size = sizeof memory;
  if (getsockopt(mnl_socket_get_fd(socket_.get()), SOL_SOCKET, SO_MEMINFO, memory.data(), &size) <
      0) {
    return 0;
  }
  return memory[SK_MEMINFO_DROPS];
}

}  // namespace tacho

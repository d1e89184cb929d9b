#include "collect/kernel_message.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tacho {
namespace {

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// The text behind `begin` as far as one of `ends`.
std::string_view between(std::string_view s, std::string_view begin, std::string_view ends) {
  size_t at = s.find(begin);
  if (at == std::string_view::npos) return {};
  s.remove_prefix(at + begin.size());
  return s.substr(0, s.find_first_of(ends));
}

/// "name:pid", where the name may hold colons itself.
void split_task(std::string_view task, Event& event) {
  size_t colon = task.rfind(':');
  if (colon == std::string_view::npos) return;
  event.subject = task.substr(0, colon);
  event.pid = parse_u64(task.substr(colon + 1)).value_or(0);
}

/// "Memory cgroup out of memory: Killed process 42 (python3) total-vm:1kB, …".
bool oom_kill(std::string_view m, Event& event) {
  constexpr std::string_view kKilled = "Killed process ";
  size_t at = m.find(kKilled);
  if (at == std::string_view::npos) return false;
  std::string_view rest = m.substr(at + kKilled.size());
  event.pid = parse_u64(rest.substr(0, rest.find_first_of(" ,"))).value_or(0);
  size_t open = rest.find('(');
  size_t close = rest.find(") ");
  if (close == std::string_view::npos) close = rest.rfind(')');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
    event.subject = rest.substr(open + 1, close - open - 1);
  }
  return true;
}

/// "NVRM: Xid (PCI:0000:3b:00): 79, pid=42, name=python3, …"; older drivers: "NVRM: Xid
/// (0000:3b:00): 31, Ch 0000000a, …". The pid may be '<unknown>'.
bool xid(std::string_view m, Event& event) {
  if (!has(m, "NVRM: Xid")) return false;
  std::string_view device = between(m, "(", ")");
  if (device.starts_with("PCI:")) device.remove_prefix(4);
  event.subject = device;
  event.pid = parse_u64(between(m, "pid=", ", ")).value_or(0);
  return true;
}

/// "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [cc1:77]".
bool soft_lockup(std::string_view m, Event& event) {
  if (!has(m, "soft lockup")) return false;
  split_task(between(m, "[", "]"), event);
  return true;
}

/// "INFO: task python3:42 blocked for more than 120 seconds.".
bool hung_task(std::string_view m, Event& event) {
  size_t at = m.find(" blocked for more than");
  if (at == std::string_view::npos) return false;
  size_t task = m.rfind("task ", at);
  if (task == std::string_view::npos) return false;
  split_task(m.substr(task + 5, at - task - 5), event);
  return true;
}

/// "I/O error, dev sdb, sector 8 …", "critical medium error, dev sdb, …", "Buffer I/O error on dev
/// sdb1, …", "EXT4-fs error (device sdb1): …", "XFS (dm-0): metadata I/O error …", "nvme nvme0: I/O
/// 23 QID 5 timeout, …".
bool io_error(std::string_view m, Event& event) {
  bool nvme = m.starts_with("nvme ") && has(m, "timeout");
  bool ext4 = has(m, "EXT4-fs error");
  if (!nvme && !ext4 && !has(m, "I/O error") && !has(m, " error, dev ")) return false;
  if (nvme) {
    event.subject = m.substr(5, m.find(':') - 5);
  } else if (has(m, "dev ")) {
    event.subject = between(m, "dev ", ", ");
  } else {
    std::string_view device = between(m, "(", ")");
    if (device.starts_with("device ")) device.remove_prefix(7);
    event.subject = device.substr(0, device.find(':'));
  }
  return true;
}

/// "e1000e 0000:00:19.0 eth0: NIC Link is Up 1000 Mbps Full Duplex, …", "igb 0000:07:00.0 eno1:
/// igb: eno1 NIC Link is Down", "mlx5_core 0000:17:00.0 ens1: Link up", "IPv6:
/// ADDRCONF(NETDEV_CHANGE): eno1: link becomes ready": the interface is the word before. SATA and
/// PCI have links too.
bool link(std::string_view m, Event& event) {
  std::string lower(m);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (has(lower, "sata link") || has(lower, "pciehp")) return false;
  struct Phrase {
    std::string_view words;
    std::string_view kind;
  };
  static constexpr std::array<Phrase, 5> phrases{{{"link is up", "link_up"},
                                                  {"link is down", "link_down"},
                                                  {"link up", "link_up"},
                                                  {"link down", "link_down"},
                                                  {"link becomes ready", "link_up"}}};
  for (const Phrase& phrase : phrases) {
    size_t at = lower.find(phrase.words);
    if (at == std::string::npos) continue;
    std::string_view head = trim(m.substr(0, at));
    if (head.ends_with(" NIC")) head = trim(head.substr(0, head.size() - 4));
    std::string_view name = head.substr(head.rfind(' ') + 1);
    if (name.ends_with(':')) name.remove_suffix(1);
    if (name.empty() || name.find_first_of("()") != std::string_view::npos) return false;
    event.kind = phrase.kind;
    event.subject = name;
    return true;
  }
  return false;
}

}  // namespace

Event classify_kernel_message(std::string_view m) {
  struct Matcher {
    const char* kind;
    bool (*matches)(std::string_view message, Event& event);
  };
  static constexpr std::array<Matcher, 5> matchers{{{"oom_kill", oom_kill},
                                                    {"xid", xid},
                                                    {"soft_lockup", soft_lockup},
                                                    {"hung_task", hung_task},
                                                    {"io_error", io_error}}};
  Event event;
  event.detail = m;
  for (const Matcher& matcher : matchers) {
    if (!matcher.matches(m, event)) continue;
    event.kind = matcher.kind;
    return event;
  }
  link(m, event);
  return event;
}

}  // namespace tacho

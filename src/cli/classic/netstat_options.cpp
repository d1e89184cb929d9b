#include "cli/classic/netstat_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace tacho::cli {
namespace {

/// E_USAGE of net-tools.
constexpr int kUsage = 3;

std::string usage() {
  return std::string(
             R"(usage: netstat [-vWeenNcCF] [<Af>] -r         netstat {-V|--version|-h|--help}
       netstat [-vWnNcaeol] [<Socket> ...]
       netstat { [-vWeenNac] -i | [-cnNe] -M | -s [-6tuw] }
       netstat { --states | --queues } [-46]

        -r, --route              display routing table
        -i, --interfaces         display interface table
        -s, --statistics         display networking statistics (like SNMP)
        --states                 count the TCP sockets in each state
        --queues                 only sockets with something queued

        -v, --verbose            be verbose
        -W, --wide               accepted: addresses are never truncated
        -n, --numeric            don't resolve names
        --numeric-hosts          don't resolve host names
        --numeric-ports          don't resolve port names
        --numeric-users          don't resolve user names
        -N, --symbolic           accepted
        -e, --extend             display other/more information
        -p, --programs           display PID/Program name for sockets
        -o, --timers             display timers
        -c, --continuous         continuous listing

        -l, --listening          display listening server sockets
        -a, --all                display all sockets (default: connected)
        -F, --fib                display Forwarding Information Base (default)
        -C, --cache              display routing cache instead of FIB

  <Socket>={-t|--tcp} {-u|--udp} {-U|--udplite} {-w|--raw} {-x|--unix}
  <AF>=Use '-6|-4' or '-A <af>' or '--<af>'; default: inet

)") + kClassicUsage;
}

int complain(const std::string& message, int code = kFailed) {
  return cli::complain("netstat", message, code, code == kUsage ? usage() : "");
}

int show_usage() {
  std::string text = usage();
  (void)!write(STDERR_FILENO, text.data(), text.size());
  return kUsage;
}

int no_support(std::string_view what) {
  return complain(fmt::format("no support for `{}' on this system.", what));
}

/// Numbers of the long options that have no letter; those of ClassicOptions begin at 1000.
enum Code : int { kFamily = 256, kNumericHosts, kNumericPorts, kNumericUsers, kStates, kQueues };

/// The families that net-tools was built with and this kernel, or this program, has not.
struct Family {
  const char* name;
  const char* title;  ///< as the original complains of it
};
constexpr std::array kOtherFamilies{Family{"ax25", "AF AX25"},     Family{"ipx", "AF IPX"},
                                    Family{"netrom", "AF NETROM"}, Family{"x25", "AF X25"},
                                    Family{"rose", "AF ROSE"},     Family{"ddp", "AF DDP"},
                                    Family{"appletalk", "AF DDP"}};

/// "inet,inet6": the families of -A.
std::optional<int> take_families(std::string_view list, NetstatJob& job) {
  for (std::string_view name : split(list, ',')) {
    if (name == "inet" || name == "ip") {
      job.view.inet = true;
    } else if (name == "inet6") {
      job.view.inet6 = true;
    } else if (name == "unix") {
      job.view.unix = true;
    } else {
      for (const Family& family : kOtherFamilies) {
        if (name == family.name) return no_support(family.title);
      }
      std::string text = fmt::format("Unknown address family `{}'.\n", escape_control(name));
      (void)!write(STDERR_FILENO, text.data(), text.size());
      return kFailed;
    }
  }
  return std::nullopt;
}

std::vector<option> long_options() {
  std::vector<option> own{{"version", no_argument, nullptr, 'V'},
                          {"interfaces", no_argument, nullptr, 'i'},
                          {"help", no_argument, nullptr, 'h'},
                          {"route", no_argument, nullptr, 'r'},
                          {"masquerade", no_argument, nullptr, 'M'},
                          {"protocol", required_argument, nullptr, 'A'},
                          {"tcp", no_argument, nullptr, 't'},
                          {"sctp", no_argument, nullptr, 'S'},
                          {"udp", no_argument, nullptr, 'u'},
                          {"udplite", no_argument, nullptr, 'U'},
                          {"raw", no_argument, nullptr, 'w'},
                          {"unix", no_argument, nullptr, 'x'},
                          {"l2cap", no_argument, nullptr, '2'},
                          {"rfcomm", no_argument, nullptr, 'f'},
                          {"listening", no_argument, nullptr, 'l'},
                          {"all", no_argument, nullptr, 'a'},
                          {"timers", no_argument, nullptr, 'o'},
                          {"continuous", no_argument, nullptr, 'c'},
                          {"extend", no_argument, nullptr, 'e'},
                          {"programs", no_argument, nullptr, 'p'},
                          {"verbose", no_argument, nullptr, 'v'},
                          {"statistics", no_argument, nullptr, 's'},
                          {"wide", no_argument, nullptr, 'W'},
                          {"numeric", no_argument, nullptr, 'n'},
                          {"numeric-hosts", no_argument, nullptr, kNumericHosts},
                          {"numeric-ports", no_argument, nullptr, kNumericPorts},
                          {"numeric-users", no_argument, nullptr, kNumericUsers},
                          {"symbolic", no_argument, nullptr, 'N'},
                          {"cache", no_argument, nullptr, 'C'},
                          {"fib", no_argument, nullptr, 'F'},
                          {"groups", no_argument, nullptr, 'g'},
                          {"context", no_argument, nullptr, 'Z'},
                          {"states", no_argument, nullptr, kStates},
                          {"queues", no_argument, nullptr, kQueues},
                          {"inet", no_argument, nullptr, '4'},
                          {"ip", no_argument, nullptr, '4'},
                          {"inet6", no_argument, nullptr, '6'}};
  for (const Family& family : kOtherFamilies)
    own.push_back({family.name, no_argument, nullptr, kFamily});
  return with_classic_options(std::move(own));
}

/// What cannot be shown here.
std::optional<int> refuse(int c, const char* long_name) {
  switch (c) {
    case 'M':
      return no_support("ip_masquerade");
    case 'S':
      return no_support("AF INET (sctp)");
    case '2':
    case 'f':
      return complain("feature `AF BLUETOOTH' not supported.");
    case 'g':
      return complain("-g is not supported; ip maddr shows the groups");
    case 'Z': {
      constexpr std::string_view kText = "SELinux is not enabled on this machine.\n";
      (void)!write(STDERR_FILENO, kText.data(), kText.size());
      return kFailed;
    }
    case kFamily:
      for (const Family& family : kOtherFamilies) {
        if (std::string_view(long_name) == family.name) return no_support(family.title);
      }
      return kFailed;
    default:
      return std::nullopt;
  }
}

/// Options that only set something; false where `c` is none of them.
bool take_flag(int c, NetstatJob& job) {
  NetstatOptions& view = job.view;
  switch (c) {
    case 'a':
      return view.all = true;
    case 'l':
      return view.listening = true;
    case 'c':
      return job.continuous = true;
    case 'C':
      return job.cache = true;
    case 'e':
      return ++view.extended > 0;
    case 'p':
      return view.programs = true;
    case 'o':
      return view.timers = true;
    case 'v':
      return job.verbose = true;
    case 'n':
      return job.numeric_hosts = job.numeric_ports = job.numeric_users = true;
    case kNumericHosts:
      return job.numeric_hosts = true;
    case kNumericPorts:
      return job.numeric_ports = true;
    case kNumericUsers:
      return job.numeric_users = true;
    case 't':
      return view.tcp = true;
    case 'u':
      return view.udp = true;
    case 'U':
      return view.udplite = true;
    case 'w':
      return view.raw = true;
    case 'x':
      return view.unix = true;
    case '4':
      return view.inet = true;
    case '6':
      return view.inet6 = true;
    case 'd':
    case 'F':
    case 'N':
    case 'W':
      return true;
    default:
      return false;
  }
}

std::optional<NetstatJob::What> mode_of(int c) {
  switch (c) {
    case 'r':
      return NetstatJob::What::routes;
    case 'i':
      return NetstatJob::What::interfaces;
    case 's':
      return NetstatJob::What::statistics;
    case kStates:
      return NetstatJob::What::states;
    case kQueues:
      return NetstatJob::What::queues;
    default:
      return std::nullopt;
  }
}

/// What was not said, as the original fills it in.
std::optional<int> complete(NetstatJob& job) {
  NetstatOptions& view = job.view;
  using What = NetstatJob::What;
  if (view.unix && job.what == What::routes) {
    constexpr std::string_view kText = "No routing for address family `unix'.\n";
    (void)!write(STDERR_FILENO, kText.data(), kText.size());
    return kUsage;
  }
  if (view.unix && job.what == What::statistics) {
    print("netstat: No statistics support for specified address family: unix\n");
    return kFailed;
  }
  if (view.inet && view.inet6 && job.what == What::statistics) {
    print("netstat: No statistics support for specified address family: inet,inet6\n");
    return kFailed;
  }
  bool any_protocol = view.tcp || view.udp || view.udplite || view.raw;
  if (job.what == What::routes || job.what == What::statistics) {
    if (!view.inet && !view.inet6) view.inet = true;
  }
  bool counts = job.what == What::statistics || job.what == What::queues;
  if ((view.inet || view.inet6 || counts) && !any_protocol) {
    view.tcp = view.udp = view.udplite = view.raw = any_protocol = true;
  }
  if (!any_protocol && !view.unix) {
    view.tcp = view.udp = view.udplite = view.raw = view.unix = true;
  }
  if (!view.inet && !view.inet6) view.inet = view.inet6 = true;
  return std::nullopt;
}

}  // namespace

std::optional<int> parse_netstat(int argc, char** argv, NetstatJob& job) {
  static const auto kLong = long_options();
  std::optional<NetstatJob::What> mode;
  opterr = 0;
  optind = 1;
  int at = 0;
  for (int c = 0; (c = getopt_long(argc, argv, ":A:CFMacdeghilnNoprsStuUvVWw2fx64?Z", kLong.data(),
                                   &at)) != -1;) {
    if (auto wanted = mode_of(c)) {
      if (mode && *mode != *wanted) return show_usage();
      mode = wanted;
    } else if (c == 'A') {
      if (auto code = take_families(optarg, job)) return code;
    } else if (c == 'h') {
      print(usage());
      return kDone;
    } else if (c == 'V') {
      print("netstat from tacho, as net-tools 2.10\n");
      return kDone;
    } else if (auto code = refuse(c, c == kFamily ? kLong[static_cast<size_t>(at)].name : "")) {
      return code;
    } else if (!take_flag(c, job) && !job.classic.take(c, optarg)) {
      return complain(option_fault(c, argv), kUsage);
    }
  }
  job.what = mode.value_or(NetstatJob::What::sockets);
  return complete(job);
}

}  // namespace tacho::cli

#include "cli/classic/netstat_names.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cstring>
#include <map>
#include <memory>

#include "host/users.h"

namespace tacho::cli {
namespace {

std::string host_name(std::string_view address, bool is_v6) {
  std::string text(address);
  sockaddr_storage storage{};
  socklen_t length = 0;
  if (is_v6) {
    if (address == "::") return "[::]";
    auto* to = reinterpret_cast<sockaddr_in6*>(&storage);
    to->sin6_family = AF_INET6;
    if (inet_pton(AF_INET6, text.c_str(), &to->sin6_addr) != 1) return {};
    length = sizeof(*to);
  } else {
    if (address == "0.0.0.0") return {};
    auto* to = reinterpret_cast<sockaddr_in*>(&storage);
    to->sin_family = AF_INET;
    if (inet_pton(AF_INET, text.c_str(), &to->sin_addr) != 1) return {};
    length = sizeof(*to);
  }
  char name[NI_MAXHOST];
  int failed = getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, name, sizeof(name),
                           nullptr, 0, NI_NAMEREQD);
  return failed == 0 ? name : std::string();
}

std::string network_name(std::string_view address, uint64_t prefix) {
  if (address == "0.0.0.0" && prefix == 0) return "default";
  in_addr network{};
  if (inet_pton(AF_INET, std::string(address).c_str(), &network) != 1) return {};
  const netent* known = getnetbyaddr(ntohl(network.s_addr), AF_INET);
  return known == nullptr ? std::string() : known->n_name;
}

/// All services at once: asking for each port reads the file each time.
class Services {
 public:
  std::string name(uint64_t port, std::string_view protocol) {
    if (protocol == "raw") {
      const protoent* known = getprotobynumber(static_cast<int>(port));
      return known == nullptr ? std::string() : known->p_name;
    }
    if (!read_) read();
    auto found = names_.find({std::string(protocol), port});
    return found == names_.end() ? std::string() : found->second;
  }

 private:
  void read() {
    read_ = true;
    setservent(1);
    while (const servent* service = getservent()) {
      uint64_t port = ntohs(static_cast<uint16_t>(service->s_port));
      names_.try_emplace({service->s_proto, port}, service->s_name);
    }
    endservent();
  }

  bool read_ = false;
  std::map<std::pair<std::string, uint64_t>, std::string> names_;
};

}  // namespace

NetstatNames netstat_names(const NetstatJob& job) {
  NetstatNames names;
  if (!job.numeric_hosts) {
    names.host = host_name;
    names.network = network_name;
  }
  if (!job.numeric_ports) {
    names.port = [services = std::make_shared<Services>()](uint64_t port,
                                                           std::string_view protocol) {
      return services->name(port, protocol);
    };
  }
  if (!job.numeric_users) {
    names.user = [users = std::make_shared<Users>(), machine = Machine::live()](uint64_t uid) {
      return users->name(uid, *machine);
    };
  }
  return names;
}

}  // namespace tacho::cli

#include "host/ethtool.h"

#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "host/netlink.h"

namespace tacho {
namespace {

/// The attributes of a message or of a nest, by type. libmnl keeps to the bounds.
class Attributes {
 public:
  static Attributes of_message(std::string_view message) {
    Attributes found;
    const auto* header = reinterpret_cast<const nlmsghdr*>(message.data());
    mnl_attr_parse(header, sizeof(genlmsghdr), keep, &found);
    return found;
  }
  static Attributes of_nest(const nlattr* nest) {
    Attributes found;
    if (nest != nullptr) mnl_attr_parse_nested(nest, keep, &found);
    return found;
  }
  [[nodiscard]] const nlattr* get(uint16_t type) const {
    return type < by_type_.size() ? by_type_[type] : nullptr;
  }

 private:
  static int keep(const nlattr* attribute, void* into) {
    auto& by_type = static_cast<Attributes*>(into)->by_type_;
    uint16_t type = mnl_attr_get_type(attribute);
    if (type < by_type.size()) by_type[type] = attribute;
    return MNL_CB_OK;
  }
  std::array<const nlattr*, 16> by_type_{};
};

struct Request {
  alignas(nlmsghdr) std::array<char, 256> space{};
  nlmsghdr* header = nullptr;

  Request(uint16_t type, uint8_t command, uint8_t version) {
    header = mnl_nlmsg_put_header(space.data());
    header->nlmsg_type = type;
    header->nlmsg_flags = NLM_F_REQUEST;
    auto* generic =
        static_cast<genlmsghdr*>(mnl_nlmsg_put_extra_header(header, sizeof(genlmsghdr)));
    generic->cmd = command;
    generic->version = version;
  }
};

Result<uint16_t> ethtool_family(NetlinkSocket& socket) {
  Request request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
  mnl_attr_put_strz(request.header, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
  uint16_t family = 0;
  auto asked = socket.ask(request.header, [&](std::string_view message) {
    const nlattr* id = Attributes::of_message(message).get(CTRL_ATTR_FAMILY_ID);
    if (id != nullptr && mnl_attr_get_payload_len(id) >= sizeof(family)) {
      family = mnl_attr_get_u16(id);
    }
  });
  if (!asked) return tl::unexpected(asked.error());
  if (family == 0) return fail(Errc::not_supported, "ethtool: the kernel has no netlink for it");
  return family;
}

Result<LinkModes> by_netlink(const std::string& device) {
  auto socket = NetlinkSocket::open(NETLINK_GENERIC);
  if (!socket) return tl::unexpected(socket.error());
  auto family = ethtool_family(*socket);
  if (!family) return tl::unexpected(family.error());
  Request request(*family, ETHTOOL_MSG_LINKMODES_GET, ETHTOOL_GENL_VERSION);
  nlattr* nest = mnl_attr_nest_start(request.header, ETHTOOL_A_LINKMODES_HEADER);
  mnl_attr_put_strz(request.header, ETHTOOL_A_HEADER_DEV_NAME, device.c_str());
  mnl_attr_put_u32(request.header, ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_COMPACT_BITSETS);
  mnl_attr_nest_end(request.header, nest);
  LinkModes modes;
  auto asked = socket->ask(request.header, [&](std::string_view message) {
    // OURS has the advertised modes as its value and the supported ones as its mask.
    const nlattr* ours = Attributes::of_message(message).get(ETHTOOL_A_LINKMODES_OURS);
    const nlattr* mask = Attributes::of_nest(ours).get(ETHTOOL_A_BITSET_MASK);
    if (mask == nullptr) return;
    modes.resize(mnl_attr_get_payload_len(mask) / sizeof(uint32_t));
    std::memcpy(modes.data(), mnl_attr_get_payload(mask), modes.size() * sizeof(uint32_t));
  });
  if (!asked) return tl::unexpected(asked.error());
  return modes;
}

Result<LinkModes> by_ioctl(const std::string& device) {
  Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail_errno(errno, "socket");
  ifreq request{};
  if (device.size() >= sizeof(request.ifr_name)) {
    return fail(Errc::invalid, "{} is no name of an interface", device);
  }
  device.copy(request.ifr_name, device.size());
  // Asked with no words the kernel answers with their number, negated; asked again with that
  // number, with the modes: supported, advertised, of the peer, one after the other.
  constexpr size_t kMostWords = 127;
  constexpr size_t kHead = sizeof(ethtool_link_settings) / sizeof(uint32_t);
  std::array<uint32_t, kHead + 3 * kMostWords> answer{};
  auto* settings = reinterpret_cast<ethtool_link_settings*>(answer.data());
  request.ifr_data = reinterpret_cast<char*>(answer.data());
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  if (ioctl(socket.get(), SIOCETHTOOL, &request) < 0) return fail_errno(errno, device);
  int words = -settings->link_mode_masks_nwords;
  if (words <= 0) return fail(Errc::not_supported, "{} has no link modes", device);
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  settings->link_mode_masks_nwords = static_cast<int8_t>(words);
  if (ioctl(socket.get(), SIOCETHTOOL, &request) < 0) return fail_errno(errno, device);
  const uint32_t* supported = answer.data() + kHead;
  return LinkModes(supported, supported + words);
}

Result<LinkModes> from_file(const Machine& machine, const std::string& device) {
  Buffer buffer;
  auto text = machine.read("tacho/ethtool", buffer);
  if (!text) return fail(Errc::not_supported, "{}", text.error().what);
  std::string_view rest = *text;
  std::string_view line;
  while (next_line(rest, line)) {
    if (next_field(line) == device) return parse_link_modes(next_field(line));
  }
  return fail(Errc::not_supported, "{} has no link modes", device);
}

}  // namespace

Result<LinkModes> supported_link_modes(const Machine& machine, const std::string& device) {
  if (!machine.is_live()) return from_file(machine, device);
  auto modes = by_netlink(device);
  bool none = modes && std::ranges::all_of(*modes, [](uint32_t word) { return word == 0; });
  if (modes && !none) return modes;
  // A device that cannot say says so either way; only a kernel without the netlink needs the ioctl.
  auto asked = by_ioctl(device);
  if (!asked && modes) return modes;
  return asked;
}

}  // namespace tacho

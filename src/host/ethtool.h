// What a network interface could do: the link modes it supports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/machine.h"

namespace tacho {

/// A set of link modes, bit n for ETHTOOL_LINK_MODE_*_BIT n (include/uapi/linux/ethtool.h).
using LinkModes = std::vector<uint32_t>;

/// The modes that `device` supports, whatever was negotiated. Live: ETHTOOL_MSG_LINKMODES_GET over
/// generic netlink (Documentation/networking/ethtool-netlink.rst), or the ioctl
/// ETHTOOL_GLINKSETTINGS where the kernel lacks that; rooted: a line "device mask" of
/// tacho/ethtool. Fails with not_supported for a device without link modes (lo, veth). May wait for
/// the driver.
[[nodiscard]] Result<LinkModes> supported_link_modes(const Machine& machine,
                                                     const std::string& device);

/// The highest speed among the modes in Mbit/s; 0 where none of them has one.
[[nodiscard]] uint64_t highest_speed(const LinkModes& modes);

/// As in tacho/ethtool: hexadecimal words, lowest first, separated by commas.
[[nodiscard]] std::string link_modes_text(const LinkModes& modes);
/// Empty for what is no such text.
[[nodiscard]] LinkModes parse_link_modes(std::string_view text);

}  // namespace tacho

#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// proc_net_dev(5); net/core/net-procfs.c. Column 0 is the name, then 8 received and 8 transmitted.
inline constexpr Source kNetDev{"proc/net/dev", Shape::rows};
/// Documentation/ABI/testing/sysfs-class-net.
inline constexpr Source kNetSpeed{"sys/class/net/{device}/speed", Shape::value};
inline constexpr Source kNetDuplex{"sys/class/net/{device}/duplex", Shape::value};
inline constexpr Source kNetCarrier{"sys/class/net/{device}/carrier", Shape::value};
inline constexpr Source kNetOperstate{"sys/class/net/{device}/operstate", Shape::value};
inline constexpr Source kNetMtu{"sys/class/net/{device}/mtu", Shape::value};
inline constexpr Source kNetFlags{"sys/class/net/{device}/flags", Shape::value};
inline constexpr Source kNetCarrierChanges{"sys/class/net/{device}/carrier_changes", Shape::value};
/// ETHTOOL_MSG_LINKMODES_GET, Documentation/networking/ethtool-netlink.rst.
inline constexpr Source kEthtool{"ethtool", Shape::call};
inline constexpr Source kSnmp{"proc/net/snmp", Shape::headed};
inline constexpr Source kNetstat{"proc/net/netstat", Shape::headed};
/// net/core/net-procfs.c, softnet_seq_show: a row per CPU, in hexadecimal.
inline constexpr Source kSoftnet{"proc/net/softnet_stat", Shape::hexrows};
inline constexpr Source kSockstat{"proc/net/sockstat", Shape::pairs};
inline constexpr Source kPortRange{"proc/sys/net/ipv4/ip_local_port_range", Shape::rows};
/// struct inet_diag_msg and struct tcp_info of a NETLINK_SOCK_DIAG dump
/// (include/uapi/linux/inet_diag.h, tcp.h); the columns without offset are also in proc/net/tcp.
inline constexpr Source kInetDiag{"inet_diag", Shape::call};
inline constexpr Source kTcpInfo{"tcp_info", Shape::record};
/// proc_pid_cmdline(5).
inline constexpr Source kProcessArguments{"proc/{pid}/cmdline", Shape::value};
/// net/unix/af_unix.c, unix_seq_show; bound by the reader itself.
inline constexpr Source kUnix{"proc/net/unix", Shape::call};
/// net/ipv4/fib_trie.c, fib_route_seq_show, and net/ipv6/route.c, rt6_info_route; bound by the
/// reader itself.
inline constexpr Source kRoute{"proc/net/route", Shape::call};
inline constexpr Source kRoute6{"proc/net/ipv6_route", Shape::call};
/// Whatever the kernel counts there; bound by the reader itself.
inline constexpr Source kAllSnmp{"proc/net/snmp#all", Shape::call};
inline constexpr Source kAllNetstat{"proc/net/netstat#all", Shape::call};
inline constexpr Source kAllSnmp6{"proc/net/snmp6", Shape::call};

inline constexpr auto net = table(
    TableId::net, "net", "traffic and link of each network interface", kEverySample,
    {
        text_key("device", from(kNetDev.column(0)), "name of the interface"),
        counter("rx_bytes", unit::bytes, from(kNetDev.column(1)), "bytes received"),
        counter("rx_packets", unit::count, from(kNetDev.column(2)), "packets received"),
        counter("rx_errors", unit::count, from(kNetDev.column(3)), "packets received broken"),
        counter("rx_dropped", unit::count, from(kNetDev.column(4)), "received packets dropped"),
        counter("rx_fifo", unit::count, from(kNetDev.column(5)), "receive buffer overruns"),
        counter("rx_frame", unit::count, from(kNetDev.column(6)), "framing errors"),
        counter("rx_compressed", unit::count, from(kNetDev.column(7)),
                "compressed packets received"),
        counter("multicast", unit::count, from(kNetDev.column(8)), "multicast packets received"),
        counter("tx_bytes", unit::bytes, from(kNetDev.column(9)), "bytes sent"),
        counter("tx_packets", unit::count, from(kNetDev.column(10)), "packets sent"),
        counter("tx_errors", unit::count, from(kNetDev.column(11)),
                "packets that could not be sent"),
        counter("tx_dropped", unit::count, from(kNetDev.column(12)),
                "packets dropped before sending"),
        counter("tx_fifo", unit::count, from(kNetDev.column(13)), "send buffer overruns"),
        counter("collisions", unit::count, from(kNetDev.column(14)), "collisions"),
        counter("carrier_errors", unit::count, from(kNetDev.column(15)), "losses of carrier"),
        counter("tx_compressed", unit::count, from(kNetDev.column(16)), "compressed packets sent"),
        gauge("speed", unit::mbit_s, from(kNetSpeed.all()), "speed the link negotiated"),
        gauge("max_speed", unit::mbit_s, from(kEthtool.key("max_speed")),
              "highest speed the interface supports"),
        text("duplex", from(kNetDuplex.all()), "full or half"),
        gauge("carrier", unit::count, from(kNetCarrier.all()), "1 where the link is up"),
        text("operstate", from(kNetOperstate.all()), "operational state (RFC 2863)"),
        gauge("mtu", unit::bytes, from(kNetMtu.all()), "largest packet"),
        counter("carrier_changes", unit::count, from(kNetCarrierChanges.all()),
                "times the link came or went"),
        flags("flags", from(kNetFlags.all()), "IFF_ bits of netdevice(7), without IFF_RUNNING"),
    });

inline constexpr auto ip = table(
    TableId::ip, "ip", "IP packets of the machine", kEverySample,
    {
        counter("in_receives", unit::count, from(kSnmp.key("Ip", "InReceives")),
                "packets received"),
        counter("in_header_errors", unit::count, from(kSnmp.key("Ip", "InHdrErrors")),
                "packets with a broken header"),
        counter("in_discards", unit::count, from(kSnmp.key("Ip", "InDiscards")),
                "received packets discarded"),
        counter("in_delivers", unit::count, from(kSnmp.key("Ip", "InDelivers")),
                "packets delivered"),
        counter("out_requests", unit::count, from(kSnmp.key("Ip", "OutRequests")),
                "packets to send"),
        counter("out_discards", unit::count, from(kSnmp.key("Ip", "OutDiscards")),
                "packets to send discarded"),
        counter("out_no_routes", unit::count, from(kSnmp.key("Ip", "OutNoRoutes")),
                "packets without a route"),
        counter("reassembly_fails", unit::count, from(kSnmp.key("Ip", "ReasmFails")),
                "fragments that could not be joined"),
        counter("forwarded", unit::count, from(kSnmp.key("Ip", "ForwDatagrams")),
                "packets forwarded"),
        counter("in_octets", unit::bytes, from(kNetstat.key("IpExt", "InOctets")),
                "bytes received"),
        counter("out_octets", unit::bytes, from(kNetstat.key("IpExt", "OutOctets")), "bytes sent"),
    });

inline constexpr auto tcp = table(
    TableId::tcp, "tcp", "TCP of the machine", kEverySample,
    {
        counter("active_opens", unit::count, from(kSnmp.key("Tcp", "ActiveOpens")),
                "connections opened from here"),
        counter("passive_opens", unit::count, from(kSnmp.key("Tcp", "PassiveOpens")),
                "connections accepted"),
        counter("attempt_fails", unit::count, from(kSnmp.key("Tcp", "AttemptFails")),
                "connections that failed to open"),
        counter("established_resets", unit::count, from(kSnmp.key("Tcp", "EstabResets")),
                "connections reset"),
        gauge("established", unit::count, from(kSnmp.key("Tcp", "CurrEstab")),
              "connections established or waiting to be closed"),
        counter("in_segments", unit::count, from(kSnmp.key("Tcp", "InSegs")), "segments received"),
        counter("out_segments", unit::count, from(kSnmp.key("Tcp", "OutSegs")), "segments sent"),
        counter("retransmits", unit::count, from(kSnmp.key("Tcp", "RetransSegs")),
                "segments sent again"),
        counter("in_errors", unit::count, from(kSnmp.key("Tcp", "InErrs")), "broken segments"),
        counter("out_resets", unit::count, from(kSnmp.key("Tcp", "OutRsts")), "resets sent"),
        counter("timeouts", unit::count, from(kNetstat.key("TcpExt", "TCPTimeouts")),
                "retransmission timeouts"),
        counter("lost_retransmits", unit::count, from(kNetstat.key("TcpExt", "TCPLostRetransmit")),
                "retransmits that were lost too"),
        counter("fast_retransmits", unit::count, from(kNetstat.key("TcpExt", "TCPFastRetrans")),
                "fast retransmits"),
        counter("syn_retransmits", unit::count, from(kNetstat.key("TcpExt", "TCPSynRetrans")),
                "SYNs sent again"),
        counter("listen_overflows", unit::count, from(kNetstat.key("TcpExt", "ListenOverflows")),
                "connections refused because a backlog was full"),
        counter("listen_drops", unit::count, from(kNetstat.key("TcpExt", "ListenDrops")),
                "connections dropped by a listener"),
        counter("backlog_drops", unit::count, from(kNetstat.key("TcpExt", "TCPBacklogDrop")),
                "segments dropped because a socket was too busy"),
        counter("prune_calls", unit::count, from(kNetstat.key("TcpExt", "PruneCalled")),
                "receive queues trimmed for want of memory"),
        counter("receive_collapsed", unit::count, from(kNetstat.key("TcpExt", "TCPRcvCollapsed")),
                "segments collapsed in a receive queue"),
        counter("zero_window", unit::count, from(kNetstat.key("TcpExt", "TCPToZeroWindowAdv")),
                "times a receive window was closed"),
        counter("memory_aborts", unit::count, from(kNetstat.key("TcpExt", "TCPAbortOnMemory")),
                "connections aborted for want of memory"),
        counter("time_waited", unit::count, from(kNetstat.key("TcpExt", "TW")),
                "connections that ended in TIME_WAIT"),
        counter("time_wait_overflows", unit::count,
                from(kNetstat.key("TcpExt", "TCPTimeWaitOverflow")),
                "connections for which there was no TIME_WAIT entry left"),
        gauge("sockets_in_use", unit::count, from(kSockstat.key("TCP", "inuse")), "sockets in use"),
        gauge("orphans", unit::count, from(kSockstat.key("TCP", "orphan")),
              "sockets no process holds any more"),
        gauge("time_wait", unit::count, from(kSockstat.key("TCP", "tw")), "sockets in TIME_WAIT"),
        gauge("memory_pages", unit::count, from(kSockstat.key("TCP", "mem")),
              "pages held by TCP buffers"),
        gauge("port_first", unit::count, from(kPortRange.column(0)),
              "first port for connections from here"),
        gauge("port_last", unit::count, from(kPortRange.column(1)),
              "last port for connections from here"),
    });

inline constexpr auto udp = table(
    TableId::udp, "udp", "UDP of the machine", kEverySample,
    {
        counter("in_datagrams", unit::count, from(kSnmp.key("Udp", "InDatagrams")),
                "datagrams received"),
        counter("out_datagrams", unit::count, from(kSnmp.key("Udp", "OutDatagrams")),
                "datagrams sent"),
        counter("no_ports", unit::count, from(kSnmp.key("Udp", "NoPorts")),
                "datagrams for a port nobody listens on"),
        counter("in_errors", unit::count, from(kSnmp.key("Udp", "InErrors")),
                "datagrams that could not be delivered"),
        counter("receive_buffer_errors", unit::count, from(kSnmp.key("Udp", "RcvbufErrors")),
                "datagrams dropped because a receive buffer was full"),
        counter("send_buffer_errors", unit::count, from(kSnmp.key("Udp", "SndbufErrors")),
                "datagrams dropped because a send buffer was full"),
        gauge("sockets_in_use", unit::count, from(kSockstat.key("UDP", "inuse")), "sockets in use"),
    });

inline constexpr auto softnet = table(
    TableId::softnet, "softnet", "packet processing on each CPU", kEverySample,
    {
        key("cpu", from(kSoftnet.column(12)), "number of the CPU"),
        counter("processed", unit::count, from(kSoftnet.column(0)), "packets processed").u32(),
        counter("dropped", unit::count, from(kSoftnet.column(1)),
                "packets dropped because the backlog was full")
            .u32(),
        counter("time_squeeze", unit::count, from(kSoftnet.column(2)),
                "times the budget ran out with work left")
            .u32(),
        counter("flow_limit", unit::count, from(kSoftnet.column(10)),
                "packets dropped by the flow limit")
            .u32(),
    });

/// Counts of all sockets, also of those that are too many to be kept one by one.
inline constexpr auto socket_state = table(
    TableId::socket_state, "socket_state", "TCP sockets by state and local port", every_seconds(5),
    {
        text_key("protocol", from(kInetDiag.key("protocol")), "tcp, tcp6"),
        text_key("state", from(kInetDiag.key("state")), "ESTABLISHED, TIME_WAIT, LISTEN …"),
        key("local_port", from(kInetDiag.key("local_port")),
            "a listening local port; 0 for all the others"),
        gauge("sockets", unit::count, from(kInetDiag.key("sockets")), "how many"),
        gauge("recv_queue", unit::bytes, from(kInetDiag.key("recv_queue")),
              "bytes received that programs have not taken, summed"),
        gauge("send_queue", unit::bytes, from(kInetDiag.key("send_queue")),
              "bytes sent that the other side has not acknowledged, summed"),
    });

/// Kept: what listens, has a queue, retransmits or belongs to the watched tree; all of them while
/// there are no more than 2,000.
inline constexpr auto socket = table(
    TableId::socket, "socket", "sockets one by one", every_seconds(5),
    {
        text_key("protocol", from(kInetDiag.key("protocol")),
                 "tcp, tcp6, udp, udp6, udplite, udplite6, raw, raw6"),
        text_key("local_address", from(kInetDiag.key("local_address")), "local address"),
        key("local_port", from(kInetDiag.key("local_port")),
            "local port; of a raw socket, its protocol"),
        text_key("remote_address", from(kInetDiag.key("remote_address")),
                 "the other side's address"),
        key("remote_port", from(kInetDiag.key("remote_port")), "the other side's port"),
        key("inode", from(kInetDiag.key("inode")),
            "inode of the socket; 0 where no process holds it"),
        text("state", from(kInetDiag.key("state")), "ESTABLISHED, TIME_WAIT, LISTEN …"),
        gauge(
            "recv_queue", unit::bytes, from(kInetDiag.key("recv_queue")),
            "bytes received that the program has not taken; of a listener, connections to accept"),
        gauge("send_queue", unit::bytes, from(kInetDiag.key("send_queue")),
              "bytes that the other side has not acknowledged; of a listener, its backlog"),
        gauge("uid", unit::count, from(kInetDiag.key("uid")), "user that owns the socket"),
        gauge("pid", unit::count, from(kInetDiag.key("pid")), "a process that holds the socket"),
        text("program", from(kProcessArguments.all()),
             "that process's first argument, without the path before it"),
        gauge("timer", unit::count, from(kInetDiag.key("timer")),
              "0 off, 1 retransmit, 2 keepalive, 3 TIME_WAIT, 4 window probe"),
        gauge("timer_left", unit::ms, from(kInetDiag.key("timer_left")), "until the timer fires"),
        gauge("retransmits", unit::count, from(kInetDiag.key("retransmits")),
              "times the present segment was sent again"),
        gauge("rtt", unit::us, from(kTcpInfo.at(68, 4)), "smoothed round-trip time"),
        gauge("congestion_window", unit::count, from(kTcpInfo.at(80, 4)),
              "segments that may be under way"),
        counter("retransmits_total", unit::count, from(kTcpInfo.at(100, 4)), "segments sent again")
            .u32(),
        counter("bytes_acked", unit::bytes, from(kTcpInfo.at(120, 8)), "bytes acknowledged"),
        counter("bytes_received", unit::bytes, from(kTcpInfo.at(128, 8)), "bytes received"),
        gauge("not_sent", unit::bytes, from(kTcpInfo.at(144, 4)), "bytes not yet sent"),
        gauge("min_rtt", unit::us, from(kTcpInfo.at(148, 4)), "shortest round-trip time"),
        gauge("delivery_rate", unit::bytes, from(kTcpInfo.at(160, 8)), "bytes delivered a second"),
        counter("busy_time", unit::us, from(kTcpInfo.at(168, 8)), "time with data to send"),
        counter("receive_window_limited", unit::us, from(kTcpInfo.at(176, 8)),
                "time held up by the other side's window"),
        counter("send_buffer_limited", unit::us, from(kTcpInfo.at(184, 8)),
                "time held up by the own send buffer"),
        counter("bytes_sent", unit::bytes, from(kTcpInfo.at(200, 8)),
                "bytes sent, repetitions included"),
        counter("bytes_retransmitted", unit::bytes, from(kTcpInfo.at(208, 8)), "bytes sent again"),
    });

/// Not recorded: there are hundreds on any machine, and none of them says why training is slow.
inline constexpr auto socket_unix = table(
    TableId::socket_unix, "socket_unix", "UNIX domain sockets one by one", kOnRequest,
    {
        key("inode", from(kUnix.key("Inode")), "inode of the socket"),
        gauge("references", unit::count, from(kUnix.key("RefCount")), "who holds it"),
        flags("flags", from(kUnix.key("Flags")), "0x10000 accepts, 0x20000 waits, 0x40000 full"),
        gauge("type", unit::count, from(kUnix.key("Type")),
              "1 stream, 2 datagram, 3 raw, 4 reliable datagram, 5 packets in sequence"),
        gauge("state", unit::count, from(kUnix.key("St")),
              "0 free, 1 unconnected, 2 connecting, 3 connected, 4 disconnecting"),
        text("path", from(kUnix.key("Path")), "where it is bound; @ begins an abstract name"),
        gauge("pid", unit::count, from(kInetDiag.key("pid")), "a process that holds the socket"),
        text("program", from(kProcessArguments.all()),
             "that process's first argument, without the path before it"),
    });

/// At most 1,000 of each family.
inline constexpr auto route = table(
    TableId::route, "route", "routes", on_change(10),
    {
        text_key("family", from(kRoute.key("family")), "inet, inet6"),
        text_key("destination", from(kRoute.key("Destination"), kRoute6.key("destination")),
                 "address of the network or host"),
        key("prefix", from(kRoute.key("Mask"), kRoute6.key("prefix")), "bits of the network mask"),
        text_key("gateway", from(kRoute.key("Gateway"), kRoute6.key("next_hop")),
                 "next hop; all zero for none"),
        text_key("device", from(kRoute.key("Iface"), kRoute6.key("device")), "interface"),
        key("metric", from(kRoute.key("Metric"), kRoute6.key("metric")), "cost"),
        flags("flags", from(kRoute.key("Flags"), kRoute6.key("flags")), "RTF_ bits of route.h"),
        gauge("references", unit::count, from(kRoute.key("RefCnt"), kRoute6.key("references")),
              "who holds it"),
        gauge("uses", unit::count, from(kRoute.key("Use"), kRoute6.key("uses")), "lookups"),
        gauge("mss", unit::bytes, from(kRoute.key("MTU")), "largest segment; 0 for the default"),
        gauge("window", unit::bytes, from(kRoute.key("Window")),
              "largest TCP window; 0 for the default"),
        gauge("irtt", unit::ms, from(kRoute.key("IRTT")),
              "first round-trip time; 0 for the default"),
    });

/// What `ip`, `tcp` and `udp` have of it is read with every sample; this is all there is.
inline constexpr auto net_counter = table(
    TableId::net_counter, "net_counter", "every counter of the network protocols",
    every_seconds(30),
    {
        text_key("group",
                 from(kAllSnmp.key("group"), kAllNetstat.key("group"), kAllSnmp6.key("group")),
                 "Ip, Icmp, Tcp, TcpExt, Ip6 …"),
        text_key("name", from(kAllSnmp.key("name"), kAllNetstat.key("name"), kAllSnmp6.key("name")),
                 "as the kernel calls it"),
        counter("value", unit::count,
                from(kAllSnmp.key("value"), kAllNetstat.key("value"), kAllSnmp6.key("value")),
                "since boot")
            .i64(),
    });

}  // namespace tacho::schema

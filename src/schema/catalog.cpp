#include "schema/catalog.h"

#include <array>
#include <cassert>

#include "schema/cgroup.h"
#include "schema/cpu.h"
#include "schema/disk.h"
#include "schema/host.h"
#include "schema/memory.h"
#include "schema/net.h"
#include "schema/process.h"
#include "schema/recorder.h"
#include "schema/system.h"

namespace tacho {
namespace {

/// In the order of TableId (checked below).
constexpr std::array<TableView, kTableCount> kTables{
    schema::host.view(),         schema::cpu.view(),         schema::cpu_clock.view(),
    schema::system.view(),       schema::memory.view(),      schema::vm.view(),
    schema::pressure.view(),     schema::disk.view(),        schema::filesystem.view(),
    schema::mount_nfs.view(),    schema::net.view(),         schema::ip.view(),
    schema::tcp.view(),          schema::udp.view(),         schema::softnet.view(),
    schema::socket_state.view(), schema::socket.view(),      schema::socket_unix.view(),
    schema::route.view(),        schema::net_counter.view(), schema::process.view(),
    schema::process_exit.view(), schema::thread.view(),      schema::cgroup.view(),
    schema::event.view(),        schema::progress.view(),    schema::recorder.view(),
    schema::source_cost.view(),
};

consteval bool in_order() {
  for (size_t i = 0; i < kTableCount; ++i) {
    if (static_cast<size_t>(kTables[i].id) != i) return false;
  }
  return true;
}
static_assert(in_order(), "kTables must be in the order of TableId");

LayoutPtr make_layout(const TableView& table) {
  auto layout = std::make_shared<Layout>();
  layout->id = table.id;
  layout->name = table.name;
  for (const Metric& metric : table.metrics) {
    if (metric.kind == Kind::key) {
      layout->keys.push_back(static_cast<uint16_t>(layout->columns.size()));
    }
    layout->columns.push_back({std::string(metric.name), metric.kind, metric.type, metric.unit});
  }
  return layout;
}

}  // namespace

const TableView& table_view(TableId id) {
  return kTables[static_cast<size_t>(id)];
}

std::optional<TableId> find_table(std::string_view name) {
  for (const TableView& table : kTables) {
    if (table.name == name) return table.id;
  }
  return std::nullopt;
}

const Metric& metric_of(Column column) {
  return table_view(column.table).metrics[column.index];
}

std::optional<uint16_t> Layout::find(std::string_view column) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == column) return static_cast<uint16_t>(i);
  }
  return std::nullopt;
}

const LayoutPtr& layout_of(TableId id) {
  static const std::array<LayoutPtr, kTableCount> layouts = [] {
    std::array<LayoutPtr, kTableCount> made;
    for (size_t i = 0; i < kTableCount; ++i)
      made[i] = make_layout(kTables[i]);
    return made;
  }();
  return layouts[static_cast<size_t>(id)];
}

std::string_view symbol(Dimension dimension) {
  switch (dimension) {
    case Dimension::none:
      return "";
    case Dimension::bytes:
      return "B";
    case Dimension::seconds:
      return "s";
    case Dimension::percent:
      return "%";
    case Dimension::hertz:
      return "Hz";
    case Dimension::bits_per_second:
      return "bit/s";
    case Dimension::celsius:
      return "°C";
    case Dimension::watts:
      return "W";
    case Dimension::joules:
      return "J";
  }
  return "";
}

}  // namespace tacho

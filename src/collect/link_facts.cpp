#include "collect/link_facts.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "collect/slow_reader.h"
#include "host/ethtool.h"
#include "schema/net.h"

namespace tacho {
namespace {

constexpr int kEverySeconds = 10;
/// The first sample waits at most this long for them, so that a command that shows one sample has
/// them.
constexpr int64_t kFirstWait = 500 * kMillisecond;

/// A column of `net` and the file under sys/class/net/{device} that fills it.
struct Fact {
  uint16_t column = 0;
  std::string_view file;
};

std::vector<Fact> facts_in_files() {
  std::vector<Fact> facts;
  for (const Source* source : sources_of(table_view(TableId::net))) {
    if (source->shape != Shape::value) continue;
    std::string_view file = source->path.substr(source->path.rfind('/') + 1);
    for (const Binding& binding : bind(table_view(TableId::net), *source)) {
      facts.push_back({binding.target.column, file});
    }
  }
  return facts;
}

/// Rows of table `net` with the facts alone, one per interface.
class LinkReader : public Reader {
 public:
  LinkReader() : facts_(facts_in_files()) {}
  TableId table() const override { return TableId::net; }
  bool slow() const override { return true; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    auto listed = collecting.machine.list("sys/class/net", names_);
    if (!listed) return listed;
    for (const std::string& device : names_) {
      size_t row = rows.append();
      rows.set_text(row, schema::net["device"], device);
      for (const Fact& fact : facts_)
        read_file(collecting, device, fact, rows, row);
      read_max_speed(collecting, device, rows, row);
    }
    return {};
  }

 private:
  static void read_file(Collecting& collecting, const std::string& device, const Fact& fact,
                        Rows& rows, size_t row) {
    std::string path = fmt::format("sys/class/net/{}/{}", device, fact.file);
    auto text = collecting.machine.read(path.c_str(), collecting.buffer);
    if (!text) {
      rows.set_absent(row, fact.column, absent_of(text.error()));
      return;
    }
    std::string_view value = trim(*text);
    bool is_text = rows.layout().columns[fact.column].type == Type::text;
    if (is_text && value == "unknown" && fact.column == schema::net["duplex"].index) {
      rows.set_absent(row, fact.column, Absent::not_applicable);
    } else if (value.starts_with("0x")) {
      set_field(rows, row, fact.column, value.substr(2), 16);
    } else {
      set_field(rows, row, fact.column, value);
    }
    // Drivers whose link is down say 0, -1 or, unsigned, 2^32 - 1.
    if (fact.column != schema::net["speed"].index) return;
    Value speed = rows.at(row, fact.column);
    if (speed && (speed.bits == 0 || speed.bits == UINT32_MAX)) {
      rows.set_absent(row, fact.column, Absent::not_applicable);
    }
  }

  static void read_max_speed(Collecting& collecting, const std::string& device, Rows& rows,
                             size_t row) {
    auto modes = supported_link_modes(collecting.machine, device);
    uint64_t speed = modes ? highest_speed(*modes) : 0;
    if (speed > 0) {
      rows.set(row, schema::net["max_speed"], speed);
    } else {
      rows.set_absent(row, schema::net["max_speed"],
                      modes ? Absent::not_supported : absent_of(modes.error()));
    }
  }

  std::vector<Fact> facts_;
  std::vector<std::string> names_;
};

class LinkFacts : public RowFacts {
 public:
  LinkFacts() {
    for (const Fact& fact : facts_in_files())
      columns_.push_back(fact.column);
    columns_.push_back(schema::net["max_speed"].index);
  }

  void fill(Collecting& collecting, Rows& rows, size_t row) override {
    if (collecting.sample != sample_ || collecting.machine.epoch() != epoch_) refresh(collecting);
    Absent missing = latest_ == nullptr              ? Absent::not_read
                     : latest_->absent != Absent::no ? latest_->absent
                                                     : Absent::not_due;
    auto found = by_device_.find(std::string(rows.text(row, schema::net["device"])));
    for (uint16_t column : columns_) {
      Value value =
          found == by_device_.end() ? Value{0, missing} : latest_->at(found->second, column);
      if (!value) {
        rows.set_absent(row, column, value.absent);
      } else if (rows.layout().columns[column].type == Type::text) {
        rows.set_text(row, column, latest_->pool().view(value.bits));
      } else {
        rows.set(row, column, value.bits);
      }
    }
  }

 private:
  void refresh(Collecting& collecting) {
    sample_ = collecting.sample;
    epoch_ = collecting.machine.epoch();
    std::shared_ptr<Rows> rows;
    if (!collecting.machine.is_live()) {
      rows = read_now(collecting);
    } else {
      bool first = !slow_;
      if (first) {
        slow_ = std::make_unique<SlowReader>(std::make_unique<LinkReader>(),
                                             collecting.machine.shared_from_this(),
                                             every_seconds(kEverySeconds));
      }
      slow_->request(collecting.clock, collecting.sample);
      if (first) slow_->wait(monotonic_ns() + kFirstWait);
      rows = slow_->take(collecting.clock.monotonic_ns);
    }
    if (!rows) return;
    latest_ = std::move(rows);
    by_device_.clear();
    for (size_t row = 0; row < latest_->size(); ++row) {
      by_device_.emplace(latest_->text(row, schema::net["device"]), row);
    }
  }

  static std::shared_ptr<Rows> read_now(Collecting& collecting) {
    LinkReader reader;
    auto rows = std::make_shared<Rows>(layout_of(TableId::net), std::make_shared<TextPool>());
    if (auto outcome = reader.read(collecting, *rows); !outcome) {
      rows->absent = absent_of(outcome.error());
    }
    return rows;
  }

  std::vector<uint16_t> columns_;
  std::unique_ptr<SlowReader> slow_;
  std::shared_ptr<Rows> latest_;
  std::unordered_map<std::string, size_t> by_device_;
  uint64_t sample_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace

std::unique_ptr<RowFacts> make_link_facts() {
  return std::make_unique<LinkFacts>();
}

}  // namespace tacho

// tacho dump: rates (or raw values) of any table, one row per sample and instance.
#include <algorithm>

#include "base/clock.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/dump_rows.h"
#include "cli/folder.h"
#include "cli/output.h"
#include "cli/range.h"
#include "cli/recorded.h"
#include "cli/table_names.h"
#include "collect/live_cursor.h"
#include "recording/reader.h"

namespace tacho::cli {
namespace {

struct Job {
  std::vector<DumpTable> tables;
  DumpFormat format = DumpFormat::csv;
};

/// Rows of consecutive samples. Tables are multi-rate: each has its own last reading, and a reading
/// that is merely carried along gives no row.
class Dumper {
 public:
  explicit Dumper(const Job& job) : job_(job), before_(job.tables.size()) {
    if (job.format == DumpFormat::csv) print(job.tables[0].header());
    if (job.format == DumpFormat::json) print("[");
  }

  /// A sample before the first that is shown: what its rates are taken from.
  void prepare(const SamplePtr& sample) { before_.assign(before_.size(), sample); }

  void add(const SamplePtr& sample) {
    std::string out;
    for (size_t i = 0; i < job_.tables.size(); ++i) {
      const DumpTable& table = job_.tables[i];
      if (before_[i] && !sample->fresh(table.id())) continue;
      Window window(before_[i] ? before_[i] : sample, sample);
      for (const std::string& row : table.rows(window)) {
        if (job_.format == DumpFormat::json) out += any_ ? ",\n" : "\n";
        out += row;
        if (job_.format != DumpFormat::json) out += "\n";
        any_ = true;
      }
      before_[i] = sample;
    }
    print(out);
  }

  void finish() {
    if (job_.format == DumpFormat::json) print(any_ ? "\n]\n" : "]\n");
  }

 private:
  const Job& job_;
  std::vector<SamplePtr> before_;
  bool any_ = false;
};

Selection selection_of(const Job& job) {
  Selection selection;
  for (const DumpTable& table : job.tables)
    selection.add(table.id());
  selection.add(TableId::host);  // its boot id tells a Window of a boot in between
  return selection;
}

int dump_recording(const Job& job, const RangeWords& words, const std::string& folder) {
  auto held = describe_recording(folder);
  if (!held) return failed("dump", held.error());
  if (held->samples == 0) return failed("dump", folder + " holds no samples yet");
  auto range = parse_range(words, realtime_ns(), {held->from_ns, held->to_ns});
  if (!range) return failed("dump", range.error());
  auto cursor = open_recording(folder, selection_of(job));
  if (!cursor) return failed("dump", cursor.error());
  auto end = last_number_in(**cursor, *range);
  if (!end) return failed("dump", end.error());
  Dumper dumper(job);
  auto sample = (*cursor)->at(range->from_ns);
  if (sample && *sample && (*sample)->clock.realtime_ns < range->from_ns) {
    dumper.prepare(*sample);
    sample = (*cursor)->next();
  } else if (sample && *sample) {
    auto earlier = (*cursor)->previous();
    if (earlier && *earlier) {
      dumper.prepare(*earlier);
      sample = (*cursor)->next();
    } else {
      sample = (*cursor)->at(range->from_ns);
    }
  }
  for (; sample && *sample && (*sample)->number <= *end; sample = (*cursor)->next()) {
    if ((*sample)->clock.realtime_ns <= range->to_ns) dumper.add(*sample);
  }
  if (!sample) return failed("dump", sample.error());
  dumper.finish();
  note_gaps("dump", gaps_within((*cursor)->gaps(), range->from_ns, range->to_ns));
  return kDone;
}

/// `windows` seconds of the machine; of a rooted machine all its folders.
int dump_machine(const Job& job, std::shared_ptr<Machine> machine, uint64_t windows) {
  CollectorOptions options;
  options.first_wait_ns = kSecond / 2;
  bool rooted = !machine->is_live();
  auto cursor = open_live(std::move(machine), selection_of(job), kSecond, options);
  if (!cursor) return failed("dump", cursor.error());
  Dumper dumper(job);
  auto sample = (*cursor)->first();
  // Live, the first sample only serves the rates of the second; a single folder is all there is.
  if (sample && *sample) rooted ? dumper.add(*sample) : dumper.prepare(*sample);
  for (uint64_t i = 0; sample && *sample && (rooted || i < windows);) {
    sample = (*cursor)->next();
    if (!sample && sample.error().code == Errc::busy) {
      sample = SamplePtr{};
      break;  // a signal: what was shown so far is whole
    }
    if (!sample || !*sample) break;
    dumper.add(*sample);
    ++i;
  }
  if (!sample) return failed("dump", sample.error());
  dumper.finish();
  return kDone;
}

Result<DumpFormat> format_of(const std::optional<std::string>& word, bool json, size_t tables) {
  DumpFormat format = json ? DumpFormat::json : DumpFormat::csv;
  if (word && *word == "json") format = DumpFormat::json;
  if (word && *word == "ndjson") format = DumpFormat::ndjson;
  if (word && *word != "csv" && *word != "json" && *word != "ndjson") {
    return fail(Errc::invalid, "--format {}: csv, json or ndjson", *word);
  }
  if (format == DumpFormat::csv && tables != 1) {
    return fail(Errc::invalid, "CSV holds one table; use --format ndjson for several");
  }
  return format;
}

}  // namespace

int dump(int argc, char** argv) {
  std::vector<std::string> names;
  RangeWords words;
  std::optional<std::string> dir;
  std::optional<std::string> root;
  std::optional<std::string> format_word;
  std::optional<std::string> live;
  bool json = false;
  bool raw = false;
  Arguments args("dump", "Rates of any table, one row per sample and instance.");
  args.words("TABLE", names, 1, kTableCount);
  words.declare(args);
  args.value("--dir", dir, "DIR", "the recording's folder");
  args.value("--root", root, "DIR,DIR", "the machine in these folders instead of a recording");
  args.optional_value("--live", live, "N", "N seconds of this machine as it is; 1 without N");
  args.value("--format", format_word, "FORMAT", "csv (of one table), json or ndjson");
  args.flag("--json", json, "as --format json");
  args.flag("--raw", raw, "the stored integers instead of rates and figures");
  args.epilogue("Without a range: all that the recording holds. 'tacho schema' lists the tables.");
  if (auto code = args.parse(argc, argv)) return *code;
  auto tables = named_tables(names);
  if (!tables) return usage_error("dump", tables.error().what);
  auto format = format_of(format_word, json, tables->size());
  if (!format) return usage_error("dump", format.error().what);
  Job job;
  job.format = *format;
  for (TableId id : *tables)
    job.tables.emplace_back(id, raw, *format);

  if (root) {
    std::vector<std::string> folders;
    for (std::string_view part : split(*root, ','))
      folders.emplace_back(part);
    auto machine = Machine::rooted(folders);
    if (!machine) return failed("dump", machine.error());
    return dump_machine(job, *machine, 0);
  }
  if (live) {
    auto seconds = live->empty() ? std::optional<uint64_t>(1) : parse_u64(*live);
    if (!seconds || *seconds == 0) {
      return usage_error("dump", "--live=" + *live + ": a number of seconds");
    }
    return dump_machine(job, Machine::live(), *seconds);
  }
  return dump_recording(job, words, folder_to_read(dir));
}

}  // namespace tacho::cli

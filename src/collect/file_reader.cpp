#include "collect/file_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace tacho {

const Result<std::string_view>& SharedFile::read(Collecting& collecting) {
  if (sample_ == collecting.sample) return result_;
  sample_ = collecting.sample;
  result_ = file_.read(collecting.machine, collecting.buffer);
  if (result_) {
    text_.assign(*result_);
    result_ = std::string_view(text_);
  }
  return result_;
}

SharedFilePtr FileSet::get(const std::string& path) {
  SharedFilePtr& file = files_[path];
  if (!file) file = std::make_shared<SharedFile>(path);
  return file;
}

namespace {

/// "proc/stat#cpu": what follows '#' tells apart two uses of one file.
std::string file_of(const Source& source) {
  return std::string(source.path.substr(0, source.path.find('#')));
}

class RowReader : public Reader {
 public:
  RowReader(TableId table, FileSet& files) : table_(table) {
    for (const Source* source : sources_of(table_view(table))) {
      parts_.push_back({files.get(file_of(*source)), RowParser(table_view(table), *source)});
    }
  }
  TableId table() const override { return table_; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    size_t row = rows.append();
    ranks_.reset(rows.width());
    Result<void> outcome;
    size_t failed = 0;
    for (Part& part : parts_) {
      const auto& text = part.file->read(collecting);
      Absent reason = Absent::not_supported;  // of a column that the file does not mention
      if (text) {
        part.parser.parse(*text, rows, row, ranks_);
      } else {
        reason = absent_of(text.error());
        if (failed++ == 0) outcome = tl::unexpected(text.error());
      }
      for (const Binding& binding : part.parser.bindings()) {
        uint16_t column = binding.target.column;
        if (!ranks_.filled(column)) rows.set_absent(row, column, reason);
      }
    }
    return failed == parts_.size() ? outcome : Result<void>{};
  }

 private:
  struct Part {
    SharedFilePtr file;
    RowParser parser;
  };
  TableId table_;
  std::vector<Part> parts_;
  Ranks ranks_;
};

class LineReader : public Reader {
 public:
  LineReader(TableId table, const Source& source, FileSet& files, std::unique_ptr<RowFacts> facts)
      : table_(table),
        file_(files.get(file_of(source))),
        parser_(table_view(table), source),
        facts_(std::move(facts)) {}
  TableId table() const override { return table_; }

  Result<void> read(Collecting& collecting, Rows& rows) override {
    const auto& text = file_->read(collecting);
    if (!text) return tl::unexpected(text.error());
    std::string_view rest = *text;
    std::string_view line;
    while (next_line(rest, line)) {
      if (!prepare(line)) continue;
      size_t row = rows.append();
      parser_.parse(line, rows, row);
      // Without its key a line is nobody's: half a line of a broken file.
      bool keyed = std::ranges::all_of(rows.layout().keys,
                                       [&](uint16_t key) { return rows.at(row, key).has(); });
      if (!keyed && table_ == TableId::softnet) {  // before 5.10 the line did not name its CPU
        rows.set(row, rows.layout().keys[0], row);
      } else if (!keyed) {
        rows.drop_last();
        continue;
      }
      if (facts_) facts_->fill(collecting, rows, row);
    }
    return {};
  }

 private:
  /// Whether the line is an instance's; makes net/dev's "name:value" two fields.
  bool prepare(std::string_view& line) {
    if (table_ == TableId::cpu) return line.starts_with("cpu");
    if (table_ != TableId::net) return !trim(line).empty();
    size_t colon = line.rfind(':');  // an alias (eth0:1) has one in its name
    if (colon == std::string_view::npos || line.find('|') != std::string_view::npos) return false;
    line_.assign(line);
    line_[colon] = ' ';
    line = line_;
    return true;
  }

  TableId table_;
  SharedFilePtr file_;
  LineParser parser_;
  std::unique_ptr<RowFacts> facts_;
  std::string line_;
};

class ValueFacts : public RowFacts {
 public:
  ValueFacts(TableId table, int seconds) : seconds_(seconds) {
    for (const Source* source : sources_of(table_view(table))) {
      if (source->shape != Shape::value || source->path.find('{') == std::string_view::npos)
        continue;
      for (const Binding& binding : bind(table_view(table), *source)) {
        files_.push_back({source->path, binding.target.column});
      }
    }
  }

  void fill(Collecting& collecting, Rows& rows, size_t row) override {
    std::string instance(rows.pool().view(rows.at(row, rows.layout().keys[0]).bits));
    Known& known = known_[instance];
    bool due = known.values.empty() || collecting.machine.epoch() != known.epoch ||
               collecting.clock.monotonic_ns - known.read_ns >= seconds_ * kSecond;
    if (due) look(collecting, instance, known);
    known.sample = collecting.sample;
    for (size_t i = 0; i < files_.size(); ++i) {
      const auto& value = known.values[i];
      if (value) {
        set_field(rows, row, files_[i].column, *value);
      } else {
        rows.set_absent(row, files_[i].column, absent_of(value.error()));
      }
    }
    forget_the_gone(collecting);
  }

 private:
  struct File {
    std::string_view path;
    uint16_t column;
  };
  struct Known {
    std::vector<Result<std::string>> values;
    int64_t read_ns = 0;
    uint64_t epoch = 0;
    uint64_t sample = 0;
  };

  void look(Collecting& collecting, const std::string& instance, Known& known) {
    known.values.clear();
    known.read_ns = collecting.clock.monotonic_ns;
    known.epoch = collecting.machine.epoch();
    // A name is one folder; the block layer writes the '/' of old names (cciss/c0d0) as '!'.
    std::string folder = instance;
    std::ranges::replace(folder, '/', '!');
    for (const File& file : files_) {
      size_t open = file.path.find('{');
      size_t close = file.path.find('}');
      std::string path =
          fmt::format("{}{}{}", file.path.substr(0, open), folder, file.path.substr(close + 1));
      auto text = collecting.machine.read(path.c_str(), collecting.buffer);
      if (text) {
        known.values.emplace_back(std::string(trim(*text)));
      } else {
        bool missing = text.error().code == Errc::not_found || text.error().code == Errc::invalid;
        known.values.emplace_back(
            fail(missing ? Errc::not_supported : text.error().code, "{}", text.error().what));
      }
    }
  }

  /// Devices come and go: what was not seen for long is dropped, now and then.
  void forget_the_gone(const Collecting& collecting) {
    if (collecting.sample % 256 != 0 || collecting.sample == swept_) return;
    swept_ = collecting.sample;
    std::erase_if(known_,
                  [&](const auto& entry) { return collecting.sample - entry.second.sample > 256; });
  }

  int64_t seconds_;
  std::vector<File> files_;
  std::unordered_map<std::string, Known> known_;
  uint64_t swept_ = 0;
};

}  // namespace

Absent absent_of(const Error& error) {
  switch (error.code) {
    case Errc::no_permission:
      return Absent::no_permission;
    case Errc::not_found:
    case Errc::not_supported:
    case Errc::invalid:
      return Absent::not_supported;
    case Errc::timed_out:
    case Errc::busy:
      return Absent::timed_out;
    case Errc::gone:
      return Absent::gone;
    default:
      return Absent::unreadable;
  }
}

std::unique_ptr<Reader> make_row_reader(TableId table, FileSet& files) {
  return std::make_unique<RowReader>(table, files);
}

std::unique_ptr<Reader> make_line_reader(TableId table, const Source& source, FileSet& files,
                                         std::unique_ptr<RowFacts> facts) {
  return std::make_unique<LineReader>(table, source, files, std::move(facts));
}

std::unique_ptr<RowFacts> make_value_facts(TableId table, int seconds) {
  return std::make_unique<ValueFacts>(table, seconds);
}

}  // namespace tacho

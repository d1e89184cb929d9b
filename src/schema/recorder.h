#pragma once

#include "schema/table.h"

namespace tacho::schema {

/// The kernel log, changes of facts, deaths in the watched tree, marks.
inline constexpr Source kEvents{"events", Shape::call};
inline constexpr Source kProgress{"progress", Shape::call};
inline constexpr Source kSelf{"self", Shape::call};

/// Each event is an instance of the sample in which it was seen, and of no later one.
inline constexpr auto event = table(
    TableId::event, "event", "what happened: kernel messages, marks, changes, deaths", kEverySample,
    {
        key("sequence", from(kEvents.key("sequence")), "counts up by one in this recording"),
        gauge("time", unit::us, from(kEvents.key("time")), "when, in epoch microseconds"),
        text("kind", from(kEvents.key("kind")),
             "oom_kill, xid, link_up, link_down, soft_lockup, hung_task, io_error, mark, change, "
             "death, gap"),
        text("subject", from(kEvents.key("subject")), "what it happened to: a process, a device"),
        text("detail", from(kEvents.key("detail")), "the message itself, or old and new value"),
        gauge("pid", unit::count, from(kEvents.key("pid")), "process concerned"),
    });

inline constexpr auto progress =
    table(TableId::progress, "progress", "steps of a wrapped program", kEverySample,
          {
              text_key("name", from(kProgress.key("name")), "which progress bar or loop"),
              counter("steps", unit::count, from(kProgress.key("steps")), "steps done"),
              gauge("total", unit::count, from(kProgress.key("total")), "steps to do"),
          });

inline constexpr auto recorder = table(
    TableId::recorder, "recorder", "what recording itself costs", kEverySample,
    {
        counter("cpu_time", unit::us, from(kSelf.key("cpu_time")), "CPU time of the recorder"),
        gauge("resident", unit::kib, from(kSelf.key("resident")),
              "resident memory of the recorder"),
        gauge("descriptors", unit::count, from(kSelf.key("descriptors")), "open descriptors"),
        gauge("threads", unit::count, from(kSelf.key("threads")), "threads of the recorder"),
        counter("bytes_written", unit::bytes, from(kSelf.key("bytes_written")),
                "bytes written to the recording"),
        counter("late_samples", unit::count, from(kSelf.key("late_samples")),
                "samples that began late by more than a tenth of the interval"),
        gauge("late", unit::us, from(kSelf.key("late")), "how late this sample began"),
        counter("missed_samples", unit::count, from(kSelf.key("missed_samples")),
                "samples that were due and never taken"),
        counter("write_errors", unit::count, from(kSelf.key("write_errors")),
                "samples that could not be written"),
        gauge("interval", unit::us, from(kSelf.key("interval")), "nominal interval"),
        gauge("previous_cost", unit::us, from(kSelf.key("previous_cost")),
              "CPU time that the sample before took, writing included"),
    });

inline constexpr auto source_cost = table(
    TableId::source_cost, "source_cost", "time spent reading each table", every_seconds(10),
    {
        text_key("table", from(kSelf.key("table")), "name of the table"),
        counter("reads", unit::count, from(kSelf.key("reads")), "times it was read"),
        counter("cost", unit::us, from(kSelf.key("cost")), "CPU time that took"),
        counter("failures", unit::count, from(kSelf.key("failures")), "times it could not be read"),
        gauge("absent", unit::count, from(kSelf.key("absent")),
              "why it could not be read last (the number of the reason), 0 if it could"),
    });

}  // namespace tacho::schema

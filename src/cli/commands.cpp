#include "cli/commands.h"

#include <array>

namespace tacho::cli {
namespace {

constexpr std::array kCommands{
    Command{"record", "[-b] [--interval 10s]", "the black box, in the foreground or the background",
            record},
    Command{"status", "", "of the background recorder: since when, cost, size, gaps", status, false,
            true},
    Command{"stop", "", "stops the background recorder", stop},
    Command{"run", "[--] CMD...", "runs a training: records it, exits with its exit code, sums up",
            run},
    Command{"why", "[RANGE]", "the procedure walked, the verdict, its evidence, what to do", why,
            false, true},
    Command{"top", "[-b] [-n N] [-o FIELD]", "as top, live or over a recording", top, true},
    Command{"vmstat", "[delay [count]]", "as vmstat, live or over a recording", vmstat, true, true},
    Command{"iostat", "[interval [count]]", "as iostat, live or over a recording", iostat, true,
            true},
    Command{"netstat", "[-tulnpearisco]", "as netstat, live or over a recording", netstat, true,
            true},
    Command{"dump", "TABLE... [RANGE]", "rates of any table, one row per sample and instance", dump,
            false, true},
    Command{"mark", "TEXT", "puts a mark into the running recording", mark},
    Command{"doctor", "", "what can be seen on this machine, what not, and how to allow it", doctor,
            false, true},
    Command{"capture", "DIR", "this machine's sources as files, readable with --root", capture},
    Command{"schema", "[TABLE]", "every metric: unit, kind, source, meaning", schema, false, true},
};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace tacho::cli

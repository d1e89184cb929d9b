// How many TCP sockets are in each state.
#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "schema/net.h"
#include "views/many_rows.h"
#include "views/netstat/netstat.h"
#include "views/netstat/socket_rows.h"

namespace tacho {
namespace {

struct State {
  std::string name;
  uint64_t sockets = 0;
  uint64_t received = 0;
  uint64_t sent = 0;
  bool sent_known = true;  ///< of listeners it is the backlog, which is not always known
};

void put_name(const State& s, std::string& out) {
  out += escape_control(s.name);
}
void put_count(const State& s, std::string& out) {
  put_number(out, s.sockets);
}
void put_received(const State& s, std::string& out) {
  put_number(out, s.received);
}
void put_sent(const State& s, std::string& out) {
  put_value(out, {s.sent, s.sent_known ? Absent::no : Absent::not_supported});
}

constexpr std::array kColumns{
    ManyRowsColumn<State>{"State", 11, Align::left, put_name},
    ManyRowsColumn<State>{"Sockets", 8, Align::right, put_count},
    ManyRowsColumn<State>{"Recv-Q", 8, Align::right, put_received},
    ManyRowsColumn<State>{"Send-Q", 8, Align::right, put_sent},
};

/// The most frequent first, equal ones by name.
std::vector<State> states_of(const Rows& rows, const NetstatOptions& options) {
  std::map<std::string_view, State> states;
  for (size_t row = 0; row < rows.size(); ++row) {
    std::string_view name = rows.text(row, schema::socket_state["state"]);
    bool is_v6 = rows.text(row, schema::socket_state["protocol"]).ends_with('6');
    if (!(is_v6 ? options.inet6 : options.inet)) continue;
    if (options.listening && !options.all && name != "LISTEN") continue;
    State& state = states[name];
    state.name = name;
    state.sockets += rows.at(row, schema::socket_state["sockets"]).bits;
    state.received += rows.at(row, schema::socket_state["recv_queue"]).bits;
    Value sent = rows.at(row, schema::socket_state["send_queue"]);
    state.sent += sent.bits;
    state.sent_known = state.sent_known && sent.has();
  }
  std::vector<State> sorted;
  for (auto& [name, state] : states)
    sorted.push_back(std::move(state));
  std::ranges::stable_sort(sorted, std::greater{}, &State::sockets);
  return sorted;
}

}  // namespace

std::string netstat_states(const Rows& states, const NetstatOptions& options) {
  return rows_text<State>(kColumns, [all = states_of(states, options)](const auto& visit) {
    for (const State& state : all)
      visit(state);
  });
}

Json netstat_states_json(const Rows& states, const NetstatOptions& options) {
  Json json = Json::array();
  for (const State& state : states_of(states, options)) {
    json.push_back(Json{{"state", state.name},
                        {"sockets", state.sockets},
                        {"recv_queue", state.received},
                        {"send_queue", state.sent_known ? Json(state.sent) : Json(nullptr)}});
  }
  return json;
}

}  // namespace tacho

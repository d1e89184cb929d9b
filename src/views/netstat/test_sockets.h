// For tests: rows of the table `socket`, made one by one.
#pragma once

#include <memory>
#include <string_view>

#include "sample/rows.h"
#include "schema/net.h"

namespace tacho {

class TestSockets {
 public:
  /// An empty state is that of an unconnected UDP or raw socket. Nothing is queued, no timer runs,
  /// the owner is not known; inodes are 1, 2, 3 …
  TestSockets& add(std::string_view protocol, std::string_view local, uint64_t local_port,
                   std::string_view remote, uint64_t remote_port, std::string_view state) {
    size_t row = rows_->append();
    rows_->set_text(row, schema::socket["protocol"], protocol);
    rows_->set_text(row, schema::socket["local_address"], local);
    rows_->set(row, schema::socket["local_port"], local_port);
    rows_->set_text(row, schema::socket["remote_address"], remote);
    rows_->set(row, schema::socket["remote_port"], remote_port);
    rows_->set(row, schema::socket["inode"], row + 1);
    if (state.empty()) {
      rows_->set_absent(row, schema::socket["state"], Absent::not_applicable);
    } else {
      rows_->set_text(row, schema::socket["state"], state);
    }
    queues(0, 0);
    return timer(0, 0, 0);
  }
  /// Of the row added last, as all below.
  TestSockets& queues(uint64_t received, uint64_t sent) {
    rows_->set(last(), schema::socket["recv_queue"], received);
    rows_->set(last(), schema::socket["send_queue"], sent);
    return *this;
  }
  TestSockets& timer(uint64_t number, uint64_t left_ms, uint64_t retransmits) {
    rows_->set(last(), schema::socket["timer"], number);
    rows_->set(last(), schema::socket["timer_left"], left_ms);
    rows_->set(last(), schema::socket["retransmits"], retransmits);
    return *this;
  }
  TestSockets& owner(uint64_t uid, uint64_t pid, std::string_view program) {
    rows_->set(last(), schema::socket["uid"], uid);
    rows_->set(last(), schema::socket["pid"], pid);
    rows_->set_text(last(), schema::socket["program"], program);
    return *this;
  }
  TestSockets& nobody() {
    for (Column column :
         {schema::socket["uid"], schema::socket["pid"], schema::socket["program"]}) {
      rows_->set_absent(last(), column, Absent::not_applicable);
    }
    return *this;
  }
  [[nodiscard]] Rows& rows() { return *rows_; }
  [[nodiscard]] const std::shared_ptr<Rows>& shared() { return rows_; }

 private:
  [[nodiscard]] size_t last() const { return rows_->size() - 1; }

  std::shared_ptr<Rows> rows_ =
      std::make_shared<Rows>(layout_of(TableId::socket), std::make_shared<TextPool>());
};

}  // namespace tacho

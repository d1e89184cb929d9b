#include "sample/sample.h"

#include <gtest/gtest.h>

#include "schema/memory.h"
#include "schema/process.h"

namespace tacho {
namespace {

TEST(Selection, OfATableWantsEveryColumn) {
  Selection selection{TableId::memory};
  EXPECT_TRUE(selection.wants(schema::memory["free"]));
  EXPECT_FALSE(selection.narrowed(TableId::memory));
  EXPECT_FALSE(selection.wants(schema::process["pid"]));
}

TEST(Selection, OfColumnsWantsThoseAlone) {
  Selection selection{TableId::memory};
  selection.want(schema::process["pid"]);
  selection.want(schema::process["swap"]);
  selection.want(schema::process["swap"]);
  EXPECT_TRUE(selection.has(TableId::process));
  EXPECT_TRUE(selection.narrowed(TableId::process));
  EXPECT_TRUE(selection.wants(schema::process["swap"]));
  EXPECT_FALSE(selection.wants(schema::process["nice"]));
  EXPECT_TRUE(selection.wants(schema::memory["free"])) << "of another table still all";
}

}  // namespace
}  // namespace tacho

import { Effect } from "effect"
import type { TablesJson } from "../../studio/viewer/PageData.ts"

/** Writes a page of tables, self-contained. The viewer is loaded when it is first needed. */
export const tablesPage = (tables: TablesJson) =>
  Effect.promise(async () => {
    const { writePage } = await import("../../studio/viewer/writePage.ts")
    return writePage({ page: "tables", language: "en", tables })
  })

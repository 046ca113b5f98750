import { Database } from "../../service/Database.ts"
import { VisitCode } from "../../visit/values/Code.ts"
import type { JournalVisit } from "../journal/JournalVisit.ts"
import type { VisitFacts } from "../Submission.ts"
import { decide, type Decision, type Plan, type PlannedVisit, type PlanOptions, type Sent } from "./plan.ts"

/** Visits read per query. */
const pageSize = 500

/**
 * A plan that grows as the input is read. It is in a temporary database without a name, so that memory does not grow with the input.
 * SQLite keeps two megabytes of it in memory, and the rest in a file that is deleted with the process. Payloads are not stored.
 */
export class PlanDraft {
  readonly #options: PlanOptions
  readonly #database = new Database("")

  constructor(options: PlanOptions) {
    this.#options = options
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      CREATE TABLE planned (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        admitted_at TEXT NOT NULL,
        source TEXT,
        decision TEXT NOT NULL
      ) STRICT;
      CREATE INDEX planned_code ON planned (code);
    `)
  }

  add(visit: VisitFacts, known: JournalVisit | undefined, sent: Sent): Decision {
    const { admittedAt, code, fingerprint, source } = visit
    const first = this.#database.get(
      "SELECT fingerprint, source FROM planned WHERE code = ? ORDER BY id LIMIT 1",
      code
    )
    const decision: Decision = first === undefined
      ? decide(visit, known, this.#options, sent)
      : first.fingerprint === fingerprint
      ? { _tag: "Skip", why: "same-visit-twice" }
      : { _tag: "Hold", why: "given-twice", other: first.source === null ? null : String(first.source) }
    this.#database.run(
      "INSERT INTO planned (code, fingerprint, admitted_at, source, decision) VALUES (?, ?, ?, ?, ?)",
      code,
      fingerprint,
      admittedAt,
      source,
      JSON.stringify(decision)
    )
    return decision
  }

  /** Can be read until the draft is closed. */
  get plan(): Plan {
    return { visits: { [Symbol.iterator]: () => this.#planned() } }
  }

  close(): void {
    this.#database.close()
  }

  *#planned(): Generator<PlannedVisit> {
    for (let last = 0, isOver = false; !isOver;) {
      const rows = this.#database.all(
        "SELECT id, code, admitted_at, source, decision FROM planned WHERE id > ? ORDER BY id LIMIT ?",
        last,
        pageSize
      )
      for (const { admitted_at, code, decision, source } of rows) {
        yield {
          code: VisitCode(String(code)),
          admittedAt: String(admitted_at),
          source: source === null ? null : String(source),
          // `add` wrote it.
          decision: JSON.parse(String(decision)) as Decision
        }
      }
      last = Number(rows.at(-1)?.id)
      isOver = rows.length < pageSize
    }
  }
}

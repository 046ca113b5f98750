import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { urlOfOid } from "../../json/codeSystems.ts"
import type { SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import { SyntaxReader } from "../language/SyntaxReader.ts"

/** The rows of a code table file, as syntax, so that they merge and are checked as inline rows are. */
export interface TableRows {
  readonly rows: SyntaxMap
  readonly problems: ReadonlyArray<Diagnostic>
}

/** A text of a table and its source location. */
export interface PlacedText {
  readonly text: string
  readonly span: Span
}

/** Collects the rows of one file, and the problems in it. */
export class TableReader extends SyntaxReader {
  readonly #file: string
  readonly #rows = new Map<string, SyntaxEntry>()

  constructor(file: string) {
    super()
    this.#file = file
  }

  /**
   * Adds a row: `system|code` or only `code`, and its value. An OID of a system is its URL. A second value for a code is an error; a repeat of
   * the same value is not.
   */
  row(system: string, code: PlacedText, value: PlacedText): void {
    const key = system === "" ? code.text : `${urlOfOid(system) ?? system}|${code.text}`
    const known = this.#rows.get(key)
    if (known === undefined) {
      const { column } = value.span
      const scalar = {
        kind: "scalar",
        span: value.span,
        value: value.text,
        verbatim: false,
        textColumn: column
      } as const
      this.#rows.set(key, { key: code.span, value: scalar })
    } else if (known.value.kind === "scalar" && known.value.value !== value.text) {
      this.problems.push({
        code: "invalid-value",
        severity: "error",
        title: `the code \`${key}\` has two values in this table`,
        mapping: value.span,
        label: "another value here",
        labels: [{ span: known.value.span, text: "the first" }],
        help: ["keep one of the two rows"]
      })
    }
  }

  done(): TableRows {
    const span: Span = { file: this.#file, line: 1, column: 1, endColumn: 2 }
    return { rows: { kind: "map", span, entries: this.#rows }, problems: this.problems }
  }
}

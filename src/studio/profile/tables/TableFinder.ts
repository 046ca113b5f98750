import { columnWordsOf } from "./columnWords.ts"
import type { ColumnProfile, TableProfile } from "./TableProfile.ts"
import type { Declared, Role } from "./TableRole.ts"

/** Finds the columns of a table by what they are called, and what stands in the tables of names that its rows point to. */
export class TableFinder {
  readonly role: Role
  readonly #others: ReadonlyArray<Role>
  readonly #naming: ReadonlySet<string>

  constructor(role: Role, roles: ReadonlyArray<Role>) {
    this.role = role
    // A column that leads to a visit or a patient says nothing else; one that leads to a table of names is a code too.
    this.#naming = new Set(
      role.links.filter(([, , target]) => target === "visit" || target === "patient").flatMap((
        [, { column, beside }]
      ) => [column, ...(beside ?? [])])
    )
    this.#others = role.links.flatMap(([, , target]) => roles.find(({ name }) => name === target) ?? [])
  }

  /** The first column that is called so: wanted words one after the other, of one the first column. */
  own(words: ReadonlyArray<RegExp>, fits: (one: Declared) => boolean = () => true): Declared | undefined {
    for (const expected of words) {
      const found = this.role.columns.find((one) =>
        one.column.kind !== "empty" && !this.#naming.has(one.column.name) &&
        expected.test(columnWordsOf(one.column.name)) &&
        fits(one)
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  /** A path to what is called so: on the row, else on a row of a table of names. */
  path(words: ReadonlyArray<RegExp>, fits?: (one: Declared) => boolean): string | undefined {
    const own = this.own(words, fits)
    return own === undefined ? this.named(words, fits)?.path : pathOf(own.name)
  }

  /** A path to a code: of its own columns those that number rows are none; in a table of names the column that names things is. */
  code(words: ReadonlyArray<RegExp>): string | undefined {
    const own = this.own(words, ({ column }) => canBeCode(column, this.role.table))
    return own === undefined ? this.named(words)?.path : pathOf(own.name)
  }

  /** The same in a table of names alone. */
  named(
    words: ReadonlyArray<RegExp>,
    fits: (one: Declared) => boolean = () => true
  ): { readonly path: string; readonly column: Declared } | undefined {
    for (const expected of words) {
      for (const other of this.names) {
        const found = other.columns.find((one) =>
          one.column.name !== other.table.keys[0] && expected.test(columnWordsOf(one.column.name)) && fits(one)
        )
        const link = this.role.links.find(([, , target]) => target === other.name)
        if (found !== undefined && link !== undefined) {
          return { path: `${link[0]}.resolve().${pathOf(found.name)}`, column: found }
        }
      }
    }
    return undefined
  }

  /** The tables of names of things: they name neither a visit nor a patient, and are not of people or places. */
  get names(): ReadonlyArray<Role> {
    return this.#others.filter(({ links, name, table }) =>
      name !== "visit" && !places.test(columnWordsOf(table.name)) && name !== "patient" &&
      !links.some(([, , target]) => target === "visit" || target === "patient")
    )
  }

  /** A time that is called so; without words the first that is no time of the row's own making. */
  time(...words: ReadonlyArray<RegExp>): Declared | undefined {
    const expected = words.length === 0
      ? [/^(?!.*\b(?:created|updated|modified|printed|expir\w*|due|stop\w*|end\w*)\b)/u]
      : words
    return this.own(expected, ({ column }) => column.kind === "timestamp") ??
      this.own(expected, ({ column }) => column.kind === "date")
  }

  /** Who did something, where that is a column of names. */
  staff(): string | undefined {
    return this.own([
      /\b(?:doctor|physician|clinician|nurse|staff|provider|prescriber|orderer|requester|practitioner|seen by|recorded by|taken by)\b/u
    ], (
      { column, name }
    ) => name !== "" && !this.role.table.links.some((link) => link.column === column.name))?.name
  }
}

/**
 * Whether a column can hold codes: not one in which every row has another value, and not one that is called like the key of a row. A column
 * that is called a code may be without repeats in a short table.
 */
export const canBeCode = ({ name, unique }: ColumnProfile, { keys, rows }: TableProfile): boolean => {
  const words = columnWordsOf(name)
  const isCode = /\b(?:code|icd\w*|cim\w*|cie\w*|dx|atc|ndc|loinc|snomed)\b/u.test(words) && !numbersRows.test(words)
  if (unique && rows >= 20) return false
  return isCode || !(unique && numbersRows.test(words)) && keys[0] !== name
}

/** Words at the end of the name of a key. */
const numbersRows = /\b(?:id|no|nr|num|number|numero|nomor|seq|key|uuid|guid)$/u

const places =
  /\b(?:organi[sz]ations?|providers?|payers?|doctors?|physicians?|staff|employees?|users?|practitioners?|departments?|facilit\w*|locations?|wards?|clinics?|hospitals?|insur\w*)\b/u

/** Words of FHIRPath: a column that is called like one stands in back-ticks in a path. */
const fhirPathWords: ReadonlySet<string> = new Set(
  ("and or xor implies in contains is as div mod true false year years month months week weeks day days hour hours minute minutes "
    + "second seconds millisecond milliseconds").split(" ")
)

/** A column as a path names it. */
export const pathOf = (name: string): string => (fhirPathWords.has(name) ? `\`${name}\`` : name)

/** A path as a YAML value: plain where it is one word. */
export const yamlOf = (path: string | undefined): string =>
  path === undefined
    ? "null"
    : /^[a-z]\w*$/iu.test(path) && !/^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(path)
    ? path
    : JSON.stringify(path)

/** Several paths in order; the first that finds something wins. */
export const firstOf = (...paths: ReadonlyArray<string | undefined>): string => {
  const known = [...new Set(paths.filter((path) => path !== undefined))]
  return known.length < 2 ? yamlOf(known[0]) : `[${known.map((path) => yamlOf(path)).join(", ")}]`
}

/** The encounter that each visit is. */
export const ownEncounter = JSON.stringify("%visit.keyOf('encounter')")

import { columnWordsOf } from "./columnWords.ts"
import type { ColumnProfile, TableProfile } from "./TableProfile.ts"
import type { Declared, Role } from "./TableRole.ts"

/** Finds the columns of a table by their names, and the columns of the name tables that its rows refer to. */
export class TableFinder {
  readonly role: Role
  readonly #others: ReadonlyArray<Role>
  readonly #naming: ReadonlySet<string>

  constructor(role: Role, roles: ReadonlyArray<Role>) {
    this.role = role
    // A reference to a visit or a patient is nothing else; a reference to a table of names is also a code.
    this.#naming = new Set(
      role.links.filter(([, , target]) => target === "visit" || target === "patient").flatMap((
        [, { column, beside }]
      ) => [column, ...(beside ?? [])])
    )
    this.#others = role.links.flatMap(([, , target]) => roles.find(({ name }) => name === target) ?? [])
  }

  /** Returns the first column with such a name: the words are tried in order, and for one word the columns in order. */
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

  /** Returns a path to a column with such a name: on the row itself, otherwise on a row of a name table. */
  path(words: ReadonlyArray<RegExp>, fits?: (one: Declared) => boolean): string | undefined {
    const own = this.own(words, fits)
    return own === undefined ? this.named(words, fits)?.path : pathOf(own.name)
  }

  /** Returns a path to a code. Its own row numbers are not codes; in a name table the key column is one. */
  code(words: ReadonlyArray<RegExp>): string | undefined {
    const own = this.own(words, ({ column }) => canBeCode(column, this.role.table))
    return own === undefined ? this.named(words)?.path : pathOf(own.name)
  }

  /** Returns the same, but only from name tables. */
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

  /** Returns the person who did something, if that is a column of names. */
  staff(): string | undefined {
    return this.own([
      /\b(?:doctor|physician|consultant|clinician|nurse|staff|provider|prescriber|orderer|requester|practitioner|seen by|recorded by|taken by|medecin|docteur|medico|dokter|arzt|bac si|infirmiere?|enfermer[oa]|perawat|prescripteur)\b/u
    ], (
      { column, name }
    ) => name !== "" && !this.role.table.links.some((link) => link.column === column.name))?.name
  }
}

/**
 * Whether a column can hold codes: its values repeat, and it is not named like a row's key. In a short table the values of a column
 * named like a code need not repeat.
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

/** FHIRPath keywords: a column with such a name is written in backticks in a path. */
const fhirPathWords: ReadonlySet<string> = new Set(
  ("and or xor implies in contains is as div mod true false year years month months week weeks day days hour hours minute minutes "
    + "second seconds millisecond milliseconds").split(" ")
)

/** A column as a path names it. */
export const pathOf = (name: string): string => (fhirPathWords.has(name) ? `\`${name}\`` : name)

/** A condition that a path gives one of some texts. */
export const inCondition = (path: string, texts: ReadonlyArray<string>): string =>
  `${path} in (${texts.map((text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`).join(" | ")})`

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

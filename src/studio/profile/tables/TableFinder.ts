import type { ColumnProfile, TableProfile } from "./facts/TableProfile.ts"
import { type Declared, isOther, leadsToPerson, type Role } from "./TableRole.ts"
import { plainest } from "./words/addsToName.ts"
import { columnWordsOf, listNameWords, namesNameOfPerson, namesVoid, ownWordsOf } from "./words/columnWords.ts"
import { pathOf, pathTo } from "./writePath.ts"

/** Finds the columns of a table by their names, and the columns of the name tables that its rows refer to. */
export class TableFinder {
  readonly role: Role
  readonly #others: ReadonlyArray<Role>
  /** The columns that refer to a visit or a patient. A reference to a table of names is not among them: it is also a code. */
  readonly #references: ReadonlySet<string>

  constructor(role: Role, roles: ReadonlyArray<Role>) {
    this.role = role
    this.#references = new Set(
      role.links.filter(leadsToPerson).flatMap(({ foreignKey: { beside = [], column } }) => [column, ...beside])
    )
    this.#others = role.links.flatMap(({ target }) => roles.find(({ name }) => name === target) ?? [])
  }

  /** Returns the column with such a name: the words are tried in order, and for one word the columns in order. `name` is before `old_name`. */
  own(words: ReadonlyArray<RegExp>, fits: (one: Declared) => boolean = () => true): Declared | undefined {
    for (const expected of words) {
      const found = this.role.columns.filter((one) =>
        one.column.kind !== "empty" && !this.#references.has(one.column.name) && !isOfPerson(one) &&
        expected.test(columnWordsOf(one.column.name)) &&
        fits(one)
      )
      if (found.length > 0) return plainest(found, ({ column }) => column.name)
    }
    return undefined
  }

  /** Returns a path to a column with such a name: on the row itself, otherwise on a row of a name table. */
  path(words: ReadonlyArray<RegExp>, fits?: (one: Declared) => boolean): string | undefined {
    return pathTo(this.own(words, fits)) ?? this.#pathToName(words, fits)
  }

  /** The same for a field that is sent unchanged: the column can be empty so far, and have values in a later extract. */
  field(words: ReadonlyArray<RegExp>, fits?: (one: Declared) => boolean): string | undefined {
    return this.path(words, fits) ?? pathTo(this.emptyOwn(words, fits))
  }

  /** Returns the column with such a name that has no value so far. */
  emptyOwn(words: ReadonlyArray<RegExp>, fits: (one: Declared) => boolean = () => true): Declared | undefined {
    return words.flatMap((expected) =>
      this.role.columns.filter((one) =>
        one.column.kind === "empty" && !isOfPerson(one) && expected.test(columnWordsOf(one.column.name)) && fits(one)
      )
    )[0]
  }

  /**
   * Returns a path to a code. Its own row numbers are not codes; in a name table the key column is one. The number of a row of a name table is
   * none if that table has a column of codes.
   */
  code(words: ReadonlyArray<RegExp>): string | undefined {
    const own = this.own(words, ({ column }) => canBeCode(column, this.role.table))
    return (own === undefined ? undefined : this.#codeBehind(own) ?? pathTo(own)) ?? this.#pathToName(words)
  }

  #codeBehind({ column: { name } }: Declared): string | undefined {
    return this.#behind(name, /(?:^|\b)code$/u)
  }

  /** Returns the path to the name of what a column refers to: a row of a table of names. */
  nameBehind(declared: string): string | undefined {
    const own = this.role.columns.find(({ name }) => name === declared)?.column
    return own?.names === undefined ? undefined : this.#behind(own.name, listNameWords)
  }

  #behind(column: string, words: RegExp): string | undefined {
    const link = this.role.links.find(({ foreignKey }) => foreignKey.column === column)
    const names = this.names.find((other) => other.name === link?.target)
    const found = names?.columns.find((one) =>
      one.column.filled > 0 && one.column.name !== names.table.keys[0] && words.test(columnWordsOf(one.column.name))
    )
    return link === undefined || found === undefined ? undefined : `${link.name}.resolve().${pathOf(found.name)}`
  }

  #pathToName(words: ReadonlyArray<RegExp>, fits: (one: Declared) => boolean = () => true): string | undefined {
    for (const expected of words) {
      for (const other of this.names) {
        const found = other.columns.find((one) =>
          one.column.name !== other.table.keys[0] && !isOfPerson(one) &&
          expected.test(columnWordsOf(one.column.name)) && fits(one)
        )
        const link = this.role.links.find(({ target }) => target === other.name)
        if (found !== undefined && link !== undefined) return `${link.name}.resolve().${pathOf(found.name)}`
      }
    }
    return undefined
  }

  /** The tables of names of things: they name neither a visit nor a patient, and are not of people or places. */
  get names(): ReadonlyArray<Role> {
    return this.#others.filter((role) =>
      isOther(role) && !places.test(columnWordsOf(role.table.name)) && !role.links.some(leadsToPerson)
    )
  }

  /**
   * Returns a time with such a name, but none of a deletion. Without words, it is the first one that is neither of the row itself, such as its
   * creation, nor of the visit or the person.
   */
  time(...words: ReadonlyArray<RegExp>): Declared | undefined {
    const expected = words.length === 0
      ? [
        /^(?!.*\b(?:creat\w*|inserted|updat\w*|modif\w*|changed|write|printed|expir\w*|due|stop\w*|end\w*|admi\w*|discharge\w*|birth\w*|dob|born|onset|abat\w*|resolved)\b)/u
      ]
      : words
    const ofKind = (kind: "timestamp" | "date") =>
      this.own(expected, ({ column }) => column.kind === kind && !namesVoid(column.name))
    return ofKind("timestamp") ?? ofKind("date")
  }

  /** Returns the person who did something. The name is in a column, or in the row of staff to which a column refers. */
  staff(): Person | undefined {
    return this.person(new RegExp(`${ofStaff}.*\\b(?:${professions}|${actions} by)\\b`, "u"))
  }

  /** The same, from columns named after a profession: not after who recorded or took something. */
  professional(): Person | undefined {
    return this.person(new RegExp(`${ofStaff}.*\\b(?:${professions})\\b`, "u"))
  }

  /** The same, from columns with other words. */
  person(words: RegExp): Person | undefined {
    const found = this.role.columns.filter(({ column: { kind, name } }) =>
      kind !== "empty" && !this.#references.has(name) && words.test(columnWordsOf(name))
    )
    const isName = ({ column: { name } }: Declared): boolean =>
      /\bname\b/u.test(columnWordsOf(name)) && !this.role.table.links.some((link) => link.column === name)
    return [...found.filter(isName), ...found].map((one) => this.#personIn(one)).find((person) => person !== undefined)
  }

  #personIn({ column, name }: Declared): Person | undefined {
    // A number or a code, such as `D01`, is no name.
    if (!this.role.table.links.some((link) => link.column === column.name)) {
      return column.numbers > 0 && column.numbers === column.filled || column.numbered === true ||
          /\b(?:id|code|no|nr|num|number|key)$/u.test(columnWordsOf(column.name))
        ? undefined
        : { name: pathOf(name) }
    }
    const link = this.role.links.find(({ foreignKey }) => foreignKey.column === column.name)
    const target = this.#others.find((other) => other.name === link?.target)
    if (link === undefined || target === undefined) return undefined
    const to = (words: RegExp): string | undefined => {
      const one = target.columns.find(({ column }) => column.kind !== "empty" && words.test(columnWordsOf(column.name)))
      return one === undefined ? undefined : pathOf(one.name)
    }
    const row = `${link.name}.resolve()`
    const given = to(/^(?:given(?: names?)?|first ?names?|fname|fore ?name|prenoms?|nombres?|vorname)$/u)
    const family = to(/^(?:sur ?name|family(?: name)?|last ?name|lname|nom|apellidos?|apelidos?|sobrenome|nachname)$/u)
    // For each row of several: a text is joined from single values.
    const names = given !== undefined && family !== undefined
      ? `select((${given} & ' ' & ${family}).trim())`
      : undefined
    const whole = names ?? to(
      /^(?:(?:full|display|doctor|physician|staff|provider|practitioner|employee|nurse|cashier) ?)?names?$|^(?:nombres?|nom|nome|nama)(?: (?:completo|complet|et prenoms?|y apellidos?))?$/u
    ) ?? family ?? to(/^user ?names?$/u)
    const title = target.columns.filter(({ column: { filled, numbers } }) => numbers < filled)
    const titleOf = (words: RegExp): Declared | undefined =>
      title.find(({ column }) => words.test(ownWordsOf(column.name)))
    const titled = titles.map(titleOf).find((one) => one !== undefined)
    return whole === undefined ? undefined : {
      name: `${row}.${whole}`,
      ...(titled === undefined ? {} : { title: `${row}.${pathOf(titled.name)}` })
    }
  }
}

const ofStaff = "^(?!.*\\b(?:insur\\w*|payers?|referr\\w*|referent)\\b)"
const professions =
  "doctor|physician|consultant|clinician|nurse|staff|provider|prescriber|orderer|requester|practitioner|medecin|docteur|medico|dokter|arzt|bac si|infirmiere?|enfermer[oa]|perawat|prescripteur"
const actions = "(?:seen|attended|treated|examined|consulted|recorded|measured|taken)"

/** Paths to the name of a person, and to the person's title. */
export interface Person {
  readonly name: string
  readonly title?: string
}

/** The columns of titles in a table of staff, in the order of `whoTitle()`: the profession, the qualification, and what precedes the name. */
const titles = [
  /^(?:designation|profession|cadre|position|occupation|job ?title|fonction|cargo|jabatan)$/u,
  /^qualifications?$/u,
  /^(?:title|prefix|salutation|titre|titulo)$/u,
  /^(?:role|staff (?:role|type|category))(?: name)?$/u
]

/** Whether a column has names of people: by its own name, or because its values are among the names of the patients. */
const isOfPerson = ({ column: { name, ofPeople } }: Declared): boolean => ofPeople === true || namesNameOfPerson(name)

/**
 * Whether a column can hold codes: its values repeat, and it is not named like a row's key. In a short table the values of a column
 * named like a code need not repeat.
 */
export const canBeCode = (
  { different, first, name, unique }: ColumnProfile,
  { keys, rows }: TableProfile
): boolean => {
  // The number 0 is no concept.
  if (different === 1 && first === 0) return false
  const words = columnWordsOf(name)
  const isCode = /\b(?:code|icd\w*|cim\w*|cie\w*|dx|atc|ndc|loinc|snomed)\b/u.test(words) && !numbersRows.test(words)
  if (unique && rows >= 20) return false
  return isCode || !(unique && numbersRows.test(words)) && keys[0] !== name
}

/** Matches the end of the name of a key. */
const numbersRows = /\b(?:id|no|nr|num|number|numero|nomor|seq|key|uuid|guid)$/u

const places =
  /\b(?:organi[sz]ations?|providers?|payers?|doctors?|physicians?|staff|employees?|users?|practitioners?|departments?|facilit\w*|locations?|wards?|clinics?|hospitals?|insur\w*)\b/u

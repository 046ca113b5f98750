import { didYouMean, suggest } from "../../../diagnostic/suggest.ts"
import { memberNames } from "../../../objects.ts"
import { calendars } from "../../../source/tables/cells/dateFormat.ts"
import { defaultEncodings, encodingNamed } from "../../../source/tables/rows/decodeText.ts"
import { delimiterNames } from "../../../source/tables/rows/findDialect.ts"
import { columnTypes } from "../../../source/tables/TableLayout.ts"
import { isNull, type SyntaxEntry } from "../MappingSyntax.ts"
import type { SyntaxReader } from "../SyntaxReader.ts"
import {
  anyText,
  block,
  declareKeys,
  description,
  type Key,
  type Kind,
  mapByName,
  oneWord,
  orNothing,
  type Placed,
  placed,
  schemaOf,
  severalTexts,
  trueOrFalse,
  written
} from "./Kind.ts"
import { assume } from "./pathKinds.ts"

const scalar = { type: ["string", "number", "boolean"] }
const oneOrMore = [scalar, { type: "array", items: scalar }]

/** Scalars, also numbers, as texts; the empty text is one. */
const words: Kind<ReadonlyArray<Placed<string>>> = {
  shown: "a word, or several",
  schema: { oneOf: oneOrMore },
  read: (reader, { value }, what) => {
    if (isNull(value)) return []
    const items = value.kind === "list" ? value.items : [value]
    return items.flatMap((item) =>
      item.kind === "scalar" && item.value !== null
        ? [{ value: String(item.value), span: item.span }]
        : reader.report("invalid-value", item.span, `${what} must be a word or a list of words`) ?? []
    )
  }
}

/** Signs of a currency. They have no digits and no signs of numbers, which would be part of the number. */
const currencySigns: Kind<ReadonlyArray<string>> = {
  ...words,
  shown: "a sign, or several",
  read: (reader, entry, what) => {
    const signs = words.read(reader, entry, what)
    const odd = signs?.find(({ value }) => /^[\s.,+-]|\d|\s$/u.test(value))
    if (odd !== undefined) {
      return reader.report("invalid-value", odd.span, `${what} must be a sign or a code of letters, such as R$ or KHR`)
    }
    return signs === undefined || signs.every(({ value }) => value === "") ? undefined : signs.map(({ value }) => value)
  },
  write: (values) => `[${values.join(", ")}]`
}

/** Words, without their locations. */
const plainWords: Kind<ReadonlyArray<string>> = {
  ...words,
  read: (reader, entry, what) => words.read(reader, entry, what)?.map(({ value }) => value),
  write: (values) => `[${values.join(", ")}]`
}

/** Words for a truth value, in any case. */
const truthWords: Kind<ReadonlyArray<string>> = {
  ...plainWords,
  read: (reader, entry, what) => plainWords.read(reader, entry, what)?.map((word) => word.toLowerCase())
}

const signOf = (reader: SyntaxReader, entry: SyntaxEntry, what: string, longest: number): string | undefined => {
  const given = reader.text(entry, what)
  if (given === undefined) return undefined
  const found = delimiterNames[given] ?? given
  // A word is a misspelt name.
  if (found.length <= longest && !/^\w{2,}$/u.test(found)) return found
  return reader.report("invalid-value", entry.value.span, `${what} must be one sign`, {
    label: didYouMean(suggest(given, Object.keys(delimiterNames))),
    help: ["for example  \";\"  or by name: comma, semicolon, tab, pipe"]
  })
}

const oneSign = { type: "string", minLength: 1, maxLength: 1 }

const sign: Kind<string> = {
  shown: "a sign",
  schema: oneSign,
  read: (reader, entry, what) => signOf(reader, entry, what, 1)
}

const delimiter: Kind<string> = {
  shown: "a sign, or `comma`, `semicolon`, `tab`, `pipe`",
  schema: { type: "string" },
  read: (reader, entry, what) => signOf(reader, entry, what, 4)
}

/** `null`: no sign quotes. */
const quote: Kind<string | null> = {
  shown: "a sign, or `none`",
  schema: { type: ["string", "null"] },
  read: (reader, entry, what) =>
    entry.value.kind === "scalar" && (entry.value.value === null || entry.value.value === "none")
      ? null
      : signOf(reader, entry, what, 1)
}

/** A separator of groups of digits, which can be a space; `null`: none. */
const groupSign: Kind<string | null> = {
  shown: "a sign",
  schema: oneSign,
  read: (reader, { value }, what) => {
    if (isNull(value)) return null
    if (value.kind === "scalar" && typeof value.value === "string" && value.value.length === 1) return value.value
    return reader.report("invalid-value", value.span, `${what} must be one sign, such as "," or " "`)
  }
}

const encoding: Kind<string> = {
  shown: "a name, such as `utf-8` or `windows-874`",
  schema: { type: "string" },
  read: (reader, entry, what) => {
    const given = reader.text(entry, what)
    const found = given === undefined ? undefined : encodingNamed(given)
    if (given === undefined || found !== undefined) return found
    return reader.report("invalid-value", entry.value.span, `no encoding is called \`${given}\``, {
      label: didYouMean(suggest(given, defaultEncodings)),
      help: [`for example: ${defaultEncodings.slice(0, 8).join(", ")}`]
    })
  }
}

/** The row that names the columns, from 1; 0: none does. */
const header: Kind<number> = {
  shown: "`true`, `false`, or the number of a row",
  schema: { type: ["boolean", "integer"] },
  read: (reader, { value }, what) => {
    if (value.kind === "scalar") {
      if (value.value === true) return 1
      if (value.value === false) return 0
      if (typeof value.value === "number" && Number.isInteger(value.value) && value.value > 0) return value.value
    }
    return reader.report(
      "invalid-value",
      value.span,
      `${what} must be true, false, or the number of the row that names the columns`
    )
  },
  write: (value) => (value === 1 ? "true" : value === 0 ? "false" : String(value))
}

/** Names of the header, or numbers of columns. */
const places: Kind<ReadonlyArray<string | number>> = {
  shown: "a name, a number, or several",
  schema: { oneOf: [{ type: ["string", "integer"] }, { type: "array", items: { type: ["string", "integer"] } }] },
  read: (reader, { value }, what) => {
    const items = value.kind === "list" ? value.items : [value]
    return items.flatMap((item): ReadonlyArray<string | number> => {
      const given = item.kind === "scalar" ? item.value : null
      if (typeof given === "string" && given !== "") return [given]
      if (typeof given === "number" && Number.isInteger(given) && given > 0) return [given]
      return reader.report("invalid-value", item.span, `${what} must be the name or the number of a column`, {
        help: ["several in a list are joined by a blank:  from: [Admit Date, Admit Time]"]
      }) ?? []
    })
  }
}

/** A list of formats: `parseDateFormat` checks them when the calendar is known. */
const dateFormat = placed(severalTexts("a format, or several"))
const calendar = oneWord(memberNames(calendars))
const decimal = oneWord([".", ","])

/** How numbers and truth values are written. */
const forms = {
  calendar: {
    kind: calendar,
    otherwise: "`gregorian`, and no year is rejected",
    doc: "`buddhist`: years are 543 ahead. Years that can only be of the other calendar are rejected."
  },
  decimal: { kind: decimal, default: ".", doc: "The sign before the decimals." },
  group: { kind: groupSign, doc: "The sign between groups of digits.", example: "group: \",\"" },
  true: { kind: truthWords, default: ["true", "yes", "y", "t", "1"], doc: "Words for true." },
  false: { kind: truthWords, default: ["false", "no", "n", "f", "0"], doc: "Words for false." }
} as const

/** A key of a column that overrides the one of its table. */
const ofColumn = <A>({ doc, example, kind }: Key<A>) => ({
  kind,
  otherwise: "the table's",
  doc,
  ...(example === undefined ? {} : { example })
})

/** The formats of a table's dates, numbers, and truth values, unless a column sets its own. */
export const formatKeys = declareKeys({
  timestamp: { kind: dateFormat, otherwise: "ISO 8601", doc: "How timestamps are written." },
  date: { kind: dateFormat, otherwise: "ISO 8601", doc: "How dates are written." },
  ...forms
})

/** The keys that can also be set for all tables at once, under `"*"`. */
export const sharedTableKeys = declareKeys({
  encoding: { kind: encoding, otherwise: "`utf-8`, or that of a byte order mark", doc: "The encoding of the files." },
  delimiter: { kind: delimiter, otherwise: "found in the header", doc: "The sign between cells." },
  quote: { kind: quote, otherwise: "found in the header", doc: "The sign around cells." },
  escape: { kind: sign, doc: "The sign before a quote that belongs to a cell." },
  header: { kind: header, default: 1, doc: "Whether a row names the columns, or which." },
  format: {
    kind: orNothing(block("formats", formatKeys)),
    doc: "How dates, numbers, and truth values are written.",
    example: "format: {date: DD/MM/YYYY, decimal: \",\"}"
  },
  null: {
    kind: plainWords,
    default: [],
    otherwise: "none",
    doc: "Words that mean no value. An empty cell always does.",
    example: "null: [\"-\", n/a]"
  },
  trim: { kind: trueOrFalse, default: true, doc: "Whether spaces at the ends of cells are removed." },
  formulaGuard: {
    kind: trueOrFalse,
    default: false,
    doc: "Whether an apostrophe before a formula sign (`'=1+1`) is removed."
  },
  optional: {
    kind: trueOrFalse,
    default: false,
    doc: "Whether headers may be without columns, other than those of the key and the links."
  },
  fileOptional: {
    kind: trueOrFalse,
    default: false,
    doc: "Whether a run may be without a file of the table."
  },
  description
})

export const columnKeys = declareKeys({
  type: { kind: oneWord(columnTypes), default: "text", doc: "What the cells contain." },
  from: {
    kind: places,
    otherwise: "the column's own name",
    doc: "What the header calls it, or its number. Several are joined by a space.",
    example: "from: [Visit Date, Visit Time]"
  },
  format: {
    kind: dateFormat,
    otherwise: "the table's",
    doc: "How a date or a timestamp is written; of several the first that fits.",
    example: "format: DD/MM/YYYY HH:mm"
  },
  calendar: ofColumn(forms.calendar),
  decimal: ofColumn(forms.decimal),
  group: ofColumn(forms.group),
  currency: {
    kind: currencySigns,
    otherwise: "none: a number with a sign is an error",
    doc:
      "The sign of the currency that each number has before or after it; several are of one currency, and `\"\"` is for numbers without. A number with another sign is an error.",
    example: "currency: R$"
  },
  plainDigits: {
    kind: trueOrFalse,
    default: false,
    doc:
      "Whether digits of other scripts (`១២០/៨០`) are read as 0 to 9 in texts without letters. Those of numbers and dates always are.",
    example: "plainDigits: true"
  },
  true: ofColumn(forms.true),
  false: ofColumn(forms.false),
  null: ofColumn(sharedTableKeys.null),
  trim: ofColumn(sharedTableKeys.trim),
  optional: { kind: trueOrFalse, otherwise: "the table's", doc: "Whether a header may be without it." },
  description
})

export const linkKeys = declareKeys({
  table: { kind: anyText, otherwise: "the link's own name", doc: "The other table." },
  on: {
    kind: words,
    otherwise: "columns named as that table's key",
    doc: "The columns that contain the key of the other table.",
    example: "on: hn"
  },
  description
})

/** The keys of `fillDown:`. */
export const fillDownKeys = declareKeys({
  column: {
    kind: words,
    doc: "All columns that only the first row has, such as the number of the invoice, its patient and its state.",
    example: "column: [invoice_no, vn, invoice_date]",
    required: "always"
  },
  within: {
    kind: words,
    otherwise: "the columns of links to `visit` and `patient`",
    doc: "Columns that every row has. A row that has another value than the first row is rejected.",
    example: "within: hn"
  },
  assume,
  description
})

export const tableKeys = declareKeys({
  file: {
    kind: words,
    otherwise: "`NAME.csv`",
    doc: "File names, with `*` and `?`. Compressed files are read, too.",
    example: "file: opd_*.csv"
  },
  key: { kind: words, doc: "The columns that identify a row.", example: "key: [hn, visit_no]" },
  order: { kind: words, otherwise: "the order in the file", doc: "The column that orders rows without a key." },
  column: {
    kind: written("columns by name, or a list of names", {
      oneOf: [
        { type: "array", items: { type: "string" } },
        {
          type: "object",
          additionalProperties: { oneOf: [{ enum: [...columnTypes, null] }, schemaOf(columnKeys)] }
        }
      ]
    }),
    doc: "The columns that are read. Other columns of the file are not.",
    example: "column: {visit_no: text, admitted_at: timestamp}",
    required: "merged"
  },
  fillDown: {
    kind: written("columns, or a map", {
      oneOf: [...oneOrMore, schemaOf(fillDownKeys)]
    }),
    doc: "Columns that only the first of several rows has. The others get the values of this row.",
    example: "fillDown: [invoice_no, vn, invoice_date]"
  },
  link: {
    kind: mapByName("links by name", { oneOf: [{ type: ["string", "null"] }, schemaOf(linkKeys)] }),
    doc: "References to rows of other tables.",
    example: "link: {patient: {table: patient, on: hn}}"
  },
  ...sharedTableKeys
})

import type { Span } from "../../../diagnostic/Span.ts"
import { referenceListTypes } from "../../../visit/Field.ts"
import type { ValueRemark } from "../../MappingPlan.ts"
import { isNull } from "../MappingSyntax.ts"
import {
  anyText,
  declareKeys,
  description,
  keysOf,
  type Kind,
  mapByName,
  oneWord,
  placed,
  readValues,
  refer,
  schemaOf,
  severalTexts
} from "./Kind.ts"
import { assume, orNull, severalNames } from "./pathKinds.ts"
import { acceptWords } from "./relations.ts"

/** The keys of a concept map. */

/** The policies for an unmapped code that are one keyword. */
export const unmappedModes = ["reject", "warn", "skip", "provided"] as const

/** The policy for an unmapped code (FHIR ConceptMap's `unmapped`, extended). */
export type Unmapped =
  /** The field is left empty, with an error. */
  | { readonly mode: "reject" }
  /** The field is left empty, with a warning. */
  | { readonly mode: "warn" }
  /** The field is left empty, and the code is counted. */
  | { readonly mode: "skip" }
  /** The source's code is sent, with a warning. */
  | { readonly mode: "provided" }
  | { readonly mode: "fixed"; readonly value: string }
  | { readonly mode: "other-map"; readonly name: string }

export const unmappedKeys = declareKeys({
  fixed: { kind: anyText, doc: "This value is sent." },
  table: { kind: { ...anyText, shown: "a name" }, doc: "The code is looked up in another concept map." },
  policy: { kind: { ...oneWord(unmappedModes), shown: "a policy" }, doc: "One of the words, with `assume`." },
  assume
})

interface WrittenPolicy {
  readonly unmapped: Unmapped
  /** The location of a `fixed` value. */
  readonly fixedSpan?: Span
  readonly assumed?: ValueRemark
}

/** A keyword, `{fixed: VALUE}` or `{table: NAME}`; as an assumption `{policy: WORD, assume: NAME}`. */
const policy: Kind<WrittenPolicy> = {
  shown: "a policy",
  schema: { oneOf: [{ enum: unmappedModes }, schemaOf(unmappedKeys)] },
  read: (reader, entry, what) => {
    if (entry.value.kind !== "map") {
      const mode = reader.oneOf(entry, what, unmappedModes)
      return mode === undefined ? undefined : { unmapped: { mode } }
    }
    const map = reader.names(entry.value, what, keysOf(unmappedKeys))
    const values = readValues(reader, unmappedKeys, map)
    const { assume } = reader.remark(map)
    const [given, ...others] = (["fixed", "table", "policy"] as const).flatMap((word) => {
      const found = map.entries.get(word)
      return found === undefined ? [] : [{ word, key: found.key, span: found.value.span }]
    })
    if (given === undefined) {
      return reader.report("missing-key", map.span, `${what} needs \`fixed\`, \`table\` or \`policy\``, {
        help: [`or is one of: ${unmappedModes.join(", ")}`]
      })
    }
    for (const { key, word } of others) {
      reader.report("invalid-value", key, `\`${given.word}\` and \`${word}\` cannot be combined`, {
        help: ["an unmapped code gets a `fixed` value, a value from a `table`, or a `policy`"]
      })
    }
    const assumeEntry = map.entries.get("assume")
    if (given.word === "table" && assumeEntry !== undefined) {
      reader.report("invalid-value", assumeEntry.key, "another table cannot be an assumption", {
        help: ["name the assumption in the other table: at its row, or its `unmapped`"]
      })
    }
    const value = values[given.word]
    if (value === undefined) return undefined
    return {
      unmapped: given.word === "fixed"
        ? { mode: "fixed", value }
        : given.word === "table"
        ? { mode: "other-map", name: value }
        : { mode: values.policy ?? "warn" },
      ...(given.word === "fixed" ? { fixedSpan: given.span } : {}),
      ...(assume === undefined ? {} : { assumed: { assume, span: given.span } })
    }
  },
  write: ({ unmapped: { mode } }) => mode
}

export const conceptRowKeys = declareKeys({
  value: {
    kind: { ...placed(anyText), schema: { type: ["string", "number"] } },
    doc: "The service's value.",
    required: "always"
  },
  assume
})

const acceptedRelations: Kind<ReadonlyArray<string>> = {
  shown: "a list of relations",
  schema: { type: "array", items: refer("relation") },
  read: (reader, { value }, what) =>
    reader.texts(value, what).flatMap((scalar) =>
      reader.oneOf({ key: scalar.span, value: scalar }, what, acceptWords) ?? []
    )
}

/** The keys by which a concept map takes rows from files. */
export const fileKeys = declareKeys({
  file: {
    kind: { ...severalNames, shown: "a file, or several" },
    doc: "Files of code tables next to the mapping: CSV, or a FHIR ConceptMap in JSON.",
    example: "file: tables/marital-status.csv"
  },
  accept: {
    kind: acceptedRelations,
    doc: "Relations of a FHIR ConceptMap that are used besides equal and equivalent."
  }
})

export const otherSystemKeys = declareKeys({ assume: { ...assume, required: "always" } })

/** `{assume: NAME}`: what the concept map does with a code of a system that it does not name is an assumption. */
const otherSystem: Kind<ValueRemark> = {
  shown: "`{assume: NAME}`",
  schema: { anyOf: [{ type: "null" }, schemaOf(otherSystemKeys)] },
  read: (reader, { value }, what) => {
    if (isNull(value)) return undefined
    const map = reader.map(value, what, keysOf(otherSystemKeys))
    if (map === undefined) return undefined
    if (!map.entries.has("assume")) {
      return reader.report("missing-key", map.span, `${what} needs \`assume\``, {
        help: ["name the assumption that such a code means the same:  otherSystem: {assume: NAME}"]
      })
    }
    return { ...reader.remark(map), span: map.span }
  }
}

export const conceptMapKeys = declareKeys({
  table: {
    kind: mapByName("codes and their values", {
      anyOf: [{ type: ["string", "number", "null"] }, schemaOf(conceptRowKeys)]
    }, orNull),
    doc: "The service's value of each code: `code`, `system|code`, or `*|code` for any system.",
    example: "table: {female: F, male: M}"
  },
  system: {
    kind: severalTexts("a URL, or several"),
    otherwise: "any system",
    doc:
      "The code systems of the rows that name none. Such a row is for a code of one of these, or for a code without a system. If an overlay does not set it, the rows that the overlay adds are for any system.",
    example: "system: http://terminology.hl7.org/CodeSystem/v3-MaritalStatus"
  },
  otherSystem: {
    kind: otherSystem,
    otherwise: "such a code is unmapped",
    doc: "A code of another system is translated as if it were one of `system`, under this assumption."
  },
  ...fileKeys,
  unmapped: {
    kind: policy,
    default: { unmapped: { mode: "warn" } },
    doc: "What happens to an unmapped code."
  },
  list: {
    kind: oneWord(referenceListTypes),
    doc: "The list of the standard data that the values must be in.",
    example: "list: visit_types"
  },
  values: {
    kind: severalTexts("a text, or several"),
    otherwise: "any value",
    doc:
      "The values that expressions compare with. A row with another value is an error, because no expression would find it.",
    example: "values: [inpatient, outpatient]"
  },
  send: {
    kind: oneWord(["name", "code"]),
    default: "name",
    doc: "Whether the name or the code of the row in the list is sent."
  },
  description
})

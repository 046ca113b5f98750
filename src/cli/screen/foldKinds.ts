import { type Collated, withoutIndexes } from "../../diagnostic/collate.ts"
import { number } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { typeAt } from "../../diagnostic/Origin.ts"
import type { ProblemCode } from "../../diagnostic/Problem.ts"

/** Kinds of problems that most likely have one cause, as one: the first of them, and the others. */
export interface FoldedKind extends Collated {
  /** In the order of the kinds. */
  readonly others: ReadonlyArray<Collated>
}

/** Problems of records or files whose kinds differ only in the type of the record. One step corrects all of them. */
const ofRecords: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  "no-encounter",
  "dangling-reference",
  "other-patient",
  "duplicate-record",
  "unreadable-input",
  "incomplete-visit"
])

/** Joins kinds that most likely have one cause, for people. Reports, and messages for programs, keep each kind. */
export const foldKinds = (kinds: ReadonlyArray<Collated>): ReadonlyArray<FoldedKind> =>
  [...joined([...joined(kinds.map((kind) => [kind]), causeOf)], elementOf)].flatMap(([kind, ...others]) =>
    kind === undefined ? [] : [{ ...kind, others }]
  )

type Group = ReadonlyArray<Collated>

/** Joins the groups whose first kinds have the same key. */
const joined = (groups: ReadonlyArray<Group>, keyOf: (kind: Collated) => unknown): Iterable<Group> =>
  Map.groupBy(groups, ([first]) => first && keyOf(first)).values().map((alike) => alike.flat())

/** Whether the problem is a missing value. */
export const isAbsence = ({ code }: Diagnostic): boolean => code === "required-field" || code === "missing-content"

/** Returns a key that is the same for kinds with one cause; the kind itself if its cause is its own. */
const causeOf = (kind: Collated): unknown => {
  const { first: { code, origin, severity, source, title }, visits } = kind
  // Fields that are empty in the same records lack the same element: an encounter without a period leaves eight of them empty.
  if (isAbsence(kind.first) && origin !== undefined) {
    return JSON.stringify([severity, visits, source, origin.file, origin.line])
  }
  return ofRecords.has(code) ? JSON.stringify([severity, code, withoutTypes(title)]) : kind
}

/**
 * Returns a key of the element that a field lacks. Fields of several sections can lack the same element: the end of a visit is also the end
 * of its encounter.
 */
const elementOf = (kind: Collated): unknown => {
  const { code, origin, path, severity } = kind.first
  return isAbsence(kind.first) && origin !== undefined && path !== undefined
    ? JSON.stringify([severity, code, path, typeAt(origin)])
    : kind
}

/** A title without the type of the record. */
const withoutTypes = (title: string): string =>
  title.replaceAll(/`[^`]*`/gu, "`").replace(/\bthis (?:row of )?\w+/u, "this").replace(
    /\bthe visit's \w+/u,
    "the visit's"
  )

/** Returns one message for folded kinds: the message of the first, with a fact that lists what the others concern. */
export const foldedMessage = ({ others, ...kind }: FoldedKind): Collated => {
  if (others.length === 0) return kind
  const shown = others.slice(0, maxOthers).map(({ count, first }) =>
    isAbsence(first) ? withoutIndexes(first.field ?? "") : `${number(count)} × ${subjectOf(first)}`
  )
  const rest = others.length - shown.length
  const also = [...new Set(shown), ...(rest > 0 ? [`and ${number(rest)} more`] : [])].join(", ")
  return { ...kind, first: { ...kind.first, facts: [...kind.first.facts ?? [], ["also", also]] } }
}

const maxOthers = 8

/** What a problem is about: the type of its record, otherwise its file. */
const subjectOf = ({ origin, source, title }: Diagnostic): string =>
  /^[A-Z]\w*(?=\/|$)/u.exec(source ?? "")?.[0] ?? /\bthis (?:row of )?(\w+)/u.exec(title)?.[1] ??
    origin?.file.split("/").at(-1) ?? ""

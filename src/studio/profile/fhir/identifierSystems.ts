import { compareTexts } from "../../../compareTexts.ts"
import { fhirText } from "../../../fhirText.ts"
import type { Findings } from "../Findings.ts"
import { nodeAt, partOfWhole } from "../Findings.ts"
import type { IdentifierSystem } from "./Codes.ts"
import { canShowSystem, identifierLimit } from "./Codes.ts"

export const profiledIdentifiersOf = (findings: Findings, type: string): ReadonlyArray<IdentifierSystem> => {
  const node = nodeAt(findings, type, "identifier")
  return node === undefined ? [] : findings.profiler.identifiers.get(node)?.systems() ?? []
}

/** The rank of a number from the state or an insurer. */
const ofState = 4

/** Ranks identifiers by their kind (HL7 v2 table 0203): the facility's own numbers come before those of a card, a passport or the state. */
const kindRank = (system: IdentifierSystem): number => {
  const kind = systemKindOf(system)
  if (kind === undefined) return 2
  if (kind === "MR") return 0
  if (kind === "PI" || kind === "PT" || kind === "PHN") return 1
  return /^(?:SS|SB|DL|PPN|MC|MA|MI|TAX|NI|NNLKA)$/u.test(kind) ? ofState : 3
}

/** The most frequent kind of an identifier: `MR`, `SS`. */
export const systemKindOf = ({ kinds }: IdentifierSystem): string | undefined => kinds.sorted()[0]?.[0]

/** Whether no two people share a value. */
export const isDistinct = ({ full, owners, values }: IdentifierSystem): boolean => full || values.size >= owners.size

/** Whether so many people share a value that it identifies none of them. A few who share one may be one person twice. */
const isShared = ({ full, owners, values }: IdentifierSystem): boolean =>
  !full && owners.size >= 10 && values.size * 2 < owners.size

/** Whether many people have several: it also numbers them in other hospitals, or it numbers something else. */
const isRepeated = ({ records, several }: IdentifierSystem): boolean => several * 10 > records

/** Sorts the systems that may be named by how likely they are the code of a record. */
export const bestFirst = (systems: ReadonlyArray<IdentifierSystem>): ReadonlyArray<IdentifierSystem> =>
  sorted(systems.filter((one) => one.system !== "" && canShowSystem(one)))

/** Sorts the kinds of identifiers without a system in the same way. */
export const namelessBestFirst = (systems: ReadonlyArray<IdentifierSystem>): ReadonlyArray<IdentifierSystem> =>
  sorted(systems.filter((one) => one.system === ""))

const sorted = (systems: ReadonlyArray<IdentifierSystem>): ReadonlyArray<IdentifierSystem> =>
  systems.toSorted((a, b) =>
    Number(isShared(a)) - Number(isShared(b)) || Number(kindRank(a) === ofState) - Number(kindRank(b) === ofState) ||
    Number(isRepeated(a)) - Number(isRepeated(b)) || kindRank(a) - kindRank(b) ||
    Number(isDistinct(b)) - Number(isDistinct(a)) ||
    b.records - a.records ||
    compareTexts(a.system, b.system)
  )

/** The path to the identifier of a system that no constant names. */
export const identifierPath = (system: string): string => `identifierIn(${fhirText(system)})`

/** Records that have one, each counted once, while they are few enough to be distinguished. */
const ownersOf = ({ owners, records }: IdentifierSystem): number =>
  owners.size < identifierLimit ? owners.size : records

/** Describes how many records, of `records` without further versions, have an identifier of a system, and of which kind it is. */
export const whyOf = (one: IdentifierSystem, records: number, noun: string): string => {
  const kind = systemKindOf(one)
  return `${partOfWhole(Math.min(one.records, records, ownersOf(one)), records, noun)} have one${
    one.several > 0 ? ", some several" : ", once each"
  }${kind === undefined ? "" : `, of type ${kind}`}${isDistinct(one) ? ", all different" : ""}`
}

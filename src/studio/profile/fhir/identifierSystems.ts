import type { Findings } from "../Findings.ts"
import { nodeAt, percentage } from "../Findings.ts"
import type { IdentifierSystem } from "./Codes.ts"
import { canShowSystem } from "./Codes.ts"

export const profiledIdentifiersOf = (findings: Findings, type: string): ReadonlyArray<IdentifierSystem> => {
  const node = nodeAt(findings, type, "identifier")
  return node === undefined ? [] : findings.profiler.identifiers.get(node)?.systems() ?? []
}

/** The rank of numbers that the state or an insurer gave. */
const ofState = 4

/** Numbers of the facility before numbers of a card, a passport or the state. */
const kindRank = ({ kinds }: IdentifierSystem): number => {
  const [kind] = kinds.sorted()[0] ?? []
  if (kind === undefined) return 2
  return kind === "MR" ?
    0 :
    kind === "PI" || kind === "PT" || kind === "PHN" ?
    1 :
    /^(?:SS|SB|DL|PPN|MC|MA|MI|TAX|NI|NNLKA)$/u.test(kind)
    ? ofState
    : 3
}

export const isDistinct = ({ full, owners, values }: IdentifierSystem): boolean => full || values.size >= owners.size

/** So many people share a value that it identifies none of them; a few who share one may be one person twice. */
const isShared = ({ full, owners, values }: IdentifierSystem): boolean =>
  !full && owners.size >= 10 && values.size * 2 < owners.size

/** Many have several of them: a number of theirs in other hospitals too, or a number of things. */
const isRepeated = ({ records, several }: IdentifierSystem): boolean => several * 10 > records

/** What one has once comes first. */
export const bestFirst = (systems: ReadonlyArray<IdentifierSystem>): ReadonlyArray<IdentifierSystem> =>
  systems.filter((one) => one.system !== "" && canShowSystem(one)).toSorted((a, b) =>
    Number(isShared(a)) - Number(isShared(b)) || Number(kindRank(a) === ofState) - Number(kindRank(b) === ofState) ||
    Number(isRepeated(a)) - Number(isRepeated(b)) || kindRank(a) - kindRank(b) ||
    Number(isDistinct(b)) - Number(isDistinct(a)) ||
    b.records - a.records ||
    (a.system < b.system ? -1 : 1)
  )

export const systemKindOf = ({ kinds }: IdentifierSystem): string | undefined => kinds.sorted()[0]?.[0]

export const whyOf = (one: IdentifierSystem, records: number, noun: string): string => {
  const kind = systemKindOf(one)
  return `${percentage(one.records, records, noun)} have one${one.several > 0 ? ", some several" : ", once each"}${
    kind === undefined ? "" : `, said to be ${kind}`
  }${isDistinct(one) ? ", each another" : ""}`
}

import type { GroupingPlan } from "../../mapping/grouping/GroupingPlan.ts"
import { getOrMake } from "../../maps.ts"
import { isFollowed } from "./followedElements.ts"
import { isSpareType, Link, type LinkRules, RecordFlags } from "./Links.ts"

/** An element that is followed backwards. */
interface BackwardElement {
  readonly type: string
  readonly path: ReadonlyArray<string>
  readonly links: number
}

/** What follows for the links of a record from its type. */
export interface TypeLinks {
  readonly isEncounter: boolean
  /** Bits of `RecordFlags`. */
  readonly flags: number
  /** Bits of `RecordFlags` for a record in a document. */
  readonly flagsInDocument: number
  /** Bits of `Link` for its document, if it has one. */
  readonly leads: number
  /** Bits of `Link` for every name that it refers to. */
  readonly always: number
  /** Names of elements; References under others are not followed. `undefined`: any may be. */
  readonly followed: ReadonlySet<string> | undefined
  readonly backwards: ReadonlyArray<BackwardElement>
}

/** Returns a function that gives what follows for the links of a record from its type. */
export const typeLinks = (
  { assigned, backwards, backwardsToVisit, followed, grouping }: LinkRules
): (type: string) => TypeLinks => {
  const { patientScope, rootType, windows } = grouping
  const ofTypes = new Map<string, TypeLinks>()
  const backwardsOf = Map.groupBy(
    Array.from(backwards, (written): BackwardElement => {
      const [type = "", ...path] = written.split(".")
      return { type, path, links: Link.backwards | (backwardsToVisit.has(written) ? Link.leading : 0) }
    }),
    ({ type }) => type
  )
  const linksOf = (type: string): TypeLinks => {
    const isEncounter = type === rootType
    return {
      isEncounter,
      flags: (isEncounter ? RecordFlags.encounter : 0) | (mayBePatient(type, grouping) ? RecordFlags.patient : 0),
      flagsInDocument: isEncounter || type === "Patient" || isSpareType(assigned, type) ? 0 : RecordFlags.ofDocument,
      leads: isEncounter || type === "Composition" ? Link.leads : 0,
      always: Link.refers | (patientScope.has(type) ? Link.ofPatient : 0) |
        (windows.size === 0 ? 0 : isEncounter ? Link.timedEncounter : windows.has(type) ? Link.timed : 0),
      // A row of a table has columns, and not elements.
      followed: /^[A-Z]/u.test(type) ? followed : undefined,
      backwards: backwardsOf.get(type) ?? []
    }
  }
  return (type) => getOrMake(ofTypes, type, () => linksOf(type))
}

/** Returns the bits of `Link` for a name that a record refers to at a path. */
export const linksAt = ({ always, backwards, followed }: TypeLinks, path: ReadonlyArray<string>): number => {
  const element = path.at(-1)
  const follows = element === undefined || isFollowed(element, followed) ? Link.followed : 0
  const backward = backwards.find((one) => isAt(one.path, path))
  return always | follows | (backward === undefined ? 0 : backward.links)
}

/** If visits are rows of a table, so are their patients, unless the mapping's path may lead to other records. */
const mayBePatient = (type: string, { patientTables, rootType }: GroupingPlan): boolean =>
  type === "Patient" || type === "Group" ||
  (/^[a-z]/u.test(rootType) && type !== rootType && patientTables?.has(type) !== false)

const isAt = (elements: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  elements.length === path.length &&
  elements.every((name, index) => name === path[index] || `${name}Reference` === path[index])

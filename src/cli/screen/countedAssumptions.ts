import { basename } from "node:path"
import { compareTexts } from "../../compareTexts.ts"
import type { Collated } from "../../diagnostic/collate.ts"
import { number, plural } from "../../diagnostic/count.ts"
import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import type { Span } from "../../diagnostic/Span.ts"
import type { Assumption } from "../../mapping/MappingPlan.ts"
import { isAccepted } from "../../mapping/MappingPlan.ts"

/** An assumption that visits of a run are made under. */
export interface CountedAssumption extends Pick<Assumption, "name" | "means" | "ask"> {
  /** Visits with a value that depends on it, or from which it dropped something. */
  readonly visits: number
  readonly accepted: boolean
  /** The first line of the mapping that makes it, the facility's own first: `fhir-r4/visit.yaml:28:7`. */
  readonly mapping: string
}

/** The assumptions of a run: those to decide first, each with the number of visits, most visits first. */
export const countedAssumptions = (
  counts: ReadonlyMap<string, number>,
  assumptions: ReadonlyMap<string, Assumption>
): ReadonlyArray<CountedAssumption> =>
  inVisitOrder([...counts].flatMap(([name, visits]) => {
    const assumption = assumptions.get(name)
    if (assumption === undefined) return []
    const { ask, lines: [line = assumption.span], means } = assumption
    return [{ name, visits, accepted: isAccepted(assumption), mapping: lineText(line), means, ask }]
  }))

/** A line of a mapping, without the folder where it is installed. */
export const lineText = ({ column, file, line }: Span): string =>
  `${file.split("/").slice(-2).join("/")}:${line}:${column}`

export const inVisitOrder = <A extends Pick<CountedAssumption, "name" | "visits" | "accepted">>(
  all: ReadonlyArray<A>
): ReadonlyArray<A> =>
  all.toSorted((one, other) =>
    Number(one.accepted) - Number(other.accepted) || other.visits - one.visits || compareTexts(one.name, other.name)
  )

/** A warning of an assumption. It is not rendered as a message, because the summary has a line for it. */
const isCounted = ({ assumption, severity }: Diagnostic): boolean => assumption !== undefined && severity === "warning"

/** The problems that are rendered one by one for people. Machine formats contain all of them. */
export const withoutCounted = (
  problems: ReadonlyArray<Collated>,
  format: "human" | "json" | "line" = "human"
): ReadonlyArray<Collated> => format === "human" ? problems.filter(({ first }) => !isCounted(first)) : problems

/** Maximum of assumptions in a summary. */
const maxNamed = 8

/** The assumptions that need a decision, most severe first. Accepted ones are not included. */
export const assumptionRows = (
  assumptions: ReadonlyArray<CountedAssumption>
):
  | { readonly head: string; readonly rows: ReadonlyArray<ReadonlyArray<string>>; readonly rest: string }
  | undefined =>
{
  const undecided = assumptions.filter(({ accepted }) => !accepted)
  if (undecided.length === 0) return undefined
  const shown = undecided.slice(0, maxNamed)
  const width = Math.max(...shown.map(({ visits }) => number(visits).length))
  const accepted = assumptions.length - undecided.length
  const rest = undecided.length - shown.length
  return {
    head: `${accepted === 0 ? "" : `${number(accepted)} accepted      `}${number(undecided.length)} to decide`,
    rows: shown.map(({ mapping, name, visits }) => [
      `${number(visits).padStart(width)} ${visits === 1 ? "visit " : "visits"}`,
      name,
      basename(mapping).replace(/:\d+$/u, "")
    ]),
    rest: rest === 0 ? "" : `and ${plural(rest, "other assumption")}`
  }
}

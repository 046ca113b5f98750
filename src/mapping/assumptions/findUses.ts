import { hash } from "node:crypto"
import { compareTexts } from "../../compareTexts.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { functionsCalledIn } from "../../fhirpath/FhirPath.ts"
import { getOrMake } from "../../maps.ts"
import { canonical } from "../language/canonical.ts"
import { keysOf } from "../language/grammar/Kind.ts"
import { fieldKeys, type mappingKeys, remarkedWords, rowWords } from "../language/grammar/mappingGrammar.ts"
import type { Syntax, SyntaxMap } from "../language/MappingSyntax.ts"
import { mappingEntriesOf, without } from "../language/MappingSyntax.ts"

/** A line that makes an assumption. */
interface Use {
  /** The source location of the name. */
  readonly named: Span
  readonly line: Span
  /** The text of the decision: the same wherever it is written. */
  readonly text: string
  readonly decision: SyntaxMap
}

/** Every `assume: NAME` of a mapping, by name, in the order of the mapping. */
export const findUses = (root: SyntaxMap): ReadonlyMap<string, ReadonlyArray<Use>> => {
  const found = new Map<string, Array<Use>>()
  const look = (syntax: Syntax, at: string, around?: SyntaxMap): void => {
    if (syntax.kind === "list") { for (const item of syntax.items) look(item, at, around) }
    if (syntax.kind !== "map") return
    for (const [word, { value }] of syntax.entries) {
      const name = word === "assume" && value.kind === "scalar" ? value.value : undefined
      if (typeof name !== "string") {
        look(value, `${at}.${word}`, syntax)
        continue
      }
      const decision = getOrMake(decisions, syntax, decided)
      const about = around === undefined || !at.endsWith(".otherSystem") ? "" : ` ${rowsOfSystem(around)}`
      const text = `${at} ${canonical(decision)}${about}`
      const use = { named: value.span, line: lineOf(syntax), text, decision }
      getOrMake(found, name, () => []).push(use)
    }
  }
  for (
    const section of ["visit", "conceptMap", "grouping", "table"] as const satisfies ReadonlyArray<
      keyof typeof mappingKeys
    >
  ) {
    const syntax = root.entries.get(section)?.value
    if (syntax !== undefined) look(syntax, section)
  }
  return found
}

/** The decisions of lines. */
const decisions = new WeakMap<SyntaxMap, SyntaxMap>()

/** Keys that make the value, or that decide which rows exist. */
const carriers = [...remarkedWords.difference(new Set(["warn", "assume"])), ...rowWords, "where"]

const lineOf = (map: SyntaxMap): Span => {
  for (const word of carriers) {
    const found = map.entries.get(word)?.value
    if (found !== undefined) return found.span
  }
  return map.span
}

const branchWords = new Set<string>([...carriers, "groupBy", "scope", ...keysOf(fieldKeys)])

/** In a branch, an assumption decides which rows exist; elsewhere it covers the whole map. */
const decided = (map: SyntaxMap): SyntaxMap => {
  const isBranch = [...rowWords, "where", "groupBy"].some((word) => map.entries.has(word))
  return isBranch
    ? without(map, ...[...map.entries.keys()].filter((word) => !branchWords.has(word)))
    : without(map, "description")
}

/** The rows of a concept map that codes of another system are translated by: those without a system. */
const rowsOfSystem = (conceptMap: SyntaxMap): string => {
  const rows = [...mappingEntriesOf(conceptMap, "table")].flatMap(([code, { value }]) =>
    code.includes("|") ? [] : `${JSON.stringify(code)}:${canonical(value)}`
  )
  const system = conceptMap.entries.get("system")?.value
  return [system === undefined ? "" : canonical(system), ...rows.toSorted(compareTexts)].join(",")
}

/** A hash of the decisions of lines, with the mapping functions that they call. */
export const assumptionHashOf = (root: SyntaxMap, uses: ReadonlyArray<Use>): string => {
  const functions = mappingEntriesOf(root, "function")
  const called = new Map<string, string>()
  const follow = (syntax: Syntax): void => {
    for (const name of getOrMake(calledIn, syntax, namesCalledIn)) {
      const body = functions.get(name)?.value
      if (body === undefined || called.has(name)) continue
      called.set(name, canonical(body))
      follow(body)
    }
  }
  const texts = uses.map(({ text }) => text).toSorted()
  for (const { decision } of uses) follow(decision)
  const bodies = [...called.keys()].toSorted().map((name) => `${name} ${called.get(name)}`)
  return hash("sha256", [...texts, ...bodies].join("\n")).slice(0, 8)
}

/** The functions that the texts of a node call. */
const calledIn = new WeakMap<Syntax, ReadonlySet<string>>()

const namesCalledIn = (syntax: Syntax): ReadonlySet<string> => new Set(expressionsIn(syntax).flatMap(functionsCalledIn))

/** Returns the texts that can be expressions: all but those for people. */
const expressionsIn = (syntax: Syntax): ReadonlyArray<string> => {
  switch (syntax.kind) {
    case "scalar":
      return typeof syntax.value === "string" ? [syntax.value] : []
    case "list":
      return syntax.items.flatMap(expressionsIn)
    case "map":
      return [...syntax.entries].flatMap(([word, { value }]) =>
        word === "description" || word === "warn" ? [] : expressionsIn(value)
      )
  }
}

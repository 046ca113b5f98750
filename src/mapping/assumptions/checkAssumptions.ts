import type { Span } from "../../diagnostic/Span.ts"
import { defineOrTake, didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { keysOf, readValues } from "../language/grammar/Kind.ts"
import { acceptanceKeys, assumptionKeys } from "../language/grammar/mappingGrammar.ts"
import type { SyntaxEntry, SyntaxMap } from "../language/MappingSyntax.ts"
import type { SyntaxReader } from "../language/SyntaxReader.ts"
import type { Assumption } from "../MappingPlan.ts"
import { assumptionHashOf, findUses } from "./findUses.ts"
import { refusesAssumption } from "./refusesAssumption.ts"

/**
 * Reads `assumption:`, the decisions of the mapping that the source does not force, and `accept:`, those that the facility accepts. Every
 * name that a line uses must be declared. Every name that the facility's files declare must be used.
 */
export const checkAssumptions = (
  reader: SyntaxReader,
  root: SyntaxMap,
  /** Returns true for the facility's own files, false for those that they extend. */
  own: (file: string) => boolean
): ReadonlyMap<string, Assumption> => {
  const entry = root.entries.get("assumption")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`assumption`")
  const names = [...map?.entries.keys() ?? []]
  const uses = findUses(root)
  for (const [name, lines] of uses) {
    if (map?.entries.has(name) === true) continue
    const near = suggest(name, names)
    for (const { named } of lines) {
      reader.report("unknown-assumption", named, `no assumption is called \`${name}\``, {
        label: didYouMean(near),
        help: defineOrTake(near, "assumption", names)
      })
    }
  }
  for (const [name, { key }] of map?.entries ?? []) {
    if (uses.has(name) || !own(key.file)) continue
    const near = suggest(name, [...uses.keys()].filter((other) => !names.includes(other)))
    reader.warn("unused-name", key, `no line uses the assumption \`${name}\``, {
      label: didYouMean(near),
      help: ["remove it"]
    })
  }
  const accepted = readAcceptances(reader, root, names)
  return new Map([...map?.entries ?? []].map(([name, one]) => {
    const lines = uses.get(name) ?? []
    const hash = assumptionHashOf(root, lines)
    const acceptance = accepted.get(name)
    const isStale = acceptance?.hash !== undefined && acceptance.hash !== hash
    if (isStale) {
      reader.warn(
        "assumption",
        acceptance.span,
        `the mapping has changed since \`${name}\` was accepted: it is to be decided again`,
        {
          help: [
            `what it means now: ${
              reader.text(one.value.kind === "map" ? one.value.entries.get("means") : undefined, "") ?? ""
            }`,
            `accept it as it is now:  hash: ${hash}`
          ]
        }
      )
    }
    return [name, {
      ...readAssumption(reader, name, one),
      // The facility's own lines come first: they are the ones that it can change.
      lines: lines.map(({ line }) => line).toSorted((a, b) => Number(own(b.file)) - Number(own(a.file))),
      hash,
      ...(acceptance === undefined ? {} : { accepted: { why: acceptance.why, span: acceptance.span, isStale } })
    }]
  }))
}

const readAssumption = (
  reader: SyntaxReader,
  name: string,
  { key, value }: SyntaxEntry
): Omit<Assumption, "lines" | "hash"> => {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) {
    reader.report("invalid-value", key, `\`${name}\` cannot be the name of an assumption`, {
      help: ["small letters and digits, with - between words:  surname-is-last-word"]
    })
  }
  const what = `the assumption \`${name}\``
  const map = reader.names(value, what, keysOf(assumptionKeys))
  const { ask, instead = "", level, means = "" } = readValues(reader, assumptionKeys, map)
  for (const word of ["means", "instead"] as const) {
    if (map === undefined || map.entries.has(word)) continue
    reader.report("missing-key", key, `${what} needs \`${word}\``, {
      help: [
        word === "means"
          ? "state in one sentence what is done"
          : "state in one sentence what could be done instead, with the line that does it"
      ]
    })
  }
  return { name, means, instead, ask, level, span: key }
}

interface Acceptance {
  readonly why: string
  readonly hash: string | undefined
  readonly span: Span
}

/** The acceptances of the facility, by name. A name that the mapping does not declare is reported, and has no effect. */
const readAcceptances = (
  reader: SyntaxReader,
  root: SyntaxMap,
  names: ReadonlyArray<string>
): ReadonlyMap<string, Acceptance> => {
  const entry = root.entries.get("accept")
  const map = entry === undefined ? undefined : reader.names(entry.value, "`accept`")
  const accepted = new Map<string, Acceptance>()
  for (const [name, one] of map?.entries ?? []) {
    const what = `the acceptance of \`${name}\``
    const long = one.value.kind === "map" ? reader.map(one.value, what, keysOf(acceptanceKeys)) : undefined
    if (long !== undefined && !long.entries.has("why")) {
      reader.report("missing-key", one.key, `${what} needs \`why\``, { help: ["state why, who decided it, and when"] })
    }
    const { hash, why = long === undefined ? reader.text(one, what) : undefined } = readValues(
      reader,
      acceptanceKeys,
      long
    )
    if (!names.includes(name)) {
      const near = suggest(name, names)
      reader.warn("unused-name", one.key, `\`accept\` names no assumption of the mapping: \`${name}\``, {
        label: didYouMean(near),
        help: [near === undefined ? "remove it" : "use the suggested name"]
      })
    } else if (why !== undefined && refusesAssumption(why)) {
      reader.report(
        "invalid-value",
        one.key,
        `\`${name}\` is listed as accepted, and its reason is an answer such as no`,
        {
          help: ["remove it, and change the line of the mapping; or state why it is accepted, who decided it, and when"]
        }
      )
    } else if (why !== undefined) accepted.set(name, { why, hash, span: one.key })
  }
  return accepted
}

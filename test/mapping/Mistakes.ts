import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "yaml"
import type { Diagnostic } from "../../src/diagnostic/Diagnostic.ts"
import type { ProblemCode } from "../../src/diagnostic/Problem.ts"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { only, present } from "../present.ts"

/**
 * Mistakes of a mapping by the code of their problem. In the overlay, `«…»` marks the expected location; the message must match the
 * regular expression.
 */
export type Mistakes = Readonly<
  Partial<Record<ProblemCode, ReadonlyArray<readonly [what: string, overlay: string, message: RegExp]>>>
>

/** Checks a mapping text, which can extend other texts. */
export const check = (text: string, others: ReadonlyMap<string, string> = new Map()) =>
  loadMapping("mapping.yaml", "mappings", { given: new Map([...others, ["mapping.yaml", text]]) }).pipe(
    Effect.provide(NodeServices.layer)
  )

interface Mistake {
  readonly code: string
  readonly what: string
  readonly overlay: string
  readonly message: RegExp
}

/**
 * Defines a test for each mistake: the overlay over `base` has exactly this problem, at the marked location. Mistakes in different lines are
 * checked together. One that is not reported exactly as expected there is checked alone.
 */
export const itReports = (base: string, severity: "error" | "warning", mistakes: Mistakes): void => {
  /** Asserts that the problems of a mapping are those of a mistake, which is in a file that extends a base. */
  const assertProblem = (
    { code, message, overlay }: Mistake,
    problems: ReadonlyArray<Diagnostic>,
    extended = base
  ): void => {
    assert.deepStrictEqual(problems.map((problem) => [problem.severity, problem.code]), [[severity, code]])
    const { help = [], label, labels = [], mapping, title } = only(problems)
    assert.match([title, label, ...help, ...labels.map(({ text }) => text)].join(" "), message)
    const marked = markedOver(extended, overlay)
    const [before = "", location, after] = marked.split(/[«»]/u)
    if (location === undefined || after === undefined) return
    const column = before.length - before.lastIndexOf("\n")
    assert.deepStrictEqual(
      [mapping?.line, mapping?.column, mapping?.endColumn],
      [before.split("\n").length, column, column + Math.max(1, location.length)]
    )
  }

  /**
   * Checks mistakes in files that extend each other. Returns those that are reported, each in its file, if nothing else is reported.
   * A mistake in the form of a mapping ends its check, so the other mistakes are then checked without it.
   */
  const reportedIn = (group: ReadonlyArray<Mistake>): Effect.Effect<ReadonlyArray<Mistake>> =>
    Effect.gen(function*() {
      if (group.length < 2) return []
      const files = group.map((_, at) => (at === 0 ? "mapping.yaml" : `${at}.yaml`))
      const texts = group.map((mistake, at) => textOver(files[at + 1] ?? base, mistake))
      const given = files.map((file, at) => [file, present(texts[at])] as const)
      const { checked, problems } = yield* check(present(texts[0]), new Map(given))
      const problemsIn = (at: number) => problems.filter(({ mapping }) => mapping?.file === files[at])
      const isExact = (checked !== undefined) === (severity === "warning") && problems.length === group.length &&
        group.every((mistake, at) => isProblem(mistake, problemsIn(at), files[at + 1]))
      if (isExact) return group
      const [found, others] = [true, false].map((has) => group.filter((_, at) => problemsIn(at).length > 0 === has))
      if (found === undefined || others === undefined || found.length === 0 || others.length === 0) return []
      return [...yield* reportedIn(found), ...yield* reportedIn(others)]
    })

  const isProblem = (...of: Parameters<typeof assertProblem>): boolean => {
    try {
      assertProblem(...of)
      return true
    } catch {
      return false
    }
  }

  const all = Object.entries(mistakes).flatMap(([code, overlays = []]) =>
    overlays.map(([what, overlay, message]): Mistake => ({ code, what, overlay, message }))
  )
  for (const group of together(all)) {
    const reported = Effect.runSync(Effect.cached(reportedIn(group)))
    for (const mistake of group) {
      it.effect(`reports ${mistake.what} at its location, with a correction`, () =>
        Effect.gen(function*() {
          if ((yield* reported).includes(mistake)) return
          const { checked, problems } = yield* check(textOver(base, mistake))
          assert.strictEqual(checked !== undefined, severity === "warning")
          assertProblem(mistake, problems)
        }))
    }
  }
}

const textOver = (base: string, { overlay }: Mistake): string => markedOver(base, overlay).replace(/[«»]/gu, "")

const markedOver = (base: string, overlay: string): string =>
  `mapping: example\n${overlay.startsWith("extends: ") ? "" : `extends: ${base}\n`}${overlay}`

/** Maximum number of mistakes that are checked together. */
const maxTogether = 20

/** Returns groups of mistakes that can be checked together, because they are in different lines of the mapping. */
const together = (mistakes: ReadonlyArray<Mistake>): ReadonlyArray<ReadonlyArray<Mistake>> => {
  const groups: Array<{ readonly mistakes: Array<Mistake>; readonly places: Set<string> }> = []
  for (const mistake of mistakes) {
    const places = placesOf(mistake)
    const group = places === undefined
      ? undefined
      : groups.find((one) =>
        one.mistakes.length < maxTogether && one.places.size > 0 && one.places.isDisjointFrom(places)
      )
    if (group === undefined) groups.push({ mistakes: [mistake], places: new Set(places) })
    else {
      group.mistakes.push(mistake)
      for (const place of places ?? []) group.places.add(place)
    }
  }
  return groups.map(({ mistakes }) => mistakes)
}

/**
 * Returns the parts of a mapping that an overlay changes: fields of the patient, sections, and names. `undefined` if it must be checked alone,
 * because no other mistake is found next to it, or because other lines depend on it.
 */
const placesOf = ({ code, overlay }: Mistake): ReadonlySet<string> | undefined => {
  if (code === "invalid-yaml" || code === "unreadable-file" || !overlay.includes("«")) return undefined
  const content: unknown = parse(overlay.replace(/[«»]/gu, ""))
  const places = new Set<string>()
  for (const [word, value] of entriesOf(content)) {
    if (!["visit", "conceptMap", "constant", "key", "grouping"].includes(word)) return undefined
    for (const [name, inner] of entriesOf(value)) {
      if (name !== "patient") places.add(`${word}.${name}`)
      else for (const [field] of entriesOf(inner)) places.add(`patient.${field}`)
    }
  }
  return places
}

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null ? Object.entries(value) : []

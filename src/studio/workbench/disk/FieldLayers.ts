import type { Span } from "../../../diagnostic/Span.ts"
import type { Syntax } from "../../../mapping/language/MappingSyntax.ts"
import { parseYaml } from "../../../mapping/language/parseYaml.ts"
import { getOrMake } from "../../../maps.ts"

type Steps = ReadonlyArray<string>

/**
 * Finds the files of a mapping that have a line for one field. The effective mapping gives the line's path, and each file is searched
 * for that path.
 */
export class FieldLayers {
  readonly #files: ReadonlyArray<Syntax>
  readonly #byLine = new Map<string, Array<{ readonly steps: Steps; readonly span: Span }>>()

  constructor(effective: Syntax, texts: ReadonlyMap<string, string>) {
    this.#files = [...texts].filter(([file]) => /\.ya?ml$/u.test(file)).flatMap(([file, text]) =>
      parseYaml(file, text).syntax ?? []
    )
    this.#gather(effective, [])
  }

  /** Returns where other files have a line for the field `name` that is written at a source location. */
  others(name: string, at: Span): ReadonlyArray<Span> {
    const steps = this.#stepsAt(at) ?? []
    const end = steps.lastIndexOf(name)
    if (end < 0) return []
    const field = steps.slice(0, end + 1)
    return this.#files.flatMap((file) => {
      const found = keyAt(file, field)
      return found === undefined || found.file === at.file ? [] : [found]
    })
  }

  /** Returns the innermost line of the effective mapping that contains a source location. */
  #stepsAt({ column, file, line }: Span): Steps | undefined {
    const here = (this.#byLine.get(`${file}:${line}`) ?? []).filter(({ span }) => span.column <= column)
    return here.toSorted((one, other) => other.span.column - one.span.column)[0]?.steps
  }

  #gather(syntax: Syntax, steps: Steps): void {
    if (syntax.kind === "scalar") return this.#note(syntax.span, steps)
    if (syntax.kind === "list") return syntax.items.forEach((item) => this.#gather(item, steps))
    for (const [key, entry] of syntax.entries) {
      const inner = [...steps, key]
      this.#note(entry.key, inner)
      this.#gather(entry.value, inner)
    }
  }

  #note(span: Span, steps: Steps): void {
    getOrMake(this.#byLine, `${span.file}:${span.line}`, () => []).push({ steps, span })
  }
}

/** Returns where a file writes the key that these steps lead to. */
const keyAt = (file: Syntax, steps: Steps): Span | undefined => {
  let at: Syntax | undefined = file
  let key: Span | undefined
  for (const step of steps) {
    const entry: { readonly key: Span; readonly value: Syntax } | undefined = at?.kind === "map"
      ? at.entries.get(step)
      : undefined
    if (entry === undefined) return undefined
    key = entry.key
    at = entry.value
  }
  return key
}

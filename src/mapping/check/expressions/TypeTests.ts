import type { Span } from "../../../diagnostic/Span.ts"
import type { TypeQuestion } from "../../../fhirpath/infer/InferenceFaults.ts"
import type { Model } from "../../../fhirpath/infer/Model.ts"
import { spanWithin, type SyntaxScalar } from "../../language/MappingSyntax.ts"
import type { SyntaxReader } from "../../language/SyntaxReader.ts"

/** Holds the tests of types until every line is checked: branches of several types can have one line, or call one function. */
export class TypeTests {
  readonly #tests = new Map<string, { readonly span: Span; readonly test: TypeQuestion; isPossible: boolean }>()

  note(scalar: SyntaxScalar, tests: ReadonlyArray<TypeQuestion>): void {
    for (const test of tests) {
      const span = spanWithin(scalar, test.offset, test.length)
      const key = `${span.file}:${span.line}:${span.column}:${test.offset}`
      const before = this.#tests.get(key)
      if (before === undefined) this.#tests.set(key, { span, test, isPossible: test.isPossible })
      else before.isPossible ||= test.isPossible
    }
  }

  /** Returns whether one of the tests can be true. */
  isAnyPossible(): boolean {
    return this.#tests.values().some(({ isPossible }) => isPossible)
  }

  /** Warns about tests of the facility's own lines and functions that are never true. */
  report(reader: SyntaxReader, { isResourceType }: Model, own: (file: string) => boolean): void {
    for (const { isPossible, span, test: { type, typePaths } } of this.#tests.values()) {
      if (isPossible || !own(span.file)) continue
      const found = typePaths.slice(0, 3).join(" or ")
      reader.warn("unknown-element", span, `this is never true: \`${found}\` is never of type \`${type}\``, {
        help: [
          typePaths.includes("Reference")
            ? `a reference is not the record that it refers to:  .resolve() is ${type}`
            : isResourceType(type)
            ? `records of another type need a branch of their own:  unionAll: {NAME: {resource: ${type}, …}}`
            : `test a type that it can have: ${typePaths.join(", ")}`
        ]
      })
    }
  }
}

import { Effect, FileSystem, type Option } from "effect"
import { join } from "node:path"
import { problems } from "../../diagnostic/Problem.ts"
import { suggest } from "../../diagnostic/suggest.ts"
import { packageFolder } from "../../facility/packageFolder.ts"
import type { Common } from "../flags.ts"
import { Screen } from "../screen/Screen.ts"
import { UsageError } from "../UsageError.ts"

export interface ExplainFlags extends Common {
  readonly what: string
  readonly inputs: ReadonlyArray<string>
  readonly facility: Option.Option<string>
}

/** `explain`: the page of a problem, or the story of a visit. */
export const explain = Effect.fn("explain")(function*(flags: ExplainFlags) {
  if (Object.hasOwn(problems, flags.what)) return yield* page(flags.what)
  if (flags.inputs.length > 0) {
    const { explainVisit } = yield* Effect.promise(() => import("./explainVisit.ts"))
    return yield* explainVisit(flags)
  }
  const near = suggest(flags.what, Object.keys(problems))
  return yield* new UsageError({
    title: `\`${flags.what}\` is not the code of a problem`,
    help: [
      ...(near === undefined ? [] : [`did you mean  fhir2visit explain ${near}`]),
      "for a visit, name what it is made of:  fhir2visit explain V000117.admitted_at export/"
    ]
  })
})

const page = Effect.fnUntraced(function*(code: string) {
  const fs = yield* FileSystem.FileSystem
  const screen = yield* Screen
  const text = yield* Effect.orDie(fs.readFileString(join(packageFolder(), "docs", "problems", `${code}.md`)))
  yield* screen.answer(text.trimEnd())
})

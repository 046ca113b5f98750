import { Effect } from "effect"
import { loadMapping } from "../../../mapping/load/loadMapping.ts"
import { InvalidMapping } from "../../../run/Conversion.ts"
import { withoutLines } from "./withoutLines.ts"

/**
 * Checks a mapping before it is written. Lines of a draft that are invalid are left out and named: the others remain useful. Without a
 * draft, checks the file that exists.
 */
export const checkDraft = Effect.fn("checkDraft")(
  function*(file: string, shipped: string, given: string | undefined) {
    let draft = given
    const leftOut: Array<string> = []
    for (;;) {
      const { checked, problems } = yield* loadMapping(file, shipped, {
        given: draft === undefined ? new Map() : new Map([[file, draft]])
      })
      if (checked !== undefined) {
        return { checked, draft: `${draft ?? ""}${leftOut.map((text) => `\n# - ${text}\n`).join("")}`, leftOut }
      }
      const numbers = problems.flatMap(({ mapping, severity }) =>
        severity === "error" && mapping?.file === file ? mapping.line : []
      )
      const { removed, text } = withoutLines(draft ?? "", numbers)
      if (removed.length === 0) return yield* new InvalidMapping({ problems })
      draft = text
      leftOut.push(...removed.map((line) => `a proposed line is invalid, and is left out:  ${line}`))
    }
  }
)

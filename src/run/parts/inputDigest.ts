import { Effect } from "effect"
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import type { FoundInputs } from "../../source/read/findInputs.ts"
import type { RunLinks } from "../links/RunLinks.ts"

/**
 * Identifies the input of a run, independent of the folder and the order of its files. It covers their sizes, the number of records, and
 * their patients.
 */
export const inputDigest = Effect.fnUntraced(function*(
  { inputs }: FoundInputs,
  { records, unreadable }: { readonly records: number; readonly unreadable: ReadonlyArray<unknown> },
  links: Pick<RunLinks, "roots"> | null
) {
  const sizes = yield* Effect.forEach(inputs, (input) =>
    input._tag === "File"
      ? Effect.orElseSucceed(Effect.tryPromise(async () => (await stat(input.path)).size), () => 0)
      : Effect.succeed(0))
  const roots = links?.roots
  const count = roots?.length ?? 0
  let patients = 0n
  for (let root = 0; root < count; root++) patients += BigInt(roots!.patientOf(root)) ** 2n
  const facts = [
    ...sizes.toSorted((one, other) => one - other),
    records,
    unreadable.length,
    count,
    String(patients)
  ]
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16)
})

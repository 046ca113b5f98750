import { Effect } from "effect"
import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { type FoundInputs, type Input, notReadable } from "../../source/read/findInputs.ts"
import type { Roots } from "../links/Roots.ts"

/**
 * Identifies the input of a run, independent of the folder and the order of its files. It covers their sizes, the number of records, and
 * their patients.
 */
export const inputDigest = Effect.fnUntraced(function*(
  { inputs }: FoundInputs,
  { records, unreadable }: { readonly records: number; readonly unreadable: ReadonlyArray<unknown> },
  { roots }: { readonly roots: Pick<Roots, "length" | "patientOf"> }
) {
  const sizes = yield* Effect.forEach(inputs, sizeOf)
  let patients = 0n
  for (let root = 0; root < roots.length; root++) patients += BigInt(roots.patientOf(root)) ** 2n
  const facts = [
    ...sizes.toSorted((one, other) => one - other),
    records,
    unreadable.length,
    roots.length,
    String(patients)
  ]
  return createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 16)
})

/** The size of a file. Standard input has none. */
const sizeOf = (input: Input) =>
  input._tag === "File"
    ? Effect.tryPromise({
      try: async () => (await stat(input.path)).size,
      catch: (error) => notReadable(input.name, error)
    })
    : Effect.succeed(0)

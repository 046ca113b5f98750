import { Effect, FileSystem, type PlatformError } from "effect"
import { dirname, join } from "node:path"
import { isJsonObject } from "../../json/JsonObject.ts"
import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { type Facility, noJournal, serviceName } from "../Facility.ts"
import type { KnownBeneficiary } from "./Beneficiary.ts"

/** The service's response for a card, and its time: card not found, one person, or a household that shares it. */
export interface Asked {
  readonly known: ReadonlyArray<KnownBeneficiary>
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The responses received, stored on this machine: they are patient data. */
interface BeneficiaryFile {
  readonly find: (card: string) => Asked | undefined
  readonly add: (card: string, requested: Asked) => Effect.Effect<void, PlatformError.PlatformError>
}

/** Several hundred thousand responses. */
const maxBytes = 256 * 1024 * 1024

/** Days after which a response is deleted. */
const keptDays = 90

/** One file for each service, next to the journal. `null` in a rehearsal, and when the service's address is not known. */
export const beneficiaryFile = (facility: Pick<Facility, "journal" | "environment" | "service">): string | null => {
  const name = serviceName(facility)
  if (name === null) return null
  if (facility.journal === noJournal) return noJournal
  return join(dirname(facility.journal), "beneficiaries", `${name}.ndjson`)
}

/** The responses of one process. */
export const inMemoryBeneficiaryFile = (): BeneficiaryFile => {
  const answers = new Map<string, Asked>()
  return {
    find: (card) => answers.get(card),
    add: (card, requested) => Effect.sync(() => void answers.set(card, requested))
  }
}

/**
 * Opens the file: one response per line, mode 0600 in a folder of mode 0700. An incomplete line is ignored. Responses that are too old, or
 * followed by a later one, are removed.
 */
export const openBeneficiaryFile = Effect.fn("openBeneficiaryFile")(function*(file: string, now: number) {
  const fs = yield* FileSystem.FileSystem
  const read = yield* readTextFile(file, maxBytes)
  const text = read._tag === "Text" ? read.text : ""
  const answers = new Map<string, Asked>()
  let lines = 0
  for (const line of text.split("\n")) {
    if (line === "") continue
    lines++
    const read = readLine(line)
    if (read !== null && now - read.asked.at < keptDays * 86_400_000) answers.set(read.card, read.asked)
  }
  const add = Effect.fnUntraced(function*(lines: string, flag: "a" | "w", path: string) {
    yield* fs.makeDirectory(dirname(file), { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(path, lines, { flag, mode: 0o600 })
  })
  if (lines > answers.size) {
    const draft = `${file}.new`
    yield* add(Array.from(answers, ([card, requested]) => lineOf(card, requested)).join(""), "w", draft).pipe(
      Effect.andThen(fs.rename(draft, file)),
      Effect.ignore
    )
  }
  return {
    find: (card) => answers.get(card),
    add: (card, requested) => {
      answers.set(card, requested)
      return add(lineOf(card, requested), "a", file)
    }
  } satisfies BeneficiaryFile as BeneficiaryFile
})

const lineOf = (card: string, { at, known }: Asked): string =>
  `${JSON.stringify({ card, at: new Date(at).toISOString(), known })}\n`

const readLine = (line: string): { readonly card: string; readonly asked: Asked } | null => {
  try {
    const value: unknown = JSON.parse(line)
    if (!isJsonObject(value)) return null
    const card = nonEmptyText(value["card"])
    const at = Date.parse(nonEmptyText(value["at"]) ?? "")
    const { known } = value
    if (card === null || Number.isNaN(at)) return null
    return Array.isArray(known) && known.every(isKnown) ? { card, asked: { at, known } } : null
  } catch {
    return null
  }
}

const isKnown = (value: unknown): value is KnownBeneficiary =>
  isJsonObject(value) &&
  ["patientCode", "spid", "sex", "birthdate", "deathDate"].every((key) => isTextOrNull(value[key])) &&
  typeof value["dead"] === "boolean" && (value["showsCard"] === null || typeof value["showsCard"] === "boolean") &&
  Array.isArray(value["cards"]) &&
  value["cards"].every((card) => isJsonObject(card) && typeof card["number"] === "string" && isTextOrNull(card["type"]))

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === "string"

import { Effect, FileSystem, type PlatformError } from "effect"
import { dirname, join } from "node:path"
import { isJsonObject } from "../../json/JsonObject.ts"
import { nonEmptyText } from "../../service/responses/ServiceResponse.ts"
import { readTextFile } from "../../source/read/readTextFile.ts"
import { type Facility, noJournal, serviceName } from "../Facility.ts"
import type { KnownBeneficiary } from "./Beneficiary.ts"

/** The service's response to a card lookup: no record (card not found), one person, or a household that shares the card. */
export interface CardResponse {
  readonly known: ReadonlyArray<KnownBeneficiary>
  /** When it was received, in milliseconds since 1970. */
  readonly at: number
}

/** The responses received, stored on this machine: they are patient data. */
interface BeneficiaryFile {
  readonly find: (card: string) => CardResponse | undefined
  readonly add: (card: string, response: CardResponse) => Effect.Effect<void, PlatformError.PlatformError>
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
  const responses = new Map<string, CardResponse>()
  return {
    find: (card) => responses.get(card),
    add: (card, response) => Effect.sync(() => void responses.set(card, response))
  }
}

/**
 * Opens the file: one response per line, mode 0600 in a folder of mode 0700. An incomplete line is ignored. Responses that are too old, or
 * followed by a later one, are removed.
 */
export const openBeneficiaryFile = Effect.fn("openBeneficiaryFile")(function*(file: string, now: number) {
  const fs = yield* FileSystem.FileSystem
  const read = yield* readTextFile(file, maxBytes)
  if (read._tag === "Unreadable" && read.isUtf8 && !read.isMissing) {
    yield* Effect.logWarning(`the stored responses of card searches in ${file} are not used: ${read.why}`)
  }
  // A crash can cut a line within a character. The lines before it are read.
  const text = read._tag === "Text"
    ? read.text
    : read.isUtf8
    ? ""
    : yield* Effect.match(fs.readFile(file), {
      onFailure: () => "",
      onSuccess: (bytes) => new TextDecoder().decode(bytes)
    })
  // A file that was copied, or made by hand, can be readable for everyone. It stays so on a disk that cannot be written.
  const makePrivate = (path: string) => Effect.ignore(fs.chmod(path, 0o600))
  yield* makePrivate(file)
  const responses = new Map<string, CardResponse>()
  let lines = 0
  for (const line of text.split("\n")) {
    if (line === "") continue
    lines++
    const read = readLine(line)
    if (read !== null && now - read.response.at < keptDays * 86_400_000) responses.set(read.card, read.response)
  }
  const add = Effect.fnUntraced(function*(lines: string, flag: "a" | "w", path: string) {
    yield* fs.makeDirectory(dirname(file), { recursive: true, mode: 0o700 })
    yield* makePrivate(path)
    yield* fs.writeFileString(path, lines, { flag, mode: 0o600 })
  })
  if (lines > responses.size) {
    const draft = `${file}.new`
    yield* add(Array.from(responses, ([card, response]) => lineOf(card, response)).join(""), "w", draft).pipe(
      Effect.andThen(fs.rename(draft, file)),
      Effect.ignore
    )
  }
  const opened: BeneficiaryFile = {
    find: (card) => responses.get(card),
    add: (card, response) => {
      responses.set(card, response)
      return add(lineOf(card, response), "a", file)
    }
  }
  return opened
})

/** What a decoder writes in place of bytes that are no character. */
const replaced = "\uFFFD"

const lineOf = (card: string, { at, known }: CardResponse): string =>
  `${JSON.stringify({ card, at: new Date(at).toISOString(), known })}\n`

const readLine = (line: string): { readonly card: string; readonly response: CardResponse } | null => {
  try {
    const value: unknown = JSON.parse(line)
    if (!isJsonObject(value)) return null
    const card = nonEmptyText(value["card"])
    const at = Date.parse(nonEmptyText(value["at"]) ?? "")
    const { known } = value
    if (card === null || Number.isNaN(at) || line.includes(replaced)) return null
    return Array.isArray(known) && known.every(isKnown) ? { card, response: { at, known } } : null
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

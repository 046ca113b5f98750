import { Result } from "effect"
import { hash } from "node:crypto"

/** The faults that the sandbox can inject. `before` and `after` refer to the instant at which a submission is stored. */
export const faultWords = {
  "drop-before": "the connection is closed before anything is stored",
  "drop-after": "the request is processed and its response is lost",
  "500-before": "500 (§7) before anything is stored",
  "500-after": "the request is processed and its response is 500 (§7)",
  "503": "503 with Retry-After before anything is stored",
  "429": "429 with Retry-After and X-RateLimit-Reset (§8)",
  "429-bare": "429 without any header",
  "html": "an HTML page with status 200 before anything is stored",
  "html-after": "the request is processed and its response is an HTML page",
  "truncated": "the request is processed and its response is truncated",
  "slow-body": "the request is processed and its response is sent slowly, for delay-ms milliseconds",
  "wrong-type": "the request is processed and its response has the content type of HTML",
  "delay": "the response is delayed by delay-ms milliseconds",
  "burst": "503 without any header, for this request and the next four at the same place",
  "expire": "401, as if the token had expired",
  "revoke": "401, and the token and its refresh token are no longer valid",
  "restart": "the service closes every connection and restarts after delay-ms milliseconds",
  "partial": "a whole visit is stored with status 3 (§3)"
} as const
export type FaultWord = keyof typeof faultWords

/** Where a fault may be injected (default: `visits`). */
export const faultPlaces = ["token", "standard-data", "beneficiary", "visits", "processed"] as const
export type FaultPlace = (typeof faultPlaces)[number]

export interface Fault {
  readonly word: FaultWord
  readonly place: FaultPlace
  /** From 0 to 1. */
  readonly rate: number
}

export interface Faults {
  readonly faults: ReadonlyArray<Fault>
  /** The same seed injects the same faults into the same requests, in any order of requests. */
  readonly seed: number
  readonly delayMillis: number
}

export const noFaults: Faults = { faults: [], seed: 1, delayMillis: 1000 }

/** The syntax of a specification of faults, for a message or a help text. */
const faultHelp = `WORD[@PLACE]=RATE,… with the words ${Object.keys(faultWords).join(", ")}; the places ${
  faultPlaces.join(", ")
}; and seed=NUMBER, delay-ms=NUMBER`

/** Parses `drop-after=0.1,500-after@visits=0.05,seed=7`. An unknown part is rejected with the valid ones. */
export const parseFaults = (text: string): Result.Result<Faults, string> => {
  const faults: Array<Fault> = []
  let { delayMillis, seed } = noFaults
  for (const part of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const found = /^([a-z0-9-]+)(?:@([a-z-]+))?=([0-9.]+)$/u.exec(part)
    if (found === null) return Result.fail(`\`${part}\` does not have the form ${faultHelp}`)
    const [, word = "", place = "visits", value] = found
    const number = Number(value)
    if (word === "seed" || word === "delay-ms") {
      if (!Number.isSafeInteger(number)) return Result.fail(`\`${part}\` must be a whole number`)
      if (word === "seed") seed = number
      else delayMillis = number
      continue
    }
    if (!isFaultWord(word)) return Result.fail(`unknown fault \`${word}\`; expected ${faultHelp}`)
    const at = faultPlaces.find((known) => known === place)
    if (at === undefined) return Result.fail(`unknown place \`${place}\`; expected ${faultHelp}`)
    if (!(number >= 0 && number <= 1)) return Result.fail(`\`${part}\` must have a rate from 0 to 1`)
    faults.push({ word, place: at, rate: number })
  }
  return Result.succeed({ faults, seed, delayMillis })
}

const isFaultWord = (word: string): word is FaultWord => Object.hasOwn(faultWords, word)

/**
 * Decides for one request. The result depends only on the seed, the fault, the request (`subject`: its place and content) and its
 * repetition number. A run with more workers therefore gets the same faults.
 */
export const shouldInject = (faults: Faults, fault: Fault, subject: string, time: number): boolean => {
  if (fault.rate <= 0) return false
  const digest = hash("sha256", `${faults.seed}\n${fault.word}\n${time}\n${subject}`, "buffer")
  return digest.readUInt32BE(0) / 0x1_0000_0000 < fault.rate
}

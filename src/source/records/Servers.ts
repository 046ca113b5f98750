import { parseReference, parseReferenceText } from "./Reference.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** What an input leaves open about which records are one, as the facility and its mapping declare it. */
export interface JoinRules {
  /** Base addresses of one server: that of the records that come without an address, too. */
  readonly sameServer: ReadonlyArray<string>
  /** What becomes of copies of a record that differ, when nothing says which is newer. */
  readonly copies: CopyRule
}

/** They reject the visit, or the one that is read last is used: in the order of file names, and in each file from the top down. */
export const copyRules = ["reject", "last"] as const
export type CopyRule = (typeof copyRules)[number]

export const strictJoins: JoinRules = { sameServer: [], copies: "reject" }

/**
 * Tells which server a record is on. An id means one record on one server only: `https://a.example/fhir/Patient/1` and
 * `https://b.example/fhir/Patient/1` are two patients (FHIR R4 §2.3.0.5, §2.36.4.1).
 */
export class Servers {
  readonly #own: ReadonlySet<string>
  readonly #known = new Map<string, string>()

  constructor(sameServer: ReadonlyArray<string>) {
    this.#own = new Set(sameServer.map(normalized))
  }

  /** A name for the server with a base address; the same for each way to write it. */
  nameOf(base: string): string {
    let name = this.#known.get(base)
    if (name === undefined) {
      const text = normalized(base)
      this.#known.set(base, name = this.#own.has(text) ? own : text)
    }
    return name
  }

  /** The server that a record is on, by its `fullUrl`; `undefined` when nothing says it. */
  of({ fullUrl }: Pick<SourceRecord, "fullUrl">): string | undefined {
    const base = fullUrl === undefined ? undefined : baseOf(fullUrl)
    return base === undefined ? this.#own.size === 0 ? undefined : own : this.nameOf(base)
  }
}

/** The server of records without an address, once it has a name. */
const own = ""

/** The base of `https://emr.example/fhir/Patient/17`: `https://emr.example/fhir`. */
export const baseOf = (url: string): string | undefined => {
  const reference = parseReferenceText(url)
  return reference._tag === "Absolute" ? reference.base : undefined
}

/** A server is one over http and https, and whatever the case of its host is (FHIR R4 §3.1.0.1.1). */
const normalized = (base: string): string => {
  const [, host = "", path = ""] = /^\w+:\/\/([^/]*)(.*)$/su.exec(base) ?? []
  return `${host.toLowerCase().replace(/:(?:80|443)$/u, "")}${path.replace(/\/+$/u, "")}`
}

/** Whether a reference is an absolute address of a record. */
export const isAbsolute = (reference: unknown): boolean => parseReference(reference)._tag === "Absolute"

/** What to do about an absolute reference that leads to no record. */
export const sameServerHelp: ReadonlyArray<string> = [
  "an absolute reference leads to a record whose `fullUrl` has the same base address",
  "if the base is that of this server, name it in facility.yaml:  sameServer: [https://emr.example/fhir]"
]

/** Whether the addresses of two records say that they are on different servers. */
export const areOnTwoServers = (one: Pick<SourceRecord, "fullUrl">, other: Pick<SourceRecord, "fullUrl">): boolean => {
  const [base, otherBase] = [one, other].map(({ fullUrl }) => (fullUrl === undefined ? undefined : baseOf(fullUrl)))
  return base !== undefined && otherBase !== undefined && normalized(base) !== normalized(otherBase)
}

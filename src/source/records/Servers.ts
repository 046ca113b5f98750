import { getOrMake } from "../../maps.ts"
import { parseReference, parseReferenceText } from "./Reference.ts"
import type { SourceRecord } from "./SourceRecord.ts"

/** What the facility and its mapping declare about the identity of records, where the input leaves it open. */
export interface JoinRules {
  /** Base addresses of one server, which also holds the records without an address. */
  readonly sameServer: ReadonlyArray<string>
  /** What to do with copies of a record that differ and have no version information. */
  readonly copies: CopyRule
}

/**
 * Copies that differ either reject the visit, or the last one read is used. Files are read in the order of their names, each from top to
 * bottom.
 */
export const copyRules = ["reject", "last"] as const
export type CopyRule = (typeof copyRules)[number]

export const strictJoins: JoinRules = { sameServer: [], copies: "reject" }

/**
 * Identifies the server of a record. An id is unique only on its server: `https://a.example/fhir/Patient/1` and
 * `https://b.example/fhir/Patient/1` are two patients (FHIR R4 §2.3.0.5, §2.36.4.1).
 */
export class Servers {
  readonly #own: ReadonlySet<string>
  readonly #known = new Map<string, string>()

  constructor(sameServer: ReadonlyArray<string>) {
    this.#own = new Set(sameServer.map(normalized))
  }

  /** Returns a name for the server with a base address; equal for each way to write the address. */
  nameOf(base: string): string {
    return getOrMake(this.#known, base, () => {
      const text = normalized(base)
      return this.#own.has(text) ? own : text
    })
  }

  /** Returns the server of a record, from its `fullUrl`; `undefined` if unknown. */
  of({ fullUrl }: Pick<SourceRecord, "fullUrl">): string | undefined {
    const base = fullUrl === undefined ? undefined : baseOf(fullUrl)
    return base === undefined ? this.#own.size === 0 ? undefined : own : this.nameOf(base)
  }
}

/** The name of the server that the facility declares, which also holds the records without an address. */
const own = ""

/** Returns the base of `https://emr.example/fhir/Patient/17`: `https://emr.example/fhir`. */
export const baseOf = (url: string): string | undefined => {
  const reference = parseReferenceText(url)
  return reference._tag === "Absolute" ? reference.base : undefined
}

/** Returns the server of a Bulk Data export by the address of its request: `https://emr.example/fhir/Group/1/$export`. */
export const serverOfExport = (url: string): string | undefined =>
  /^(.+?)(?:\/Patient|\/Group\/[^/]+)?\/(?:\$|%24)export(?:\?|$)/u.exec(url)?.[1]

/** Http and https addresses mean one server, and the case of the host is ignored (FHIR R4 §3.1.0.1.1). */
const normalized = (base: string): string => {
  const [, host = "", path = ""] = /^\w+:\/\/([^/]*)(.*)$/su.exec(base) ?? []
  return `${host.toLowerCase().replace(/:(?:80|443)$/u, "")}${path.replace(/\/+$/u, "")}`
}

/** Whether a reference is an absolute address of a record. */
export const isAbsolute = (reference: unknown): boolean => parseReference(reference)._tag === "Absolute"

/** Advice for an absolute reference without a target in the input. */
export const sameServerHelp: ReadonlyArray<string> = [
  "an absolute reference leads to a record whose `fullUrl` has the same base address",
  "if the base is that of this server, name it in facility.yaml:  sameServer: [https://emr.example/fhir]"
]

/** Whether the addresses of two records show different servers. */
export const areOnTwoServers = (one: Pick<SourceRecord, "fullUrl">, other: Pick<SourceRecord, "fullUrl">): boolean => {
  const [base, otherBase] = [one, other].map(({ fullUrl }) => (fullUrl === undefined ? undefined : baseOf(fullUrl)))
  return base !== undefined && otherBase !== undefined && normalized(base) !== normalized(otherBase)
}

import type { DraftPath, VisitDraft } from "../../mapping/draft/VisitDraft.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import { entriesOf } from "../../visit/rules/Rule.ts"
import type { VisitProblem } from "../../visit/VisitProblem.ts"

/**
 * The currencies of a visit's invoices, as given in the records they were made of; `undefined` if there is none. The visit has no field for
 * them.
 */
export const currenciesOf = (
  { provenanceOf, visit }: VisitDraft,
  /** The original record of a tracked one. */
  unwatched: (record: SourceRecord) => SourceRecord
): ReadonlyArray<string> | undefined => {
  const invoices = entriesOf(visit, "invoices")
  if (invoices.length === 0) return undefined
  let found: Array<string> | undefined
  const seen = (currency: string): void => {
    if (found?.includes(currency) !== true) (found ??= []).push(currency)
  }
  const records = new Set<SourceRecord>()
  const add = (path: DraftPath): void => {
    const record = provenanceOf(path)?.record
    if (record !== undefined) records.add(unwatched(record))
  }
  invoices.forEach((invoice, index) => {
    add(["invoices", index, "total"])
    for (const list of ["services", "medications"]) {
      entriesOf(invoice, list).forEach((_, line) => add(["invoices", index, list, line, "payment"]))
    }
  })
  for (const { resource, row } of records) {
    if (row === undefined) lookInto(resource, seen)
    // A CSV row is flat, so only a column of this name can state the currency, or the signs next to its amounts.
    else if (resource.currency !== undefined) lookInto({ currency: resource.currency }, seen)
    else for (const [element, sign] of row.currencies ?? []) if (resource[element] !== undefined) seen(sign)
  }
  return found
}

/** Amounts are objects with a `currency`, at any depth. */
const lookInto = (value: object, seen: (currency: string) => void): void => {
  if (Array.isArray(value)) {
    const entries: ReadonlyArray<unknown> = value
    for (const entry of entries) if (typeof entry === "object" && entry !== null) lookInto(entry, seen)
    return
  }
  for (const key in value) {
    // The loop gives the keys of this object.
    const inner = (value as Readonly<Record<string, unknown>>)[key]
    if (typeof inner === "object" && inner !== null) lookInto(inner, seen)
    else if (key === "currency" && typeof inner === "string" && inner !== "") seen(inner)
  }
}

/** Finds visits whose invoices are in a currency that is not allowed. The allowed ones are those set, otherwise that of the first visit. */
export class RunCurrencies {
  readonly #allowed: ReadonlyArray<string> | undefined
  #first: string | undefined

  constructor(allowed: ReadonlyArray<string> | undefined) {
    this.#allowed = allowed
  }

  /** The currency that visits are compared with if no setting names one. */
  get first(): string | undefined {
    return this.#allowed === undefined ? this.#first : undefined
  }

  /** Remembers the currency of a visit that is sent. */
  add(currencies: ReadonlyArray<string> | undefined): void {
    this.#first ??= currencies?.[0]
  }

  /** Checks the currencies of a visit that can otherwise be sent. */
  check(currencies: ReadonlyArray<string> | undefined): ReadonlyArray<VisitProblem> {
    const first = currencies?.[0]
    if (currencies === undefined || first === undefined) return none
    const allowed = this.#allowed ?? [this.#first ?? first]
    if (currencies.every((currency) => allowed.includes(currency))) return none
    return [{
      code: "other-currency",
      severity: "error",
      path: ["invoices"],
      title: this.#allowed !== undefined
        ? "an invoice is in a currency that the settings do not name"
        : currencies.length > 1
        ? "the amounts of the visit's invoices are in several currencies"
        : "an invoice is in another currency than the invoices before it",
      help:
        "the visit has no field for a currency; declare the expected ones in facility.yaml:  validation: {currencies: [KHR, USD]}"
    }]
  }
}

const none: ReadonlyArray<VisitProblem> = []

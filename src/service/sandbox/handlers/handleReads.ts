import { Effect, Schema } from "effect"
import { isJsonObject, jsonListOf, type JsonObject } from "../../../json/JsonObject.ts"
import type { FacilityCode } from "../../../visit/values/Code.ts"
import type { ProcessedQuery, StandardQuery } from "../../Api.ts"
import { Beneficiary } from "../../Beneficiary.ts"
import { NotFoundResponse, UnprocessableResponse } from "../../responses/Envelope.ts"
import type { ProcessedItem, StandardItem } from "../../responses/Page.ts"
import { defaultPerPage, uuidKey } from "../../wire.ts"
import { standardData } from "../data/standardData.ts"
import type { SandboxState } from "../SandboxState.ts"
import type { StoredVisit } from "../store/SandboxStore.ts"
import { success } from "./envelope.ts"

const page = <A>(state: SandboxState, items: ReadonlyArray<A>, current: number, requested: number) => {
  const perPage = Math.min(requested, state.options.maxPerPage)
  return {
    current_page: current,
    per_page: perPage,
    total: items.length,
    last_page: Math.max(1, Math.ceil(items.length / perPage)),
    data: items.slice((current - 1) * perPage, current * perPage)
  }
}

/** Returns a standard-data list (§4.3); `query` is searched in code, name and description. */
export const handleStandardData = (state: SandboxState, query: StandardQuery) => {
  const expected = (query.query ?? "").toLowerCase()
  const items: ReadonlyArray<StandardItem> = standardData[query.type].filter((item) =>
    expected === "" ||
    [item.code, item.name, item.name_local ?? "", item.description].some((text) =>
      text.toLowerCase().includes(expected)
    )
  )
  return success("Success", page(state, items, query.page ?? 1, query.per_page ?? defaultPerPage.standardData))
}

/** Returns the beneficiary who has a card (§4.4), with every field of §2.7. */
export const handleBeneficiary = Effect.fnUntraced(function*(state: SandboxState, card: string) {
  const found = state.beneficiaries.find((person) => cardsOf(person).includes(card))
  if (found === undefined) return yield* NotFoundResponse.documented("Beneficiary not found")
  return success("Success", yield* Effect.orDie(decodeBeneficiary({ ...blank, ...found })))
})

const decodeBeneficiary = Schema.decodeUnknownEffect(Beneficiary)

const blank = {
  ...Object.fromEntries(Object.keys(Beneficiary.fields).map((key) => [key, null])),
  dead: false,
  benefit_cards: [],
  identifications: [],
  disabilities: []
}

const cardsOf = (person: JsonObject): ReadonlyArray<unknown> =>
  [person["benefit_cards"], person["identifications"]].flatMap(jsonListOf).flatMap((card) =>
    isJsonObject(card) ? [card["card_number"], card["card_code"], card["code"]] : [card]
  )

/** Returns a page of the visits of one facility (§4.6). Dates are compared as written in the timestamp; both ends are inclusive. */
export const handleProcessed = Effect.fnUntraced(function*(
  state: SandboxState,
  facilityCode: FacilityCode,
  query: ProcessedQuery,
  now: number
) {
  const sortBy = query.sort_by ?? "created_at"
  const sortKey = sortKeys[sortBy]
  if (sortKey === undefined) return yield* UnprocessableResponse.invalid("The selected sort_by is invalid.")
  const between = (date: string | null, from: string | undefined, to: string | undefined): boolean =>
    (from === undefined && to === undefined) ||
    (date !== null && date.slice(0, 10) >= (from ?? "") && date.slice(0, 10) <= (to ?? "9999-12-31"))

  const found: Array<StoredVisit> = []
  for (const visit of state.store.visits()) {
    if (
      visit.facilityCode === facilityCode &&
      Date.parse(visit.createdAt) + state.options.listLagMillis <= now &&
      between(visit.admittedAt, query.admitted_at_from, query.admitted_at_to) &&
      between(visit.dischargedAt, query.discharged_at_from, query.discharged_at_to) &&
      (query.processing_status === undefined ||
        [String(visit.status), processingStatus(visit.status)].includes(query.processing_status))
    ) found.push(visit)
  }
  const sign = query.sort_direction === "desc" ? -1 : 1
  found.sort((a, b) => {
    const [x, y] = [sortKey(a), sortKey(b)]
    return x < y ? -sign : x > y ? sign : 0
  })
  const items = page(state, found, query.page ?? 1, query.per_page ?? defaultPerPage.processed)
  return success("Success", { ...items, data: items.data.map(itemOf) })
})

const processingStatus = (status: number): string => status === 3 ? "partial" : "complete"

const itemOf = (visit: StoredVisit): ProcessedItem => ({
  [uuidKey]: visit.uuid,
  code: visit.code,
  patient_code: visit.patientCode,
  health_facility_code: visit.facilityCode,
  admitted_at: visit.admittedAt,
  discharged_at: visit.dischargedAt,
  status: visit.status,
  processing_status: processingStatus(visit.status),
  created_at: visit.createdAt,
  updated_at: visit.updatedAt
})

const sortKeys: Readonly<Record<string, (visit: StoredVisit) => string | number>> = {
  code: (visit) => visit.code,
  patient_code: (visit) => visit.patientCode,
  admitted_at: (visit) => Date.parse(visit.admittedAt),
  discharged_at: (visit) => visit.dischargedAt === null ? 0 : Date.parse(visit.dischargedAt),
  status: (visit) => visit.status,
  created_at: (visit) => Date.parse(visit.createdAt),
  updated_at: (visit) => Date.parse(visit.updatedAt)
}

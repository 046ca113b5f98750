import { Effect, Random } from "effect"
import { plural } from "../../../diagnostic/count.ts"
import { columns } from "../../../diagnostic/render/columns.ts"
import { cut } from "../../../diagnostic/shown.ts"
import { shownFile, spanText } from "../../../diagnostic/Span.ts"
import { readFacility } from "../../../facility/readFacility.ts"
import { findLine } from "../../../mapping/language/findLine.ts"
import type { MappingPlan } from "../../../mapping/MappingPlan.ts"
import { type RoundTrip, roundTrip } from "../../../studio/proof/roundTrip.ts"
import { mappingFile, validMapping } from "../../facility/mappingOf.ts"
import { someNotDone } from "../../process/exitCode.ts"
import { Screen } from "../../screen/Screen.ts"
import type { TestFlags } from "./test.ts"

/** `mapping test --round-trip`: writes synthetic visits as FHIR, maps them again, and lists the fields that are lost. */
export const proveRoundTrip = Effect.fn("mapping test --round-trip")(function*(flags: TestFlags) {
  const screen = yield* Screen
  const facility = yield* readFacility(flags.facility)
  const file = yield* mappingFile(flags)
  const checked = yield* validMapping(facility, file)
  const seed = flags.seed ?? (yield* Random.nextIntBetween(1, 1_000_000))
  const all = roundTrip({
    checked,
    facility: facility.code,
    system: facility.system,
    zone: facility.timezone,
    visits: flags.visits,
    seed
  })
  const excepted = (field: string): boolean =>
    flags.except.some((except) => field === except || field.startsWith(`${except}.`))
  const found = { ...all, fields: all.fields.filter(({ field }) => !excepted(field)) }
  if (flags.format === "human") yield* screen.print(asText(found, checked.plan, file, all.fields.length))
  else {
    const fields = found.fields.map((field) => ({ ...field, mapping: placeOf(checked.plan, field.field) }))
    yield* screen.print(
      flags.format === "json"
        ? JSON.stringify({ ...found, variants: Object.fromEntries(found.variants), fields })
        : fields.map(({ field, mapping, visits }) =>
          `${mapping}: error: \`${field}\` does not come back in ${plural(visits, "visit")}`
        ).join("\n")
    )
  }
  if (found.fields.length > 0 || found.variants.size > 0) return yield* someNotDone
})

const placeOf = (plan: MappingPlan, field: string): string => spanText(findLine(plan, field))

const asText = (found: RoundTrip, plan: MappingPlan, file: string, all: number): string => {
  const left = all - found.fields.length
  return [
    `${plan.name}   ${shownFile(file)}`,
    "",
    `  ${plural(found.visits, "invented visit")} through FHIR and back      seed ${found.seed}`,
    ...(found.fields.length === 0
      ? [left === 0 ? "  every field is unchanged" : `  every other field is unchanged`]
      : [
        `  ${plural(found.fields.length, "field")} ${
          found.fields.length === 1 ? "does" : "do"
        } not come back as they went`,
        "",
        ...columns(found.fields.map(({ back, field, sent, visits }) => [
          field === "" ? "the visit" : field,
          plural(visits, "visit"),
          placeOf(plan, field),
          `${shown(sent)} became ${shown(back)}`
        ])).map((line) => `  ${line}`)
      ]),
    ...(left === 0 ? [] : [`  ${plural(left, "field")} ignored (--except)`]),
    ...[...found.variants].map(([name, visits]) => `  ${plural(visits, "visit")} changed with: ${name}`),
    ...(found.rejected === 0 ? [] : [`  in ${plural(found.rejected, "visit")} a record was rejected`])
  ].join("\n")
}

/** The values are invented; they are shown. */
const shown = (value: unknown): string => cut(value === undefined ? "nothing" : JSON.stringify(value), 40)

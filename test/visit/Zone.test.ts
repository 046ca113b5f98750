import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { fromLocal, offsetAt, useZoneDays, zoneDays } from "../../src/visit/values/Zone.ts"

describe("The kept offsets of a zone", () => {
  it.each([
    "Asia/Phnom_Penh",
    "America/New_York",
    "Asia/Katmandu",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    "Africa/Monrovia",
    "Pacific/Apia",
    "Etc/UTC"
  ])("give what the platform's data gives: %s", (zone) => {
    // From 1940 to 2080: also outside the years that are kept.
    const instants = fc.sample(fc.integer({ min: -946_771_200_000, max: 3_471_292_800_000 }), 4000)
    const asked = () => instants.map((instant) => [offsetAt(instant, zone), fromLocal(instant, zone)])
    const expected = asked()
    const days = zoneDays(zone)
    useZoneDays(zone, structuredClone(days))
    assert.deepStrictEqual(asked(), expected)
    // On a day with a change, the time of the change counts.
    for (const [dayNumber] of days.changes.slice(1)) {
      const hours = Array.from({ length: 48 }, (_, hour) => (dayNumber - 1) * 86_400_000 + hour * 3_600_000 + 1)
      const kept = hours.map((instant) => offsetAt(instant, zone))
      assert.isTrue(kept.some((offset) => offset !== kept[0]), `${zone}: day ${dayNumber}`)
    }
  })
})

import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { arbitraryTimestamp } from "../../src/studio/proof/arbitraryVisit.ts"
import { civilFromDays, daysFromCivil, isCalendarDate } from "../../src/visit/values/CalendarDate.ts"
import {
  formatTimestamp,
  isTimestamp,
  parseInstant,
  timestampPattern,
  toEpochMillis
} from "../../src/visit/values/Timestamp.ts"
import { fromLocal, isZone, localTime, offsetAt, zoneDays } from "../../src/visit/values/Zone.ts"

const read = (text: string, zone = "Asia/Phnom_Penh") => {
  const reading = parseInstant(text, { zone })
  return reading._tag === "Instant"
    ? `${new Date(reading.epochMillis).toISOString()} ${reading.precision}${reading.hadOffset ? "" : " local"}`
    : reading.reason
}

const zones = [
  "Asia/Phnom_Penh",
  "UTC",
  "America/New_York",
  "Europe/Dublin",
  "Africa/Casablanca",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Asia/Manila",
  "America/Juneau",
  "Pacific/Apia",
  "Africa/Monrovia",
  "Antarctica/Troll",
  "+07:00",
  "-03:30"
]

describe("§2: timestamps are YYYY-MM-DDTHH:mm:ss.sss+HH:MM", () => {
  it("accepts only that form", () => {
    for (
      const text of [
        "2026-03-01T10:15:00.000+07:00",
        "2024-02-29T23:59:59.999-11:30",
        "0001-01-01T00:00:00.000+00:00",
        "9999-12-31T23:59:59.999+14:00"
      ]
    ) {
      assert.isTrue(isTimestamp(text), text)
      assert.match(text, new RegExp(timestampPattern, "u"))
    }
    for (
      const text of [
        "2026-03-01T10:15:00.000Z",
        "2026-03-01T10:15:00+07:00",
        "2026-03-01T10:15:00.0+07:00",
        "2026-03-01 10:15:00.000+07:00",
        "2026-03-01t10:15:00.000+07:00",
        "2026-03-01T10:15:00.000+0700",
        "2026-03-01T10:15:00.000-00:00",
        "2026-03-01T24:00:00.000+07:00",
        "2026-03-01T10:60:00.000+07:00",
        "2026-03-01T10:15:60.000+07:00",
        "2026-13-01T10:15:00.000+07:00",
        "2026-00-01T10:15:00.000+07:00",
        "0000-01-01T10:15:00.000+07:00",
        "2026-03-01T10:15:00.000+24:00",
        "2026-03-01T10:15:00.000+07:60",
        "2026-03-01T10:15:00.000+07:00 ",
        "2026-03-0١T10:15:00.000+07:00",
        "2026-03-01",
        ""
      ]
    ) {
      assert.isFalse(isTimestamp(text), text)
      assert.notMatch(text, new RegExp(timestampPattern, "u"))
    }
  })

  it("agrees with the pattern at every character", () => {
    const pattern = new RegExp(timestampPattern, "u")
    const good = "2026-03-01T10:15:20.123+07:30"
    for (let i = 0; i <= good.length; i++) {
      for (const other of ["", "/", ":", ".", "-", "+", "T", "x", " ", "0", "2", "9", "٣"]) {
        const text = good.slice(0, i) + other + good.slice(i + 1)
        assert.strictEqual(isTimestamp(text), pattern.test(text), text)
      }
    }
    assert.isTrue(isTimestamp("2026-03-01T23:59:59.999+14:00"))
    for (const offset of ["+14:01", "+15:00", "-14:30", "+23:59"]) {
      const text = `2026-03-01T23:59:59.999${offset}`
      assert.isFalse(isTimestamp(text), text)
      assert.isFalse(pattern.test(text), text)
    }
    for (const text of ["2026-03-0/", "2026/03/01", "2026-03-1", "2026-03-011", "26-03-01"]) {
      assert.isFalse(isCalendarDate(text), text)
    }
  })

  it("rejects days that are not in the calendar instead of rolling them over", () => {
    for (const day of ["2026-02-29", "2026-02-30", "2026-04-31", "1900-02-29", "2100-02-29"]) {
      assert.isFalse(isTimestamp(`${day}T10:15:00.000+07:00`), day)
      assert.isFalse(isCalendarDate(day), day)
    }
    assert.isTrue(isCalendarDate("2000-02-29"))
  })

  it("law: an instant equals that of effect's DateTime", () => {
    fc.assert(
      fc.property(arbitraryTimestamp, (text) => {
        assert.strictEqual(toEpochMillis(text), DateTime.makeUnsafe(text).epochMilliseconds)
      }),
      { numRuns: 1000 }
    )
  })

  it("law: days and dates are each other's inverse", () => {
    fc.assert(fc.property(fc.integer({ min: -719_162, max: 2_932_896 }), (days) => {
      const [year, month, day] = civilFromDays(days)
      assert.strictEqual(daysFromCivil(year, month, day), days)
      assert.strictEqual(Date.UTC(2000, 0, 1) / 86_400_000 + days, daysFromCivil(2000, 1, 1) + days)
      const date = new Date(days * 86_400_000)
      assert.deepStrictEqual([year, month, day], [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()])
    }))
  })
})

describe("formatTimestamp: an instant on a zone's clock", () => {
  it("writes the facility's offset, never Z", () => {
    assert.strictEqual(formatTimestamp(0, "Asia/Phnom_Penh"), "1970-01-01T07:00:00.000+07:00")
    assert.strictEqual(formatTimestamp(0, "UTC"), "1970-01-01T00:00:00.000+00:00")
    assert.strictEqual(formatTimestamp(-1, "-03:30"), "1969-12-31T20:29:59.999-03:30")
  })

  it("is exact on both sides of a transition, to the millisecond", () => {
    const autumn = Date.UTC(2025, 10, 2, 6)
    assert.strictEqual(formatTimestamp(autumn - 1, "America/New_York"), "2025-11-02T01:59:59.999-04:00")
    assert.strictEqual(formatTimestamp(autumn, "America/New_York"), "2025-11-02T01:00:00.000-05:00")
    const halfHour = Date.UTC(2025, 3, 5, 15)
    assert.strictEqual(formatTimestamp(halfHour - 1, "Australia/Lord_Howe"), "2025-04-06T01:59:59.999+11:00")
    assert.strictEqual(formatTimestamp(halfHour, "Australia/Lord_Howe"), "2025-04-06T01:30:00.000+10:30")
  })

  it("law: agrees with effect's DateTime, and reading it returns the instant", () => {
    const instant = fc.oneof(
      fc.integer({ min: -62_135_500_000_000, max: 253_402_100_000_000 }),
      fc.integer({ min: -3_000_000_000_000, max: 3_000_000_000_000 })
    )
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (epochMillis, zone) => {
        const text = formatTimestamp(epochMillis, zone)
        assert.strictEqual(toEpochMillis(text), epochMillis)
        if (offsetAt(epochMillis, zone) % 60_000 !== 0) return // a local mean time with seconds: only the instant can be kept
        const zoned = DateTime.makeZonedUnsafe(epochMillis, { timeZone: zone })
        assert.strictEqual(text, DateTime.formatIsoOffset(zoned))
      }),
      { numRuns: 3000 }
    )
  })

  it("rounds historic offsets to minutes and keeps the instant", () => {
    const text = formatTimestamp(Date.UTC(1900, 0, 1), "Asia/Phnom_Penh")
    assert.match(text, /\+0[67]:\d\d$/)
    assert.strictEqual(toEpochMillis(text), Date.UTC(1900, 0, 1))
  })

  it("falls back to +00:00 if local time would leave the calendar", () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
    assert.strictEqual(formatTimestamp(last, "+07:00"), "9999-12-31T23:59:59.999+00:00")
    assert.strictEqual(formatTimestamp(last - 7 * 3_600_000, "+07:00"), "9999-12-31T23:59:59.999+07:00")
    const first = Date.UTC(2000, 0, 1) - 730_119 * 86_400_000
    assert.strictEqual(formatTimestamp(first, "-03:30"), "0001-01-01T00:00:00.000+00:00")
    assert.strictEqual(formatTimestamp(first + 12_600_000, "-03:30"), "0001-01-01T00:00:00.000-03:30")
    assert.throws(() => formatTimestamp(first - 1, "UTC"), RangeError)
    assert.throws(() => formatTimestamp(last + 1, "UTC"), RangeError)
    assert.throws(() => formatTimestamp(Number.NaN, "UTC"), RangeError)
  })
})

describe("parseInstant: any FHIR date, dateTime or instant", () => {
  it("reads every precision and returns it", () => {
    assert.strictEqual(read("2026"), "2025-12-31T17:00:00.000Z year local")
    assert.strictEqual(read("2026-03"), "2026-02-28T17:00:00.000Z month local")
    assert.strictEqual(read("2026-03-01"), "2026-02-28T17:00:00.000Z day local")
    assert.strictEqual(read("2026-03-01T10:15"), "2026-03-01T03:15:00.000Z minute local")
    assert.strictEqual(read("2026-03-01T10:15:30"), "2026-03-01T03:15:30.000Z second local")
    assert.strictEqual(read("2026-03-01T10:15:30Z"), "2026-03-01T10:15:30.000Z second")
    assert.strictEqual(read("2026-03-01T10:15:30.5-05:00"), "2026-03-01T15:15:30.500Z millisecond")
  })

  it("reads fractions of any length and drops what is below a millisecond", () => {
    assert.strictEqual(read("2026-03-01T10:15:30.123456789Z"), "2026-03-01T10:15:30.123Z millisecond")
    assert.strictEqual(read("2026-03-01T10:15:59.9999999Z"), "2026-03-01T10:15:59.999Z millisecond")
    assert.strictEqual(read("2026-03-01T10:15:30.07Z"), "2026-03-01T10:15:30.070Z millisecond")
  })

  it("tolerates lower case, a space for T, an offset without colon, a leap second", () => {
    assert.strictEqual(read("2026-03-01t10:15:30z"), "2026-03-01T10:15:30.000Z second")
    assert.strictEqual(read("2026-03-01 10:15:30+0700"), "2026-03-01T03:15:30.000Z second")
    assert.strictEqual(read("2026-03-01T10:15:30+07"), "2026-03-01T03:15:30.000Z second")
    assert.strictEqual(read("2016-12-31T23:59:60Z"), "2017-01-01T00:00:00.000Z second")
    assert.strictEqual(read("2026-03-01T10:15:30-00:00"), "2026-03-01T10:15:30.000Z second")
  })

  it("returns why a text is no instant", () => {
    assert.strictEqual(read("yesterday"), "form")
    assert.strictEqual(read("2026-3-1"), "form")
    assert.strictEqual(read(" 2026-03-01"), "form")
    assert.strictEqual(read("2026-02-29"), "calendar")
    assert.strictEqual(read("2026-13"), "calendar")
    assert.strictEqual(read("2026-03-01T24:00:00Z"), "clock")
    assert.strictEqual(read("2026-03-01T10:15:61Z"), "clock")
    assert.strictEqual(read("2026-03-01T10:15:30+24:00"), "offset")
    assert.strictEqual(read("0000"), "year")
    assert.strictEqual(read("9999-12-31T23:59:59-01:00"), "year")
    assert.strictEqual(read("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59.999Z millisecond")
    assert.strictEqual(read("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00.000Z second")
    assert.strictEqual(read("0001-01-01T00:00:00+00:01"), "year")
    assert.strictEqual(read("2026-03-01T00:00:00+14:00"), "2026-02-28T10:00:00.000Z second")
    assert.strictEqual(read("2026-03-01T00:00:00+14:01"), "offset")
    assert.strictEqual(read("2026-03-01T00:00:00-15:00"), "offset")
    assert.strictEqual(read("2026-03-01T10:15:30+07:60"), "offset")
  })

  it("law: reads what formatTimestamp writes", () => {
    fc.assert(fc.property(
      fc.integer({ min: -62_135_500_000_000, max: 253_402_100_000_000 }),
      fc.constantFrom(...zones),
      (epochMillis, zone) => {
        const reading = parseInstant(formatTimestamp(epochMillis, zone), { zone: "UTC" })
        assert.deepStrictEqual(reading, {
          _tag: "Instant",
          epochMillis,
          precision: "millisecond",
          hadOffset: true,
          shown: "once"
        })
      }
    ))
  })
})

describe("Zone: the clocks of a facility", () => {
  it("accepts only IANA names and fixed offsets", () => {
    for (const zone of zones) assert.isTrue(isZone(zone), zone)
    for (const zone of ["+23:59", "-0930"]) assert.isTrue(isZone(zone), zone)
    for (const zone of ["Asia/Nowhere", "", "+24:00", "+07:60", "+7", "ICT+7"]) assert.isFalse(isZone(zone), zone)
  })

  it("moves a skipped time forward by the gap, and uses the first of two equal local times", () => {
    assert.strictEqual(read("2025-03-09T02:30:00", "America/New_York"), "2025-03-09T07:30:00.000Z second local")
    assert.strictEqual(read("2025-11-02T01:30:00", "America/New_York"), "2025-11-02T05:30:00.000Z second local")
    assert.strictEqual(read("2011-12-30T12:00:00", "Pacific/Apia"), "2011-12-30T22:00:00.000Z second local")
  })

  it("law: reads local times as effect's DateTime does", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000_000_000, max: 3_000_000_000_000 }),
        fc.constantFrom(...zones),
        (local, zone) => {
          const zoned = DateTime.makeZonedUnsafe(local, { timeZone: zone, adjustForTimeZone: true })
          if (offsetAt(zoned.epochMilliseconds, zone) % 60_000 !== 0) return
          assert.strictEqual(fromLocal(local, zone), zoned.epochMilliseconds)
        }
      ),
      { numRuns: 3000 }
    )
  })

  it("law: a local time is shown by the clocks as often as there are instants of it", () => {
    const changes = zones.filter((zone) => /^[A-Z]/u.test(zone) && zone !== "UTC").flatMap((zone) =>
      zoneDays(zone).changes.slice(1).map(([dayNumber]) => ({ zone, midnight: dayNumber * 86_400_000 }))
    )
    const seen = new Set<string>()
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        fc.integer({ min: -36 * 60, max: 36 * 60 }),
        ({ midnight, zone }, minutes) => {
          const local = midnight + minutes * 60_000
          const near = Array.from({ length: 60 }, (_, hour) => offsetAt(local + (hour - 30) * 3_600_000, zone))
          const instants = new Set(near.map((offset) => local - offset))
          const count = [...instants].filter((instant) => instant + offsetAt(instant, zone) === local).length
          const { shown } = localTime(local, zone)
          seen.add(shown)
          assert.strictEqual(shown, (["never", "once", "twice"] as const)[count])
        }
      ),
      { numRuns: 1000 }
    )
    assert.strictEqual(seen.size, 3)
  })
})

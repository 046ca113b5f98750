import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { days, drafted, table } from "./drafted.ts"

/** What `init` drafts for a table with a row for each measure, and what is sent by the draft. Each visit has the same rows. */
const sentBy = (...rows: ReadonlyArray<string>) =>
  drafted({
    ...days(4),
    "vitals.csv": table(
      "visit_no,taken_at,name,value,unit",
      4,
      (visit) => rows.map((row) => `V-${visit},2026-03-0${visit} 08:30,${row}`).join("\n")
    )
  }).pipe(Effect.map(({ visits, ...others }) => {
    const sent = visits.slice(0, 1).map((visit): Sent => visit)
    return {
      ...others,
      signs: Object.fromEntries(
        sent.flatMap(({ vital_signs }) =>
          vital_signs.flatMap(({ observations }) => observations.map(({ name, value }) => [name, value] as const))
        )
      ),
      sizes: sent.flatMap(({ triages }) => triages.map(({ height, weight }) => ({ height, weight })))
    }
  }))

interface Sent {
  readonly triages: ReadonlyArray<{ readonly height: unknown; readonly weight: unknown }>
  readonly vital_signs: ReadonlyArray<{
    readonly observations: ReadonlyArray<{ readonly name: string; readonly value: unknown }>
  }>
}

describe("Rows with a unit next to each vital sign", () => {
  it.effect("are converted if no unit is written as in UCUM", () =>
    Effect.gen(function*() {
      const { mapping, signs } = yield* sentBy(
        "Temperature,98.6,F",
        "Pulse,70,bpm",
        "Systolic BP,16,kPa",
        "Random Blood Glucose,20.5,mmol/L"
      )
      assert.deepStrictEqual(signs, {
        "Temperature": 37,
        "Heart Rate": 70,
        "Systolic Blood Pressure": 120.01,
        "Random Blood Glucose": 369.32
      })
      assert.match(mapping, /unit_spelling:\n {4}table:\n(?: {6}.*\n)* {6}F: "\[degF\]"\n/u)
    }))

  it.effect("are converted if only some units are written as in UCUM", () =>
    Effect.gen(function*() {
      const { signs } = yield* sentBy("Temperature,98.6,°F", "Pulse,70,/min", "Systolic BP,120,mm Hg", "SpO2,97,%")
      assert.deepStrictEqual(signs, {
        "Temperature": 37,
        "Heart Rate": 70,
        "Systolic Blood Pressure": 120,
        "Blood Oxygen": 97
      })
    }))

  it.effect("are not sent in an unknown unit: a question names it, and the problem names the table to map it in", () =>
    Effect.gen(function*() {
      const { problems, questions, signs } = yield* sentBy("Temperature,98.6,Grd", "Pulse,70,bpm")
      assert.notProperty(signs, "Temperature")
      assert.match(questions, /QUESTION which units are `Grd` in `vitals\.unit`/u)
      assert.match(problems, /unknown-unit/u)
      assert.include(problems, "conceptMap: {unit_spelling: {table: {Grd: UCUM UNIT}}}")
    }))

  it.effect("are converted if every unit is F, which can also mean no", () =>
    Effect.gen(function*() {
      const { signs } = yield* sentBy("Temperature,98.6,F", "Temp,98.6,F")
      assert.deepStrictEqual(signs, { Temperature: 37 })
    }))

  it.effect("have no unit in a column of wards", () =>
    Effect.gen(function*() {
      const { mapping, signs } = yield* sentBy("Temperature,37.1,Ward 3", "Pulse,70,ICU")
      assert.deepStrictEqual(signs, { "Temperature": 37.1, "Heart Rate": 70 })
      assert.match(mapping, /in the unit of the source: verify it/u)
    }))
})

describe("Rows of which some have no unit", () => {
  it.effect("are sent in the usual unit under an assumption, next to those with a unit", () =>
    Effect.gen(function*() {
      const { mapping, problems, signs, sizes } = yield* sentBy(
        "Temperature,98.6,F",
        "Pulse,70,",
        "Weight,140,lbs",
        "Height,172,"
      )
      assert.deepStrictEqual(signs, { "Temperature": 37, "Heart Rate": 70 })
      assert.deepStrictEqual(sizes, [{ height: 172, weight: 63.5 }])
      assert.match(problems, /4 visits {3}number-without-unit-is-in-usual-unit/u)
      assert.match(mapping, /number-without-unit-is-in-usual-unit:\n {4}means:/u)
    }))

  it.effect("are not sent as the number of another row", () =>
    Effect.gen(function*() {
      const { sizes } = yield* sentBy("Weight,64,", "Weight,140,lbs", "Pulse,70,/min")
      assert.deepStrictEqual(sizes, [{ height: null, weight: 63.5 }])
    }))

  it.effect("report an unknown unit once", () =>
    Effect.gen(function*() {
      const { problems, signs } = yield* sentBy("Temperature,98.6,Grd", "Pulse,70,")
      assert.deepStrictEqual(signs, {})
      assert.match(problems, / 4 × {2}unknown-unit/u)
    }))
})

describe("Rows with a unit next to each height and weight", () => {
  it.effect("are converted to cm and kg", () =>
    Effect.gen(function*() {
      const ucum = yield* sentBy("Weight,140,[lb_av]", "Height,60,[in_i]", "Temperature,98.6,[degF]", "Pulse,70,/min")
      assert.deepStrictEqual(ucum.sizes, [{ height: 152.4, weight: 63.5 }])
      assert.notMatch(ucum.mapping, /assumed to be in cm and kg/u)
      const spelt = yield* sentBy("Weight,3201,gm", "Height,5,ft")
      assert.deepStrictEqual(spelt.sizes, [{ height: 152.4, weight: 3.2 }])
    }))

  it.effect("are each converted from the unit of their own row", () =>
    Effect.gen(function*() {
      const { sizes } = yield* sentBy("Weight,,kg", "Weight,140,lbs", "Height,1.5,m", "Height,60,in")
      assert.deepStrictEqual(sizes, [{ height: 150, weight: 63.5 }])
    }))

  it.effect("are not sent in an unknown unit", () =>
    Effect.gen(function*() {
      const { problems, questions, sizes } = yield* sentBy("Weight,140,Pfd", "Height,60,in")
      assert.deepStrictEqual(sizes, [{ height: 152.4, weight: null }])
      assert.match(questions, /QUESTION which units are `Pfd` in `vitals\.unit`/u)
      assert.include(problems, "conceptMap: {unit_spelling: {table: {Pfd: UCUM UNIT}}}")
    }))
})

describe("Rows with a unit in the name of the measure", () => {
  it.effect("are converted from it", () =>
    Effect.gen(function*() {
      const { mapping, signs, sizes } = yield* sentBy(
        "Weight (lb),140,",
        "Height (in),60,",
        "Temp (°F),98.6,",
        "Systolic BP (kPa),16,",
        "SpO2 %,97,",
        "Pulse (bpm),70,"
      )
      assert.deepStrictEqual(sizes, [{ height: 152.4, weight: 63.5 }])
      assert.deepStrictEqual(signs, {
        "Temperature": 37,
        "Systolic Blood Pressure": 120.01,
        "Blood Oxygen": 97,
        "Heart Rate": 70
      })
      assert.notMatch(mapping, /assumed to be in cm and kg|number-without-unit/u)
    }))

  it.effect("are converted from the unit next to the number if it has one", () =>
    Effect.gen(function*() {
      const { signs, sizes } = yield* sentBy("Weight (lb),140,", "Height (in),1.5,m", "Temp (F),98.6,", "Pulse,70,/min")
      assert.deepStrictEqual(sizes, [{ height: 150, weight: 63.5 }])
      assert.deepStrictEqual(signs, { "Temperature": 37, "Heart Rate": 70 })
    }))

  it.effect("are no measures if the unit is not known, or is a minimum", () =>
    Effect.gen(function*() {
      const { signs, sizes } = yield* sentBy(
        "Weight (st),10,",
        "Height (in),60,",
        "Pulse min,50,",
        "Pulse,70,",
        "SpO2,97,"
      )
      assert.deepStrictEqual(sizes, [{ height: 152.4, weight: null }])
      assert.deepStrictEqual(signs, { "Heart Rate": 70, "Blood Oxygen": 97 })
    }))
})

describe("Rows of results in addition to those of measures", () => {
  it.effect("are asked about, because no column shows which are of a laboratory", () =>
    Effect.gen(function*() {
      const { questions, signs } = yield* sentBy(
        "Temperature,37.1,Cel",
        "Pulse,70,/min",
        "Haemoglobin,12.5,g/dL",
        "Malaria smear,negative,"
      )
      assert.deepStrictEqual(signs, { "Temperature": 37.1, "Heart Rate": 70 })
      assert.match(
        questions,
        /QUESTION which rows of `vitals` are results of a laboratory\? 2 other names than those of vital signs, height and weight/u
      )
    }))

  it.effect("are not asked about if there are none", () =>
    Effect.gen(function*() {
      const { questions } = yield* sentBy("Temperature,37.1,Cel", "Pulse,70,/min", "Weight (lb),140,")
      assert.notInclude(questions, "results of a laboratory")
    }))
})

/** Units that mappings commonly use. They are converted without the library, because loading it takes time. */
export const commonUnits: ReadonlySet<string> = new Set(
  "% /min {score} cm d Cel [degF] g [in_i] kg [lb_av] m mg mg/dL mm mm[Hg] mmol/L mo wk".split(" ")
)

/** A conversion from one unit to another: every one used here is a factor and an offset. */
export interface Affine {
  readonly factor: number
  readonly offset: number
}

/** The molar mass of glucose in g/mol: laboratories give amounts of substance, and the service takes mg/dL. */
export const glucose = 180.156

/** The conversions between common units, with the numbers that the library calculates; a test compares them. */
const factors: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "%": { "{score}": 0.01 },
  "{score}": { "%": 100 },
  "cm": { "[in_i]": 0.39370078740157477, "m": 0.01, "mm": 10 },
  "[in_i]": { "cm": 2.54, "m": 0.0254, "mm": 25.4 },
  "m": { "cm": 100, "[in_i]": 39.37007874015748, "mm": 1000 },
  "mm": { "cm": 0.1, "[in_i]": 0.03937007874015748, "m": 0.001 },
  "g": { "kg": 0.001, "[lb_av]": 0.002204622621848776, "mg": 1000 },
  "kg": { "g": 1000, "[lb_av]": 2.2046226218487757, "mg": 1_000_000 },
  "[lb_av]": { "g": 453.59237, "kg": 0.45359237, "mg": 453592.37 },
  "mg": { "g": 0.001, "kg": 0.000001, "[lb_av]": 0.000002204622621848776 },
  "d": { "mo": 0.03285420944558522, "wk": 0.14285714285714288 },
  "mo": { "d": 30.4375, "wk": 4.348214285714286 },
  "wk": { "d": 7, "mo": 0.2299794661190965 }
}

const temperatures: Readonly<Record<string, Affine>> = {
  "Cel [degF]": { factor: 1.8, offset: 31.999999999999943 },
  "[degF] Cel": { factor: 0.555555555555556, offset: -17.77777777777777 }
}

const ofGlucose: Readonly<Record<string, number>> = { "mg/dL mmol/L": 0.05550744909966918, "mmol/L mg/dL": 18.0156 }

/** Returns the conversion between two different common units; `null` if there is none, `undefined` if only the library can decide. */
export const commonConversion = (
  from: string,
  to: string,
  molarMass: number | undefined
): Affine | null | undefined => {
  if (from === to || !commonUnits.has(from) || !commonUnits.has(to)) return undefined
  const temperature = temperatures[`${from} ${to}`]
  if (temperature !== undefined) return temperature
  const amount = ofGlucose[`${from} ${to}`]
  if (amount !== undefined) {
    return molarMass === undefined ? null : molarMass === glucose ? { factor: amount, offset: 0 } : undefined
  }
  const factor = factors[from]?.[to]
  return factor === undefined ? null : { factor, offset: 0 }
}

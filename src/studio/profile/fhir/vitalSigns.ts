import type { Measured } from "../Facts.ts"
import { isKnownCode } from "../mayBeShown.ts"
import { plainLatin } from "../plainLatin.ts"

/** What the service calls a vital sign (§2.6), the unit it is sent in, and how sources call it. */
interface VitalSign {
  readonly name: string
  readonly unit: string
  /** Codes of shared systems, beyond those of the base mapping. */
  readonly codes: ReadonlySet<string>
  readonly words: RegExp
}

const codes = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** LOINC, SNOMED CT and CIEL codes of the seven; a name decides only where no code does. */
const vitalSigns: ReadonlyArray<VitalSign> = [
  {
    name: "Systolic Blood Pressure",
    unit: "mm[Hg]",
    codes: codes("8480-6 8459-0 8460-8 8461-6 76534-7 271649006 5085"),
    words: /\bs[iy]stol\w*/iu
  },
  {
    name: "Diastolic Blood Pressure",
    unit: "mm[Hg]",
    codes: codes("8462-4 8453-3 8454-1 8455-8 76535-4 271650006 5086"),
    words: /\bdiastol\w*/iu
  },
  {
    name: "Heart Rate",
    unit: "/min",
    codes: codes("8867-4 8889-8 8893-0 68999-2 364075005 78564009 5087"),
    words:
      /\b(?:heart rate|pulse rate|pulse|puls|pouls|pulso|herzfrequenz|frequence cardiaque|frecuencia cardiaca|frequencia cardiaca)\b(?!.*(?:oximet|pressure|ox\b))/iu
  },
  {
    name: "Respiratory Rate",
    unit: "/min",
    codes: codes("9279-1 86290005 5242"),
    words:
      /\b(?:respiratory rate|respiration rate|breathing rate|atemfrequenz|frequence respiratoire|frecuencia respiratoria|frequencia respiratoria)\b/iu
  },
  {
    name: "Temperature",
    unit: "Cel",
    codes: codes("8310-5 8331-1 8328-7 8329-5 8330-3 8332-8 8333-6 60830-9 386725007 276885007 5088"),
    words: /\b(?:temperature|temperatura|temperatur|k(?:oe|o)rpertemperatur|suhu)\b/iu
  },
  {
    name: "Blood Oxygen",
    unit: "%",
    codes: codes("59408-5 2708-6 2710-2 20564-1 431314004 103228002 5092"),
    words:
      /\b(?:oxygen saturation|spo2|sao2|blood oxygen|sauerstoffs(?:ae|a)ttigung|saturation en oxygene|saturacion de oxigeno|saturacao de oxigenio)\b/iu
  },
  {
    name: "Random Blood Glucose",
    unit: "mg/dL",
    codes: codes("2339-0 2345-7 41653-7 15074-8 14749-6 32016-8 74774-1"),
    words: /\brandom\b.*\b(?:glucose|sugar)\b|\b(?:glucose|sugar)\b.*\brandom\b/iu
  }
]

/** The vital sign that a measurement is, and by what it was found; CIEL numbers are padded with `A` by some servers. */
export const vitalSignOf = (
  { codings, words }: Pick<Measured, "codings" | "words">
): { readonly sign: VitalSign; readonly by: "code" | "name" } | undefined => {
  for (const sign of vitalSigns) {
    if (codings.some(({ code }) => sign.codes.has(code.replace(/A{10,}$/u, "")))) return { sign, by: "code" }
  }
  // A shared code has a fixed meaning, so its name is not examined.
  if (codings.some(({ code, system }) => isKnownCode(system, code))) return undefined
  const names = [words, ...codings.map(({ display }) => display)].filter((name) => name !== undefined)
  const sign = vitalSigns.find((one) => names.some((name) => one.words.test(plainLatin(name))))
  return sign === undefined ? undefined : { sign, by: "name" }
}

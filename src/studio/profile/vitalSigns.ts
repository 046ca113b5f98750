import { listedSigns, type SignName } from "../../visit/components/VitalSign.ts"
import type { Measured } from "./Facts.ts"
import { isKnownCode } from "./mayBeShown.ts"
import { plainLatin } from "./plainLatin.ts"

/** How sources name a vital sign. */
interface SourceNames {
  /** The key of its branch under `observations: unionAll` in a drafted mapping. */
  readonly branch: string
  /** Its codes in LOINC, SNOMED CT and CIEL besides the LOINC code of the canonical FHIR. */
  readonly codes: string
  /** Matches its name in a text or a display, in plain Latin letters. */
  readonly words: RegExp
  /** Matches the words of a column that holds it. */
  readonly columnWords: RegExp
  /** The range of its values in the unit that is sent: a column outside it holds something else. */
  readonly from: number
  readonly to: number
}

const sourceNames: Readonly<Record<SignName, SourceNames>> = {
  "Systolic Blood Pressure": {
    branch: "systolic",
    codes: "8459-0 8460-8 8461-6 76534-7 271649006 5085",
    words: /\bs[iy]stol\w*/iu,
    columnWords:
      /^(?:sbp|systolic(?: .*)?|systolique|sistolica|sistolik|(?:bp|blood pressure) ?sys(?:tolic)?|sys(?: bp)?|bps|ta ?s(?:ys(?:t\w*)?)?|pas|(?:ta|pa|(?:presion|pression|pressao|tension)(?: arterial| arterielle)?) (?:sys|sist?|systolique|sistolica)|tas|max(?:imum)? bp)$/u,
    from: 40,
    to: 300
  },
  "Diastolic Blood Pressure": {
    branch: "diastolic",
    codes: "8453-3 8454-1 8455-8 76535-4 271650006 5086",
    words: /\bdiastol\w*/iu,
    columnWords:
      /^(?:dbp|diastolic(?: .*)?|diastolique|diastolica|diastolik|(?:bp|blood pressure) ?dia(?:stolic)?|dia(?: bp)?|bpd|ta ?d(?:ia(?:st\w*)?)?|pad|(?:ta|pa|(?:presion|pression|pressao|tension)(?: arterial| arterielle)?) (?:diast?|diastolique|diastolica)|tad|min(?:imum)? bp)$/u,
    from: 20,
    to: 200
  },
  "Heart Rate": {
    branch: "pulse",
    codes: "8889-8 8893-0 68999-2 364075005 78564009 5087",
    words:
      /\b(?:heart rate|pulse rate|pulse|puls|pouls|pulso|herzfrequenz|frequence cardiaque|frecuencia cardiaca|frequencia cardiaca)\b(?!.*(?:oximet|pressure|ox\b))/iu,
    columnWords:
      /^(?:pulse(?: rate)?|heart ?rate(?: pulse)?|hr|pr|pouls|fc|freq(?:uence)? cardiaque|pulso|frecuencia cardiaca|frequencia cardiaca|nadi|mach|puls)$/u,
    from: 20,
    to: 300
  },
  "Respiratory Rate": {
    branch: "breaths",
    codes: "86290005 5242",
    words:
      /\b(?:respiratory rate|respiration rate|breathing rate|atemfrequenz|frequence respiratoire|frecuencia respiratoria|frequencia respiratoria)\b/iu,
    columnWords:
      /^(?:rr|breaths?|resp(?:iratory|iration)?(?: rate)?|fr|freq(?:uence)? respiratoire|frecuencia respiratoria|nhip tho)$/u,
    from: 4,
    to: 120
  },
  "Temperature": {
    branch: "temperature",
    codes: "8331-1 8328-7 8329-5 8330-3 8332-8 8333-6 60830-9 386725007 276885007 5088",
    words: /\b(?:temperature|temperatura|temperatur|k(?:oe|o)rpertemperatur|suhu)\b/iu,
    columnWords: /^(?:bt|btemp|t|temp(?:erature|eratura|eratur)?|body temp(?:erature)?|suhu|nhiet do)$/u,
    from: 30,
    to: 45
  },
  "Blood Oxygen": {
    branch: "oxygen",
    codes: "2708-6 2710-2 20564-1 431314004 103228002 5092",
    words:
      /\b(?:oxygen saturation|spo2|sao2|blood oxygen|sauerstoffs(?:ae|a)ttigung|saturation en oxygene|saturacion de oxigeno|saturacao de oxigenio)\b/iu,
    columnWords:
      /^(?:sp ?o2|sa ?o2|o2(?: ?sat(?:uration)?)?|oxygen(?: saturation)?|sat(?:uration|uracion|uracao)?(?: (?:de |en )?(?:o2|oxigeno|oxygene|oxigenio))?)$/u,
    from: 40,
    to: 100
  },
  "Random Blood Glucose": {
    branch: "glucose",
    codes: "2345-7 41653-7 15074-8 14749-6 32016-8 74774-1",
    words: /\brandom\b.*\b(?:glucose|sugar)\b|\b(?:glucose|sugar)\b.*\brandom\b/iu,
    columnWords: /^(?:rbs|dtx|random (?:blood )?(?:glucose|sugar))$/u,
    from: 20,
    to: 900
  }
}

/** A vital sign that the service knows (§2.6), and how sources name it. */
interface VitalSign extends Omit<SourceNames, "codes"> {
  readonly name: SignName
  /** The UCUM unit it is sent in. */
  readonly unit: string
  readonly codes: ReadonlySet<string>
}

export const vitalSigns: ReadonlyArray<VitalSign> = listedSigns.map(({ loinc: [code], name, ucum }) => ({
  ...sourceNames[name],
  name,
  unit: ucum,
  codes: new Set([code, ...sourceNames[name].codes.split(" ")])
}))

/** Returns the vital sign of a measurement, by its code or otherwise by its name. Some servers pad CIEL numbers with `A`. */
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

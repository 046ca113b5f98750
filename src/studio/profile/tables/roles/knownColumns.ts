import { addressDigits } from "../../draft/assumptions.ts"
import { guessOutcome, isEmergency, isSide, leftAs, sideOf } from "../columns/guessColumn.ts"
import type { ColumnProfile, TableProfile } from "../facts/TableProfile.ts"
import { plainest } from "../words/addsToName.ts"
import { begins, born, columnWordsOf, ends, isRowNumber, otherTimes, sexed, visitDates } from "../words/columnWords.ts"
import { isNamedAfterStays } from "./findTables.ts"

const isTimed = ({ kind }: ColumnProfile): boolean => kind === "timestamp"

/** Whether a column can hold the beginning or the end of a visit, by its values. */
export const mayBeOfVisit = (column: ColumnProfile): boolean => isDated(column) && column.decades !== true

/** Whether the values of a column are dates, with or without a time. */
export const isDated = ({ kind }: ColumnProfile): boolean => kind === "timestamp" || kind === "date"

/** Returns the columns of a table of visits that the mapping `csv` knows. */
export const columnsOfVisits = (
  table: TableProfile,
  patients: TableProfile | undefined,
  tables: ReadonlyArray<TableProfile> = []
): ReadonlyArray<readonly [ColumnProfile, string]> => {
  const taken = new Set<ColumnProfile>()
  const isFilledAsOthers = ({ filled }: ColumnProfile): boolean =>
    filled * 2 > table.rows ||
    !table.columns.some((one) =>
      one.filled === table.rows && isTimed(one) && begins.test(columnWordsOf(one.name)) &&
      !ends.test(columnWordsOf(one.name))
    )
  return pick(table, taken, [
    // A list is numbered again each time it is printed.
    [
      "code",
      ({ filled, name, numbers }) =>
        name === table.keys[0] && (!isRowNumber(name) || numbers < filled ||
          tables.some(({ links }) => links.some((link) => link.table === table.name && link.key === name)))
    ],
    [
      "patient_code",
      (column) => table.links.find((link) => link.table === patients?.name)?.column === column.name
    ],
    // Only stays have a time of admission next to the beginning of each visit.
    [
      "admitted_at",
      (column, words) => isTimed(column) && begins.test(words) && isOfAdmission(words) && isFilledAsOthers(column)
    ],
    ["admitted_at", (column, words) => mayBeOfVisit(column) && visitDates.test(words)],
    ["admitted_at", (column, words) => isTimed(column) && begins.test(words)],
    ["admitted_at", (column, words) => mayBeOfVisit(column) && begins.test(words)],
    [
      "admitted_at",
      (column, words) => mayBeOfVisit(column) && !ends.test(words) && !otherTimes.test(words) && !born.test(words)
    ],
    // The rows of a table of appointments are visits that start at the planned time.
    [
      "admitted_at",
      (column, words) =>
        mayBeOfVisit(column) && /\b(?:appointment|rendez vous|rdv|cita|consulta)\b/u.test(words) && !ends.test(words) &&
        !/\b(?:next|follow\w*|created|updated|modified|booked|made)\b/u.test(words)
    ],
    ["followup_at", (column, words) => mayBeOfVisit(column) && comesAgain.test(words)],
    ["discharged_at", (column, words) => isTimed(column) && ends.test(words)],
    ["discharged_at", (column, words) => mayBeOfVisit(column) && ends.test(words)],
    [
      "visit_type",
      ({ codes, kind, withheld }) =>
        isCoded(kind) && codes.filter(([code]) => isSide(code)).length * 2 > codes.length + withheld &&
        // An emergency is how a stay began.
        !(isNamedAfterStays(table.name) && codes.every(([code]) => !isSide(code) || isEmergency(code)))
    ],
    [
      "visit_type",
      ({ kind }, words) =>
        isCoded(kind) &&
        /\b(?:(?:visit|enc|encounter|episode|case|patient|pt(?!type)) ?(?:type|class|kind)|encounterclass|class)\b|^type(?: (?:de |d )?(?:visite|passage|consultation|sejour|prise en charge))?$|^tipo(?: (?:de )?(?:visita|atencion|consulta|atendimento))?$|^jenis (?:kunjungan|pelayanan|rawat)$|^(?:in ?out|i ?o|ip ?op|op ?ip|opd ?ipd|ipd ?opd)(?: (?:patient|code|type|class|status|flag))*$/u
          .test(words)
    ],
    // A department shows the type only if one of them is for stays, outpatients or emergencies.
    [
      "visit_type",
      ({ codes, kind }, words) =>
        isCoded(kind) && /\b(?:service|servicio|servico|department|clinic|poli(?:klinik)?)\b/u.test(words) &&
        codes.some(([code]) => sideOf(code) !== undefined)
    ],
    // Discharge type and outcome are often in one column; its values decide which of the two it is.
    [
      "visit_outcome",
      (column, words) => isCoded(column.kind) && (left.test(words) || fared.test(words)) && isOutcome(column)
    ],
    ["discharge_type", ({ kind }, words) => canBeCoded(kind) && left.test(words)],
    ["visit_outcome", ({ kind }, words) => canBeCoded(kind) && fared.test(words)],
    [
      "admission_type",
      ({ kind }, words) => canBeCoded(kind) && came.test(words)
    ]
  ])
}

/** Matches the time of the next visit. */
const comesAgain =
  /^(?:date (?:of )?)?(?:the )?(?:follow ?up|next (?:visit|appointment|appt|review|consultation))(?: (?:visit|appointment))?(?: (?:date|day|time|at|on|dt))?$|^(?:fecha|data|date)(?: (?:de|da|do|du|de la))? (?:control|retorno|proxima? (?:cita|consulta|visita)|prochain rdv|prochain rendez vous)$|^(?:proxima? (?:cita|consulta)|prochain (?:rdv|rendez vous)|tanggal kontrol)$/u

const came =
  /\b(?:admi\w* (?:type|source|mode)|arrival|arrived by|(?:mode|type) (?:d )?(?:entree|arrivee|admission)|(?:tipo|via|route) de (?:ingreso|admision|entrada)|cara masuk)\b/u

/** Whether a column, by its name, has how patients came. */
export const namesArrival = (name: string): boolean => came.test(columnWordsOf(name))

/** Whether a column, by its name, has how visits ended. */
export const namesEnd = (name: string): boolean => left.test(columnWordsOf(name)) || fared.test(columnWordsOf(name))

/** Whether a beginning is by its words that of the visit and of nothing else. */
const isOfAdmission = (words: string): boolean =>
  visitDates.test(words) || !/\b(?:start\w*|begin\w*|began|inicio|debut|reg(?:istration)?)\b/u.test(words) ||
  /^(?:start|begin|inicio|debut)$|\b(?:visit|encounter|admi\w*)\b/u.test(words)

const left =
  /\b(?:disposition|disp(?: code)?|discharge (?:type|status|mode|code|way)|left|(?:mode|type) (?:de )?sortie|(?:tipo|motivo) (?:de |del )?(?:alta|egreso)|cara (?:keluar|pulang))\b|^(?:patient )?disposition$|^(?:decision|devenir|destino)(?: (?:du |del |do |de la )?pa(?:tient|ciente))?$/u

const fared =
  /\b(?:outcome|condition (?:on|at) (?:leaving|discharge)|discharge (?:condition|result)|issue|evolution|etat (?:de |a la )?sortie|condic(?:ion|ao) (?:de |del |al |na |no )?(?:alta|egreso)|desenlace|desfecho|kondisi (?:keluar|pulang)|tinh trang ra vien|ket qua dieu tri)\b/u

const isOutcome = ({ codes }: ColumnProfile): boolean =>
  codes.filter(([code]) => guessOutcome(code) !== undefined).length >
    codes.filter(([code]) => leftAs(code) !== undefined).length

const isCoded = (kind: ColumnProfile["kind"]): boolean => kind === "code" || kind === "text"

/** The same, or no value so far. */
const canBeCoded = (kind: ColumnProfile["kind"]): boolean => isCoded(kind) || kind === "empty"

/** Finds the column of the visit's start time; the birth date does not count. */
export const visitBegins = (table: TableProfile): ColumnProfile | undefined =>
  columnsOfVisits(table, undefined).find(([column, name]) =>
    name === "admitted_at" && !born.test(columnWordsOf(column.name))
  )
    ?.[0]

/** Returns the columns of the patient, the beginning and the end of a visit. */
export const timesAndPatient = (
  table: TableProfile,
  patients: TableProfile | undefined
): ReadonlyArray<ColumnProfile> =>
  columnsOfVisits(table, patients).flatMap(([column, name]) =>
    name === "patient_code" || name === "admitted_at" || name === "discharged_at" ? [column] : []
  )

/** Whether a column of a wide table is about the person rather than the visit. */
export const isPersonColumn = (column: ColumnProfile, table: TableProfile): boolean =>
  columnsOfPatients({ ...table, keys: [] }).some(([one, name]) =>
    one === column && name !== "code" && name !== "created_at"
  )

/** Returns the columns of a table of patients that the mapping `csv` knows. */
export const columnsOfPatients = (table: TableProfile): ReadonlyArray<readonly [ColumnProfile, string]> =>
  pick(
    table,
    new Set<ColumnProfile>(),
    ofPatients.map(([name, fits]) => [
      name,
      // `Patient surname` is a surname, too.
      (column, words) =>
        (name === "code" || !ofOthers.test(words)) &&
        (fits(column, words, table) ||
          fits(column, words.replace(/^(?:patient|pat|person|client) (?:s )?(?!no$|id$|code$|key$)/u, ""), table))
    ])
  )

/** Matches columns about someone other than the patient. */
const ofOthers =
  /\b(?:nok|kin|mothers?|fathers?|parents?|guardians?|spouse|husband|wife|partner|relatives?|emergency|employers?|insur\w*|subscriber|policy|doctors?|physician|referr\w*|mere|pere|conjoint|accompagnant|madre|padre|mae|pai|tutor|ibu|ayah|suami|istri)\b/u

/** Words of the levels of an address, and further words of their names only. */
const addressWords = [
  ["province", "prov(?:ince)?", "state"],
  ["district", "dist(?:r|rict)?", "county"],
  ["commune", "comm(?:une)?|sub ?district", "city|town"],
  ["village", "vill(?:age)?", "phum"]
] as const

type ColumnTest = readonly [
  name: string,
  fits: (column: ColumnProfile, words: string, table: TableProfile) => boolean
]

const ofPatients: ReadonlyArray<ColumnTest> = [
  ["code", (column, _, table) => column.name === table.keys[0]],
  ["surname", (_, words) => /^(?:ape|apell|apellidos?)$/u.test(words)],
  [
    "surname",
    (_, words) =>
      /^(?:sur ?name|family(?: name)?|last(?: ?name)?|lname|nom|nom de famille|nom de naissance|nom patronymique|apelidos?|sobrenome|cognome|nachname|ho)$/u
        .test(words)
  ],
  [
    "name",
    (_, words) =>
      /^(?:given(?: names?)?|other ?names?|first(?: ?name)?|fname|fore ?name|prenoms?|nombres?|nom|vorname|ten)$/u.test(
        words
      )
  ],
  [
    "name",
    (_, words) =>
      /^(?:name|full ?name|patient ?name|name of patient|nama(?: pasien)?|nome(?: completo| do paciente)?|ho ten|ho va ten|nom (?:et prenoms?|complet|du patient)|nombre (?:completo|y apellidos?|del paciente))$/u
        .test(words)
  ],
  ["sex", (_, words) => sexed.test(words)],
  ["birthdate", (column, words) => isDated(column) && born.test(words)],
  ["phone", (_, words) => /\b(?:phone|tel(?:ephone|efono?|efone)?|mobile|celular|telepon|dien thoai)\b/u.test(words)],
  [
    "marital_status",
    (_, words) =>
      /\b(?:marital|etat civil|situation (?:matrimoniale|familiale)|estado civil|status (?:kawin|perkawinan)|hon nhan)\b/u
        .test(words)
  ],
  [
    "occupation",
    (_, words) => /\b(?:occupation|profession|profesion|profissao|ocupacion|pekerjaan|nghe nghiep)\b/u.test(words)
  ],
  [
    "nationality",
    (_, words) => /\b(?:nationality|nationalite|nacionalidade?|kewarganegaraan|quoc tich)\b/u.test(words)
  ],
  [
    "death_at",
    (column, words) => (isDated(column) || column.kind === "empty") && /\b(?:death\w*|died|deceased)\b/u.test(words)
  ],
  ["spid", (_, words) => /^spid$/u.test(words)],
  [
    "created_at",
    (column, words) =>
      isDated(column) &&
      /^(?:registered|created|enrolled)(?: (?:on|at|date))?$|^reg(?:istration)? (?:on|at|date|time)$|^(?:date|day) (?:registered|created|enrolled)$|^(?:date )?(?:d )?inscription$/u
        .test(words)
  ],
  // Codes of another length are not those of the national gazetteer, and a number is no name.
  ...addressWords.map(([level, words]): ColumnTest => [
    `address_${level}_code`,
    ({ digits }, name) =>
      digits === addressDigits[level] &&
      new RegExp(`^(?:code (?:de |du |da |do |del )?)?(?:${words})(?: (?:code|id|no))?$`, "u").test(name)
  ]),
  ...addressWords.map(([level, words, more]): ColumnTest => [
    `address_${level}_name`,
    ({ filled, numbers }, name) =>
      (numbers < filled || filled === 0) && new RegExp(`^(?:${words}|${more})(?: name)?$`, "u").test(name)
  ]),
  [
    "address_location",
    (_, words) => /^(?:address(?: line)?|adresse|direccion|domicilio|endereco|alamat|dia chi)$/u.test(words)
  ]
]

/** Finds the column with the words of the numbers of a category list: `ENC_TYPE_NAME` of `ENC_TYPE_C`. */
const wordsBeside = ({ name }: ColumnProfile, { columns }: TableProfile): ColumnProfile | undefined =>
  name.endsWith("_C")
    ? columns.find((other) => other.filled > 0 && other.name === name.replace(/C$/u, "NAME"))
    : undefined

/** The columns that are read if they are empty so far: a later extract can have values in them. */
const mayBeEmpty =
  /^(?:death_at|phone|occupation|nationality|marital_status|address_(?:province|district|commune|village)_name|address_location|discharge_type|visit_outcome|admission_type)$/u

/** Assigns to each name the first column that fits; a column has one name, and a name one column. */
const pick = (
  table: TableProfile,
  taken: Set<ColumnProfile>,
  expected: ReadonlyArray<readonly [name: string, fits: (column: ColumnProfile, words: string) => boolean]>
): ReadonlyArray<readonly [ColumnProfile, string]> => {
  const found: Array<readonly [ColumnProfile, string]> = []
  for (const [name, fits] of expected) {
    if (found.some(([, known]) => known === name)) continue
    const fitting = table.columns.filter((one) =>
      (one.filled > 0 || mayBeEmpty.test(name)) && !taken.has(one) && fits(one, columnWordsOf(one.name))
    )
    const filled = fitting.filter((one) => one.filled > 0)
    const column = plainest(filled.length > 0 ? filled : fitting, (one) => one.name)
    if (column === undefined) continue
    const chosen = wordsBeside(column, table) ?? column
    taken.add(chosen)
    found.push([chosen, name])
  }
  return found
}

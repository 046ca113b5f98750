import type { ColumnProfile, TableProfile } from "../facts/TableProfile.ts"
import { begins, born, columnWordsOf, namesPartOfVisits, sexed } from "../words/columnWords.ts"
import { isDated } from "./knownColumns.ts"

const find = (
  table: TableProfile,
  words: Pick<RegExp, "test">,
  fits: (column: ColumnProfile) => boolean = () => true
) => table.columns.find((column) => column.filled > 0 && words.test(columnWordsOf(column.name)) && fits(column))

/** Finds the table of patients: it has a birth date, and most other tables refer to it. */
export const patientsOf = (tables: ReadonlyArray<TableProfile>): TableProfile | undefined =>
  best(
    tables,
    (table) =>
      (find(table, born, isDated) === undefined ? 0 : 4) + (find(table, sexed) === undefined ? 0 : 1) +
      (/\b(?:patients?|pacientes?|pasien|malades?|benh nhan|persons?|people|demographics?)\b/u.test(
          columnWordsOf(table.name)
        )
        ? 3
        : 0) +
      (table.keys.length > 0 ? 1 : -4),
    4
  )

/** Finds the table of visits: others refer to it, it refers to the patient, and it has a start time. */
export const visitsOf = (
  tables: ReadonlyArray<TableProfile>,
  patients: TableProfile | undefined
): TableProfile | undefined => {
  const referringTo = ({ name }: TableProfile): number =>
    tables.filter(({ links }) => links.some((link) => link.table === name)).length
  const likeliest = best(
    tables.filter((table) => table !== patients),
    (table) => {
      const referring = referringTo(table)
      return (isNamedAfterVisits(table.name) ? 4 : 0) -
        (namesPartOfVisits(table.name) ? 1 : 0) -
        // A measurement made at a visit is not the visit, and other tables do not refer to it.
        (table.columns.filter(({ filled, vital }) => filled > 0 && vital !== undefined).length > 1
          ? referring > 1 ? isNamedAfterVisits(table.name) ? 0 : 1 : 3
          : 0) +
        Math.min(3, referring) +
        (table.links.some((link) => link.table === patients?.name) ? 2 : 0) +
        (find(table, begins, isDated) !== undefined ? 2 : table.columns.some(isDated) ? 0 : -3) +
        (table.keys.length > 0 || table.pair !== undefined ? 0 : isUnnumbered(table, patients) ? -2 : -6)
    },
    4
  )
  // A part of a visit refers to the visit, and so do most tables.
  const above = tables.find((table) =>
    table !== patients && likeliest !== undefined &&
    (isNamedAfterVisits(table.name) || referringTo(table) > referringTo(likeliest) + 1) &&
    find(table, begins, isDated) !== undefined &&
    table.links.some((link) => link.table === patients?.name) &&
    likeliest.links.some((link) => link.table === table.name)
  )
  return above ?? likeliest
}

/** Whether the rows of a table are visits by its name, its beginnings and its patients: patient and time can be their code. */
const isUnnumbered = (table: TableProfile, patients: TableProfile | undefined): boolean =>
  patients !== undefined && isNamedAfterVisits(table.name) && find(table, begins, isDated) !== undefined &&
  table.links.some((link) => link.table === patients.name)

/** Whether a table has the name of a table of visits. */
export const isNamedAfterVisits = (name: string): boolean => {
  const words = columnWordsOf(name)
  return visitLike.test(words) && !namesPartOfVisits(name)
}

/** Whether a table has the name of a table of inpatient stays. */
export const isNamedAfterStays = (name: string): boolean =>
  /\b(?:admissions?|in ?patients?|ipd|stays?|confinements?|spells?|apc|rss|rsa|aih|sejours?|hospitalisations?|ipt|egresos?|ingresos|internac\w*|ranap|rawat inap|noi tru)\b/u
    .test(columnWordsOf(name))

const visitLike =
  /\b(?:visits?|encounters?|(?:pat(?:ient)? )?encs?|consultations?|appointments?|admissions?|attendances?|episodes?|stays?|ovst|opd|ipd|passages?|sejours?|visites?|hospitalisations?|atenciones|atendimentos?|consultas|ingresos|kunjungan|reg(?:istrasi)? periksa|pendaftaran|rawat (?:inap|jalan)|ranap|ralan|rajal|luot kham)\b/u

const best = (
  tables: ReadonlyArray<TableProfile>,
  score: (table: TableProfile) => number,
  minScore: number
): TableProfile | undefined =>
  tables.map((table) => ({ table, score: score(table) })).filter(({ score }) => score >= minScore)
    .toSorted((a, b) => b.score - a.score || b.table.rows - a.table.rows)[0]?.table

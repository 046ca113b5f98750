import type { ReferenceListType } from "../../../visit/Field.ts"
import type { StandardItem } from "../../responses/Page.ts"
import { diagnoses } from "./diagnoses.ts"
import { earlierMedications, medications } from "./medications.ts"

type Row = readonly [name: string, description?: string | undefined, local?: string]

/** Numbers the rows of a list: `MRTL-000001`. */
const list = (prefix: string, rows: ReadonlyArray<Row>): ReadonlyArray<StandardItem> =>
  rows.map(([name, description = name, local], at) => ({
    code: `${prefix}-${String(at + 1).padStart(6, "0")}`,
    name,
    ...(local === undefined ? {} : { name_local: local }),
    description
  }))

/**
 * The twelve lists of §4.3 with neutral, realistic values. A payload holds the name of a value (and the code of a diagnosis). Lists
 * change over time, so no code may rely on a value in them.
 */
export const standardData: Readonly<Record<ReferenceListType, ReadonlyArray<StandardItem>>> = {
  marital_statuses: list("MRTL", [
    ["Single", undefined, "នៅលីវ"],
    ["Married", undefined, "រៀបការ"],
    ["Widowed", undefined, "មេម៉ាយ ឬ ពោះម៉ាយ"],
    ["Divorced", undefined, "លែងលះ"]
  ]),
  admission_types: list("ADMT", [
    ["Walk-in", "Came without an appointment"],
    ["Appointment", "Came by appointment"],
    ["Refer", "Referred from another facility"]
  ]),
  visit_types: list("VSTT", [["OPD", "Outpatient department"], ["IPD", "Inpatient department"]]),
  discharge_types: list("DSCT", [
    ["Authorized", "Left with the physician's consent"],
    ["Unauthorized", "Left against advice"],
    ["Deceased", "Died during the visit"],
    ["Refer Out", "Transferred to another facility"],
    ["Absconded", "Left without notice"]
  ]),
  visit_outcomes: list("VSTO", [
    ["Unchanged"],
    ["Recovered"],
    ["Improved"],
    ["Deceased"],
    ["Hopeless"],
    ["Home treatment"]
  ]),
  diagnosis_types: list("DGNT", [
    ["Primary", "The main reason for the visit"],
    ["Secondary", "A further condition"],
    ["Differential", "A condition that was considered"],
    ["In", "Diagnosis at admission"],
    ["Out", "Diagnosis at discharge"]
  ]),
  payment_types: list("PAYT", [
    ["Benefit Scheme", "Paid by the benefit scheme"],
    ["Benefit Scheme Co-payment", "Shared between scheme and patient"],
    ["Civil Servant Scheme", "Paid by the scheme of civil servants"],
    ["Discount", "The facility grants a discount"],
    ["Hospital Exception", "The facility waives the fee"],
    ["Full Pay", "Paid by the patient"]
  ]),
  card_types: list("CRDT", [
    ["Benefit Card", "Card of the benefit scheme"],
    ["Social Security Card", "Card of the social security fund"],
    ["Civil Servant Card", "Card of the civil servants' scheme"],
    ["National ID Card"],
    ["Birth Certificate"],
    ["Passport"]
  ]),
  nationalities: list("NATN", [
    ["Cambodian", undefined, "ខ្មែរ"],
    ["Thai"],
    ["Vietnamese"],
    ["Lao"],
    ["Chinese"],
    ["Malaysian"],
    ["Filipino"],
    ["Indonesian"],
    ["Burmese"],
    ["Japanese"],
    ["Korean"],
    ["Indian"],
    ["French"],
    ["British"],
    ["American"],
    ["Australian"]
  ]),
  diagnoses: diagnoses.map(([code, name]) => ({ code, name, description: name })),
  health_facilities: [
    ...list("HFAC", [
      ["Riverside Referral Hospital", "Referral hospital, level 3"],
      ["Green Hill Referral Hospital", "Referral hospital, level 2"],
      ["East Lake Referral Hospital", "Referral hospital, level 1"],
      ["Lotus Provincial Hospital", "Provincial hospital"],
      ["Two Bridges National Hospital", "National hospital"],
      ["Palm Grove Health Centre", "Health centre"],
      ["Old Market Health Centre", "Health centre"],
      ["North Ferry Health Centre", "Health centre"],
      ["Sugar Palm Health Post", "Health post"],
      ["Morning Star Maternity Clinic", "Clinic"]
    ]),
    { code: "HF0900", name: "Lotus National Teaching Hospital", description: "National hospital" }
  ],
  // Codes of such lists have been seen to repeat; the last two rows of this one share a code.
  medications: [
    ...list("MEDI", medications),
    ...earlierMedications.map(([code, name]) => ({ code, name, description: name })),
    { code: "MEDI-000049", name: "Antivenom, green pit viper vial", description: "Antidote" }
  ]
}

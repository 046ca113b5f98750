import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { loadMapping } from "../../src/mapping/load/loadMapping.ts"
import { visitFields } from "../../src/visit/fields.ts"
import { only, present } from "../present.ts"
import { check, itReports, type Mistakes } from "./Mistakes.ts"

const head = "mapping: example\nextends: fhir-r4\n"

let written = 0

/** An overlay with a path of a text of the patient: the next one each time, so that some can be checked together. */
const patientText = (path: string): string => {
  const field = ["phone", "surname", "photos", "disabilities"][written++ % 4]
  return `visit:\n  patient:\n    ${field}: {path: ${JSON.stringify(path)}, take: first}\n`
}

const mistakes: Mistakes = {
  "invalid-value": [
    ["a version of FHIR that is not R4", "fhirVersion: «5.0.0»\n", /FHIR R4/],
    [
      "a duplicate parameter",
      "function:\n  f: {parameters: [a, «a»], path: \"%a\"}\nvisit:\n  patient: {occupation: \"f('x', 'y')\"}\n",
      /duplicate/
    ],
    [
      "a parameter with the name of a variable",
      "function:\n  f: {parameters: [«visit»], path: \"%visit\"}\nvisit:\n  patient: {occupation: f('x')}\n",
      /variable of the language/
    ],
    [
      "a parameter of a function for the whole visit",
      "function:\n  f: {parameters: [a], path: «\"%a\"», over: visit}\nvisit:\n  patient: {occupation: f('x')}\n",
      /`f` depends on `%a`: it cannot be evaluated once for a visit/
    ],
    [
      "the parent row in a function for the whole visit",
      "function:\n  f: {path: «g()», over: visit}\n  g: \"%parent.id\"\nvisit:\n  patient: {occupation: f()}\n",
      /`f` depends on `%parent`/
    ],
    [
      "a text of an expression that its field cannot hold",
      "visit:\n  patient:\n    sex: {path: \"iif(gender = 'male', 'M', «'Female'»)\", conceptMap: null}\n",
      /`sex` cannot be `Female`.*did you mean `F`\?.*one of: M, F/
    ],
    [
      "codes of FHIR in a field that has others",
      "visit:\n  patient:\n    sex: {path: «gender», conceptMap: null}\n",
      /`sex` cannot be what this path finds.*finds male, female, other, unknown.*one of: M, F.*concept map/
    ],
    [
      "several numbers that are joined",
      "visit:\n  triages: {height: {«join»: \", \"}}\n",
      /one text of several values, which `height` cannot be.*take: first/
    ],
    [
      "several codes that are joined",
      "visit:\n  diagnosis: {diagnosis_code: {«join»: \", \"}}\n",
      /which `diagnosis_code` cannot be/
    ],
    [
      "one of several values, all of which are joined",
      "visit:\n  patient: {phone: {path: telecom.value, take: first, «join»: \", \"}}\n",
      /cannot be combined/
    ],
    [
      "one text of a list of texts",
      "visit:\n  outpatients: {symptoms: {path: reasonCode.text, «take»: first}}\n",
      /each value is sent by itself.*PATH\.first\(\)/
    ],
    [
      "a list of texts that is joined",
      "visit:\n  outpatients: {symptoms: {path: reasonCode.text, «join»: \", \"}}\n",
      /each value is sent by itself/
    ],
    [
      "a text of an expression that is no time",
      "visit:\n  admitted_at: \"iif(period.start.exists(), period.start, «'unknown'»)\"\n",
      /`admitted_at` cannot be `unknown`.*a date and time/
    ],
    [
      "true in place of a word",
      "visit:\n  patient: {phone: {path: telecom.value, take: first, required: «true»}}\n",
      /`required` must be one word.*one of: error, warning, none/
    ],
    [
      "a list in place of a text",
      "visit:\n  patient: {phone: {path: telecom.value, join: «[a]»}}\n",
      /`join` must be a text.*write one text, without brackets/
    ],
    ["a concept map that is a list", "conceptMap: {sex: «[x]»}\n", /must be a map of names and values/],
    [
      "a removed constant that lines use",
      "constant: {patient_code_system: «null»}\n",
      /`patient_code_system` is removed, and lines use it/
    ],
    [
      "a concept map that is written at a field",
      "visit:\n  patient:\n    sex: {path: gender, conceptMap: «{male: M}»}\n",
      /at the top of the mapping/
    ],
    [
      "a value of a concept map that its field cannot hold",
      "conceptMap: {sex: {table: {w: «Female»}}}\n",
      /gives `Female`, which `sex` cannot be.*one of: /
    ],
    [
      "a value of a concept map that no expression compares with",
      "conceptMap: {encounter_kind: {table: {AMB: «outpatiant»}}}\n",
      /gives `outpatiant`, which is not one of its `values`.*did you mean `outpatient`.*one of: outpatient, inpatient, emergency/
    ],
    [
      "a fixed value for unmapped codes that no expression compares with",
      "conceptMap: {report_kind: {unmapped: {fixed: «Laboratory»}}}\n",
      /gives `Laboratory`, which is not one of its `values`/
    ],
    [
      "a number instead of a path",
      "visit:\n  patient:\n    occupation: «5»\n",
      /a fixed value is {2}\{value: 5\}/
    ],
    [
      "a condition without a name over the named ones of the base",
      "visit:\n  diagnosis: {where: «\"clinicalStatus.hasCode('active')\"»}\n",
      /do not mix named and unnamed conditions.*where: \{NAME: PATH\}.*named: verified, meant/
    ],
    [
      "a list of conditions over the named ones of a branch",
      "visit:\n  referrals: {where: «[status = 'active']»}\n",
      /do not mix named and unnamed conditions/
    ],
    [
      "a condition without a name over the named ones of the branches",
      "visit:\n  consultations: {where: «id.exists()»}\n",
      /do not mix named and unnamed conditions/
    ],
    [
      "a condition without a name on top of a section that is the same as another",
      "visit:\n  outpatients: {where: {a: id.exists()}}\n  inpatients: {sameAs: outpatients, where: «id.exists()»}\n",
      /do not mix named and unnamed conditions/
    ],
    ["a window of all types that is not a map", "grouping: {window: {\"*\": «true»}}\n", /a window must be a map/],
    [
      "a status word that is mapped to no code of R4",
      "grouping: {status: {Encounter: {CLOSED: «done»}}}\n",
      /finished/
    ],
    [
      "a status word that R4 has itself",
      "grouping: {status: {Encounter: {«planned»: finished}}}\n",
      /`planned` is a code of FHIR R4/
    ],
    [
      "a height in kilograms",
      "visit: {triages: {height: {unit: {to: «kg»}}}}\n",
      /`kg` is not a unit of `height`.*converted to {2}cm/
    ],
    [
      "a vital sign in a unit that measures something else",
      "conceptMap: {vital_unit: {table: {Temperature: «mmol/L»}}}\n",
      /`mmol\/L` is not a unit of `Temperature`.*converted to {2}Cel/
    ],
    [
      "a concept map on a time",
      "visit: {admitted_at: {conceptMap: «sex»}}\n",
      /gives `M`, which `admitted_at` cannot be.*a date and time/
    ],
    ["groups by nothing", "visit: {triages: {groupBy: «[]»}}\n", /groupBy: null/],
    [
      "a length of treatment in kilograms",
      "visit: {prescriptions: {medications: {days: {unit: {to: «kg»}}}}}\n",
      /`kg` is not a unit of `days`.*converted to {2}d/
    ],
    [
      "an addition that is misspelt",
      "visit: {patient: {phone: {path: {«befor»: [telecom.value]}}}}\n",
      /`befor` is read as the name of a path, which cannot be a list.*did you mean `before`/
    ],
    [
      "an addition next to a named path",
      "visit: {patient: {phone: {path: {«before»: [telecom.value], mine: name.text}}}}\n",
      /only keys of the map/
    ],
    [
      "a fixed value for unmapped codes that the field cannot be",
      "conceptMap: {sex: {unmapped: {fixed: «X»}}}\n",
      /gives `X`, which `sex` cannot be.*one of: M, F/
    ],
    [
      "groups by nothing, in braces",
      "visit: {vital_signs: {groupBy: «{}»}}\n",
      /nothing that distinguishes groups.*groupBy: null/
    ],
    [
      "an addition to a path that is not a list",
      "visit: {patient: {phone: {path: {before: «id»}}}}\n",
      /`before` takes a list/
    ],
    [
      "an addition without a list to add to",
      "visit: {triages: {where: {own: id.exists()}, onePer: «{before: [code]}»}}\n",
      /there is no list to add to/
    ],
    [
      "an assumption together with a warning",
      "assumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: [{path: id, «warn»: words, assume: some-name}]}}\n",
      /`warn` and `assume` cannot be combined/
    ],
    [
      "an assumption that could be about the path or the default",
      "assumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: {path: id, default: a, «assume»: some-name}}}\n",
      /does not describe what it assumes/
    ],
    [
      "two policies of a concept map",
      "conceptMap: {sex: {unmapped: {fixed: F, «policy»: skip}}}\n",
      /`fixed` and `policy` cannot be combined/
    ],
    [
      "a default with a warning that its field cannot hold",
      "visit:\n  patient:\n    birthdate: {default: {value: «yesterday», warn: not recorded}}\n",
      /birthdate/
    ],
    ["a window that is only opened", "grouping:\n  window:\n    Observation: «true»\n", /write {2}\{enabled: true\}/],
    [
      "yes in the place of true",
      "grouping:\n  window:\n    Observation: {enabled: «yes»}\n",
      /true or false.*write {2}true, without quotes/
    ],
    [
      "a code that loses its zeros without quotes",
      "visit:\n  patient:\n    address: {province: {code: {default: «00»}}}\n",
      /without quotes this is the number `0`.*in quotes: {2}"00"/
    ],
    [
      "a fixed value that loses its zeros without quotes",
      "visit:\n  patient:\n    nationality: {value: «0855»}\n",
      /without quotes this is the number `855`.*"0855"/
    ],
    [
      "a text that YAML reads as hexadecimal",
      "visit:\n  patient:\n    occupation: {default: «0x10»}\n",
      /without quotes this is the number `16`/
    ],
    [
      "more digits than a number keeps",
      "visit:\n  patient:\n    phone: {default: «12345678901234567890»}\n",
      /without quotes this is the number/
    ],
    [
      "a value of a concept map that YAML reads as another number",
      "conceptMap:\n  marital_status:\n    table: {S: «1e5»}\n",
      /without quotes this is the number `100000`/
    ],
    [
      "a concept map of another list than the field's",
      "visit:\n  discharge_type: {conceptMap: «marital_status»}\n",
      /`marital_status` gives values of `marital_statuses`, and `discharge_type` takes those of `discharge_types`.*of that list: discharge_type/
    ],
    [
      "a section that is switched off by a truth value",
      "visit:\n  soaps: «false»\n",
      /`soaps` must be a map.*soaps: \{enabled: false\}/
    ],
    [
      "a function with the name of one of the language, in flow style",
      "function: {«resolve»: \"reference\"}\n",
      /`resolve\(\)` is a function of the mapping language.*rename the function/
    ],
    ["an unknown policy", "conceptMap:\n  sex: {unmapped: «rejct»}\n", /did you mean `reject`/],
    ["an unknown standard-data list", "conceptMap:\n  sex: {list: «visit_type»}\n", /did you mean `visit_types`/],
    ["a patient code that is made", "key:\n  patient: {path: id, mint: «P»}\n", /never generated/],
    ["rows from two sources", "visit:\n  triages: {resource: Observation, «forEach»: $this}\n", /not both/],
    ["an unknown policy for times", "time: {partialTimestamp: «middday»}\n", /did you mean `midday`/],
    ["a value other than a blank for `empty`", "visit:\n  patient:\n    nationality: {empty: «none»}\n", /default:/],
    [
      "an empty text for a field that is not a text",
      "visit:\n  followup_at: {path: period.end, empty: «\"\"»}\n",
      /is not a text/
    ],
    ["a length of time without its unit", "grouping:\n  window: {Observation: {after: «2»}}\n", /2 hours/],
    ["`sameAs` of an unknown section", "visit:\n  emergencies: {sameAs: «outpatient»}\n", /did you mean `outpatients`/],
    [
      "an order of the rows of one branch",
      "visit:\n  prescriptions:\n    unionAll:\n      prescription: {«orderBy»: [code]}\n",
      /applies to all branches together/
    ],
    [
      "a top-level key without a value",
      "visit:\n  patient:\n    «phone»:\n    surname: name.family.first()\n",
      /`phone:` has no value.*write {2}null {2}for "no value"/
    ],
    [
      "a key of a field without a value",
      "visit:\n  patient:\n    phone: {path: telecom.value.first(), «default»: }\n",
      /`default:` has no value/
    ],
    [
      "a path that is commented out",
      "visit:\n  patient:\n    «phone»: #telephone\n",
      /`phone:` has no value.*begins a comment/
    ],
    ["a section without content", "«constant»:\nkey:\n  order: id\n", /`constant:` has no value/],
    [
      "an empty item of a list",
      "visit:\n  triages:\n    orderBy:\n      - code\n      -«»\n",
      /this item has no value/
    ],
    [
      "an order by a field and a path at once",
      "visit:\n  triages: {orderBy: [{field: recorded_at, «path»: id}]}\n",
      /of a `field` or of a `path`, not both/
    ],
    ["an order by an invalid path", "visit:\n  triages: {orderBy: [{path: «5»}]}\n", /`path` must be one path/],
    [
      "an order by several paths in one item",
      "visit:\n  triages: {orderBy: [{path: «[id, status]»}]}\n",
      /write several orders as several items/
    ],
    [
      "an order by a number",
      "visit:\n  triages: {orderBy: [«5»]}\n",
      /`orderBy` names fields.*orderBy: \[field, -field\]/
    ],
    [
      "a concept map in an order",
      "visit:\n  triages: {orderBy: [{path: code, «conceptMap»: vital_name}]}\n",
      /translated/
    ],
    [
      "several paths to the patient of records",
      "grouping: {patientScope: {Coverage: «[beneficiary, subscriber]»}}\n",
      /the patient of Coverage must be one path.*a \| b/
    ],
    [
      "several paths to the unit of a number",
      "visit:\n  triages: {height: {path: value.ofType(Quantity).value, unit: {to: cm, from: «[value.ofType(Quantity).unit, value.ofType(Quantity).code]»}}}\n",
      /`from` must be one path/
    ],
    [
      "several paths to the substance of a unit",
      "visit:\n  vital_signs: {observations: {value: {unit: {of: «[code, category]»}}}}\n",
      /`of` must be one path/
    ],
    [
      "a list of decimals to round to",
      "visit:\n  triages: {height: {unit: {to: cm, round: «[1]»}}}\n",
      /`round` must be a number of decimals/
    ],
    ["rows of no type", "visit:\n  surgeries: {resource: «[]»}\n", /names the types of the rows.*enabled: false/],
    [
      "a removed concept map that lines use",
      "conceptMap: {sex: «null»}\n",
      /the concept map `sex` is removed, and lines use it/
    ],
    [
      "a removed function that lines use",
      "function: {extValue: «null»}\n",
      /the function `extValue` is removed, and lines use it/
    ],
    [
      "rows of two paths",
      "visit:\n  patient:\n    address: {forEachOrNull: «[address, contact.address]»}\n",
      /must be one path.*unionAll/
    ],
    [
      "a function with the name of one of FHIRPath",
      "function: {«first»: id}\n",
      /`first\(\)` is a function of FHIRPath/
    ],
    [
      "a function with the name of one of the language",
      "function: {«keyOf»: {parameters: [name], path: id}}\n",
      /is a function of the mapping language/
    ],
    ["a constant with the name of a variable", "constant: {«patient»: x}\n", /`%patient` is a variable/],
    ["a function that calls itself", "function:\n  medicine: \"code | ingredient.«medicine»()\"\n", /calls itself/],
    [
      "functions that call each other",
      "function:\n  order: basedOn.«medicine»()\n  medicine: code.order()\n",
      /call each other.*→/
    ],
    ["a unit UCUM does not know", "visit:\n  triages: {height: {unit: {to: «cms»}}}\n", /no unit `cms`/],
    ["a unit as it is commonly written", "visit:\n  triages: {height: {unit: «mmHg»}}\n", /did you mean `mm\[Hg\]`/],
    [
      "a unit of a concept map of units",
      "conceptMap:\n  vital_unit: {table: {Temperature: «degC»}}\n",
      /`vital_unit` gives `degC`, which is not a unit/
    ],
    [
      "a spelling of a unit UCUM does not know",
      "conceptMap:\n  unit_spelling: {table: {cms: «centimeters»}}\n",
      /`unit_spelling` gives `centimeters`/
    ],
    ["an invalid number of decimals", "visit:\n  triages: {height: {unit: {round: «two»}}}\n", /from 0 to 10/],
    ["more decimals than a number has", "visit:\n  triages: {height: {unit: {round: «11»}}}\n", /from 0 to 10/],
    [
      "an invalid fixed day",
      "visit:\n  patient: {birthdate: {value: «yesterday»}}\n",
      /cannot be `yesterday`.*1990-12-31/
    ],
    ["an invalid fixed number", "visit:\n  triages: {height: {value: «tall»}}\n", /a number, for example/],
    [
      "an invalid fixed truth value",
      "visit:\n  referrals: {referred_to: {has_called: {value: «maybe»}}}\n",
      /true or false/
    ],
    ["a fixed value that is not one of the closed set", "visit:\n  patient: {sex: {value: «male»}}\n", /one of: /],
    [
      "a default that is not a time",
      "visit:\n  discharged_at: {path: period.end, default: «never»}\n",
      /`default` of `discharged_at`.*a date and time/
    ],
    ["a type of rows that is not a text", "visit:\n  surgeries: {resource: «5»}\n", /must be a text/],
    ["`sameAs` of a section of another form", "visit:\n  inpatients: {sameAs: «surgeries»}\n", /has other fields/],
    ["a section of the base that is removed", "conceptMap: «null»\n", /must be a map.*remove it to keep/],
    [
      "a constant of another type than the base's",
      "constant: {patient_code_system: «5»}\n",
      /is a text in the mapping below/
    ],
    [
      "two policies",
      "conceptMap:\n  sex: {unmapped: {fixed: M, «table»: marital_status}}\n",
      /`fixed` and `table` cannot be combined/
    ]
  ],
  "unknown-key": [
    ["a status of a type without one", "grouping: {status: {«Encountr»: {CLOSED: finished}}}\n", /`Encounter`/],
    [
      "a condition with a warning and one key too many",
      "visit:\n  diagnosis: {where: {coded: {path: code.exists(), warn: \"not coded\", «take»: first}}}\n",
      /keys: path, warn/
    ],
    ["a misspelt key at the top", "«constnat»:\n  a: b\n", /did you mean `constant`/],
    [
      "a misspelt attribute",
      "visit:\n  patient:\n    phone: {path: telecom.value, «requird»: none}\n",
      /did you mean `required`/
    ],
    ["a misspelt key of a window", "grouping:\n  window: {Observation: {«enable»: true}}\n", /did you mean `enabled`/],
    ["a misspelt key of an order", "visit:\n  triages: {orderBy: [{«fields»: title}]}\n", /did you mean `field`/],
    [
      "a misspelt attribute in a section that is switched off",
      "visit:\n  soaps: {enabled: false, subjective: {«pth»: id}}\n",
      /did you mean `path`/
    ]
  ],
  "wrong-type": [
    [
      "a path with slashes",
      "visit:\n  patient:\n    occupation: «name»/text\n",
      /this is not a number.*finds HumanName.*written with dots/
    ],
    [
      "a text as an index",
      "visit:\n  patient:\n    occupation: identifier[«'MR'»].value\n",
      /counted from 0.*\.where\(condition\)/
    ],
    [
      "resolve() of a value that is not a reference",
      "visit:\n  patient:\n    occupation: name.«resolve»().id.first()\n",
      /follows references.*starts at HumanName/
    ],
    [
      "a `partOf` that is not a reference",
      "grouping:\n  partOf: «class.code»\n",
      /refers to no record.*elements that refer: .*partOf/
    ],
    [
      "a link to a patient",
      "grouping:\n  link: {Observation: «subject»}\n",
      /never refers to Encounter.*refers to Patient/
    ],
    [
      "a link that is not a reference",
      "grouping:\n  link: {Observation: «code»}\n",
      /refers to no record.*encounter/
    ],
    ["a patient that is a text", "grouping:\n  patient: «subject.display»\n", /refers to no record/],
    [
      "a patient scope that is not a reference",
      "grouping:\n  patientScope: {AllergyIntolerance: «code»}\n",
      /elements that refer: .*patient/
    ],
    [
      "a key that finds a concept",
      "key:\n  visit: {path: «type»}\n",
      /a key must be a text.*finds CodeableConcept/
    ],
    [
      "a code where a time belongs",
      "visit: {admitted_at: «status»}\n",
      /`admitted_at` cannot take .*finds code.*date or time/
    ],
    [
      "a code for a number",
      "visit: {invoices: {unionAll: {invoice: {total: «status»}}}}\n",
      /`total` cannot take what this path finds.*end the path in a number/
    ],
    [
      "a function that gives what its field cannot hold",
      "function:\n  home: \"address.where(use = 'home').first()\"\nvisit:\n  patient:\n    occupation: «home()»\n",
      /cannot take what this path finds.*finds Address/
    ],
    [
      "a date that is compared with a text",
      "visit:\n  patient:\n    where: {young: \"«birthDate» > '2001-01-01'\"}\n",
      /`>` cannot compare this with a text.*birthDate > @2026-02-28/
    ],
    [
      "a time of a choice that is compared with a text",
      "visit:\n  triages:\n    where: {late: \"«effective.ofType(dateTime)» = '2026-03-01'\"}\n",
      /`=` cannot compare this with a text/
    ],
    [
      "an impossible month",
      "visit:\n  patient:\n    where: {young: \"birthDate > «@2000-13»\"}\n",
      /there is no such date/
    ],
    [
      "an impossible day of a month",
      "visit:\n  patient:\n    where: {young: \"birthDate > «@2026-02-30»\"}\n",
      /there is no such date/
    ],
    [
      "a concept where a text is sent",
      "visit:\n  surgeries:\n    service_type: «code»\n",
      /finds CodeableConcept.*conceptText\(\)/
    ],
    [
      "a quantity where a number is sent",
      "visit:\n  prescriptions:\n    unionAll: {dispense: {medications: {days: {path: «daysSupply», unit: null}}}}\n",
      /`days` cannot take/
    ],
    [
      "a number where a Quantity is converted",
      "visit:\n  triages:\n    height: {path: «value.ofType(Quantity).value», unit: cm, take: first}\n",
      /end the path in the Quantity/
    ],
    [
      "a reference where a name is sent",
      "visit:\n  surgeries:\n    surgeon_name: {path: «performer.actor», take: first}\n",
      /finds Reference.*who\(\)/
    ],
    [
      "a HumanName where a text is sent",
      "visit:\n  patient:\n    surname: {path: «name», take: first}\n",
      /finds HumanName.*family/
    ],
    [
      "an identifier where a code is sent",
      "visit:\n  patient:\n    spid: {path: «identifier», take: first}\n",
      /finds Identifier.*\.value/
    ],
    ["a period where a time is sent", "visit:\n  admitted_at: «period»\n", /finds Period.*\.start/],
    [
      "a truth value where a time is sent",
      "visit:\n  patient:\n    death_at: «deceased.ofType(boolean)»\n",
      /finds boolean.*date or time/
    ],
    [
      "an element of several elements",
      "visit:\n  patient:\n    phone: {path: «contact», take: first}\n",
      /finds Patient\.contact/
    ],
    [
      "a money amount where a number is sent",
      "visit:\n  invoices:\n    unionAll: {invoice: {total: «totalNet»}}\n",
      /finds Money/
    ],
    [
      "a concept map over what has no code",
      "visit:\n  visit_type: {path: «period», conceptMap: visit_type}\n",
      /finds Period/
    ],
    [
      "an extension where its value is meant",
      "visit:\n  patient:\n    occupation: «extension('http://example.org/occupation')»\n",
      /finds Extension.*\.value/
    ],
    [
      "a path of a window that finds no time",
      "grouping:\n  window: {Observation: {time: «code»}}\n",
      /not a time.*CodeableConcept/
    ],
    [
      "a text that is compared with a number",
      "visit:\n  surgeries: {where: {own: \"«status» > 10\"}}\n",
      /a text cannot be compared with a number.*status\.toDecimal\(\) > 10/
    ],
    [
      "a link to a patient, with the elements that refer to an encounter",
      "grouping: {link: {Observation: «subject»}}\n",
      /never refers to Encounter.*elements that refer to Encounter: .*encounter/
    ],
    [
      "`who` of a value that is not a reference",
      "visit:\n  surgeries: {symptoms: [\"code.«who»()\"]}\n",
      /`who\(\)` follows references.*starts at CodeableConcept/
    ],
    [
      "`who` of a name",
      "visit:\n  patient: {occupation: name.first().«who»()}\n",
      /follows references.*\.humanName\(\)/
    ],
    ["`who` of a text", "visit:\n  patient: {occupation: id.«whoTitle»()}\n", /follows references/],
    [
      "a number that is added to a text",
      "visit:\n  surgeries: {symptoms: [\"«complication.count()» + ' of them'\"]}\n",
      /a number and a text cannot be added.*toString\(\) & ' '/
    ],
    [
      "a number that is joined with a text",
      "visit:\n  surgeries: {symptoms: [\"'n' & «complication.count()»\"]}\n",
      /cannot be joined directly.*toString\(\)/
    ],
    [
      "a date whose month has one digit, which FHIRPath calculates",
      "visit:\n  patient:\n    where: {young: \"birthDate > «@1990»-1-31\"}\n",
      /a number without a unit cannot be added to a date.*@2026-02-08/
    ],
    [
      "a date to which a number without a unit is added",
      "visit:\n  patient:\n    where: {adult: \"«birthDate» + 18 < %visit.period.start\"}\n",
      /finds date|\+ 1 year/
    ],
    [
      "a time that is subtracted from a date or time",
      "visit: {admission_type: \"(period.end - «period.start»).toString()\"}\n",
      /cannot be subtracted from another one/
    ],
    [
      "a text from which a text is subtracted",
      "visit:\n  patient: {occupation: \"«maritalStatus.text» - name.first().text\"}\n",
      /this is not a number/
    ],
    [
      "a date that is made of a text and compared with a text",
      "visit:\n  patient: {where: {young: \"«id.toDate()» > '2020-01-01'\"}}\n",
      /cannot compare this with a text/
    ],
    [
      "a text that a duration moves",
      "visit:\n  surgeries: {symptoms: [\"(«outcome.conceptText()» - 1 year).toString()\"]}\n",
      /a duration can be added to a date or time, but not to a text.*\.toDate\(\) \+ 1 year/
    ],
    [
      "a text that a duration of another text moves",
      "visit:\n  surgeries: {symptoms: [\"(«outcome.conceptText()» - '1 year'.toQuantity()).toString()\"]}\n",
      /a duration can be added to a date or time, but not to a text/
    ],
    [
      "a condition that is a code",
      "visit:\n  surgeries:\n    where: {surgical: «status»}\n",
      /true or false.*finds code.*status = '…'/
    ],
    [
      "a condition that is a text",
      "visit:\n  surgeries:\n    where: {surgical: «code.conceptText()»}\n",
      /true or false.*finds string/
    ],
    [
      "a condition that is a concept",
      "visit:\n  surgeries:\n    where: {surgical: «category»}\n",
      /finds CodeableConcept.*category\.hasCode/
    ],
    [
      "a condition of the visit's encounters that is an element",
      "grouping:\n  where: {own: «serviceProvider»}\n",
      /finds Reference.*serviceProvider\.exists\(\)/
    ],
    [
      "a concept that is compared with a text",
      "visit:\n  triages:\n    where: {code: \"«code» = '8302-2'\"}\n",
      /`=` cannot compare this with a text.*finds CodeableConcept.*code\.hasCode/
    ],
    [
      "a Coding that is compared with a text",
      "visit:\n  outpatients:\n    where: {kind: \"«class» = 'AMB'\"}\n",
      /finds Coding.*class\.hasCode/
    ],
    [
      "a concept among texts",
      "visit:\n  triages:\n    where: {code: \"«code» in ('a' | 'b')\"}\n",
      /`in` cannot compare this with a text/
    ],
    ["a truth value that is compared with a text", patientText("iif(«active» = 'true', id)"), /active = true/]
  ],
  "unknown-element": [
    [
      "rows of a branch that the lines of the mapping below do not fit, once",
      "visit:\n  triages:\n    unionAll:\n      form: {resource: «QuestionnaireResponse», where: null}\n",
      /lines of the mapping below do not fit these rows \(QuestionnaireResponse\).*QuestionnaireResponse has no element `issued`/
    ],
    [
      "rows of a section that the lines of the mapping below do not fit, once",
      "visit:\n  triages: {resource: «QuestionnaireResponse»}\n",
      /lines of the mapping below do not fit these rows/
    ],
    [
      "an element of a reference's target",
      "visit:\n  outpatients:\n    name: {path: location.location.«name», take: first}\n",
      /Reference has no element `name`.*\.resolve\(\)\.name/
    ],
    [
      "a choice element of R5",
      "visit: {surgeries: {started_at: «occurrence».ofType(Period).start}}\n",
      /`occurrence` is an element of R5/
    ],
    [
      "an element of R5",
      "visit: {admitted_at: «actualPeriod».start}\n",
      /`actualPeriod` is an element of R5; .* converted to R4/
    ],
    [
      "an element of a CodeableReference",
      "visit: {prescriptions: {unionAll: {dispense: {medications: {medicine_name: medication.«concept».text}}}}}\n",
      /CodeableReference of R5/
    ],
    [
      "a path that begins with the type of its own record",
      "visit:\n  patient:\n    phone: «patient».telecom.value\n",
      /already starts at Patient: remove `patient`/
    ],
    [
      "a path that begins with the type of another record of the visit",
      "visit:\n  patient:\n    phone: «Encounter».subject.telecom.value\n",
      /the visit's Encounter: {2}%visit/
    ],
    [
      "references that are followed through an unknown element",
      "visit:\n  laboratories:\n    results:\n      unionAll:\n        result: {forEach: \"result.resolve().«withAll»('hasMembers')\"}\n        component: {enabled: false}\n    unionAll:\n      single: {enabled: false}\n",
      /has no element `hasMembers`/
    ],
    [
      "a misspelt element in the body of a function",
      "function:\n  whole: \"(given.first() & ' ' & «famly»)\"\nvisit:\n  patient:\n    name: name.first().whole()\n",
      /HumanName has no element `famly`.*did you mean `family`.*called here$/
    ],
    [
      "an element of the input in a function for the whole visit",
      "function:\n  ended: {path: «status» = 'finished', over: visit}\nvisit:\n  patient: {occupation: \"iif(ended(), 'ended', {})\"}\n",
      /the visit has no element `status`.*has no input: {2}%visit\.status/
    ],
    [
      "a misspelt element in a body that is called in several places",
      "function:\n  whole: {path: «famly», over: collection}\nvisit:\n  patient: {name: name.first().whole(), surname: name.first().whole(), occupation: name.last().whole()}\n",
      /called here, and in 2 other places/
    ],
    [
      "a misspelt element in a body that another body calls",
      "function:\n  inner: {parameters: [of], path: \"%of.«cod»\"}\n  outer: \"maritalStatus.coding.first().select(inner($this))\"\nvisit:\n  patient:\n    occupation: outer()\n",
      /Coding has no element `cod`.*called here/
    ],
    [
      "an element that a parameter does not have",
      "function:\n  yearOf2: {parameters: [period], path: \"%period.«begin».toString()\"}\nvisit:\n  patient:\n    occupation: yearOf2(%visit.period)\n",
      /Period has no element `begin`/
    ],
    [
      "an element after a function's result",
      "function:\n  home: \"address.where(use = 'home').first()\"\nvisit:\n  patient:\n    occupation: home().«citi»\n",
      /Address has no element `citi`.*did you mean `city`/
    ],
    [
      "a misspelt element of the targets of references in forEach",
      "visit:\n  referrals:\n    referred_to:\n      health_facility: {forEach: performer, name: resolve().«nam», code: resolve().id, label: null, type: null}\n",
      /has no element `nam`/
    ],
    [
      "a misspelt element after forEach over resolved references",
      "visit:\n  referrals:\n    referred_to:\n      health_facility: {forEach: performer.resolve().ofType(Organization), name: «nam», code: id, label: null, type: null}\n",
      /Organization has no element `nam`.*did you mean `name`/
    ],
    [
      "an element FHIR does not have",
      "visit:\n  patient:\n    birthdate: «birthdate»\n",
      /Patient has no element `birthdate`.*did you mean `birthDate`/
    ],
    [
      "an element of a nested element",
      "visit:\n  patient:\n    phone: {path: contact.telecom.«val», take: first}\n",
      /ContactPoint has no element `val`/
    ],
    [
      "a choice element by its JSON name",
      "visit:\n  patient:\n    death_at: \"%patient.«deceasedDateTime»\"\n",
      /did you mean `deceased.ofType\(dateTime\)`/
    ],
    [
      "an element in a condition",
      "visit:\n  triages:\n    where: {code: \"«stauts» = 'final'\"}\n",
      /did you mean `status`/
    ],
    [
      "an element of the wrong resource",
      "visit:\n  surgeries:\n    started_at: «period».start\n",
      /Procedure has no element `period`/
    ],
    [
      "a type that does not exist",
      "visit:\n  surgeries:\n    started_at: performed.ofType(«Perod»).start\n",
      /did you mean `Period`/
    ],
    [
      "a type the choice never has",
      "visit:\n  surgeries:\n    started_at: performed.ofType(«Reference»)\n",
      /never of type `Reference`/
    ],
    [
      "a resource type that does not exist",
      "visit:\n  surgeries:\n    resource: «Procedures»\n",
      /did you mean `Procedure`/
    ],
    [
      "an element in a reverse reference",
      "visit:\n  followup_at: \"reverseResolve('«Appointment.bassedOn»').start\"\n",
      /did you mean `basedOn`/
    ],
    [
      "a window for a type FHIR does not have",
      "grouping:\n  window: {«Observaton»: {enabled: true}}\n",
      /did you mean `Observation`/
    ],
    ["an end of encounters that FHIR does not have", "grouping:\n  end: period.«ennd»\n", /did you mean `end`/],
    [
      "an unknown type of records that are grouped",
      "grouping:\n  link: {«Observatio»: encounter}\n",
      /did you mean `Observation`/
    ],
    [
      "an element in a key of visits",
      "key:\n  visit: {path: \"identifier.where(«sistem» = 'x').value\"}\n",
      /Identifier has no element `sistem`.*did you mean `system`/
    ],
    ["an element in a key of patients", "key:\n  patient: identifier.«vale»\n", /did you mean `value`/],
    ["a type of visits that does not exist", "grouping: {resource: «Encouter»}\n", /did you mean `Encounter`/],
    ["a misspelt type in a function", patientText("link.other.getReferenceKey('«Pateint»')"), /did you mean `Patient`/],
    ["records of a misspelt type", patientText("inVisit('«Apointment»').id"), /did you mean `Appointment`/],
    [
      "an element in a block of lines",
      "visit:\n  patient:\n    phone:\n      take: first\n      path: |\n        telecom.where(system = 'phone')\n\n        .«valu»\n",
      /did you mean `value`/
    ],
    [
      "an element in a quoted text of several lines",
      "visit:\n  patient:\n    phone: {take: first, path: \"telecom\n      .«valu»\"}\n",
      /did you mean `value`/
    ],
    [
      "an element after doubled quotes",
      "visit:\n  patient:\n    phone: {take: first, path: 'telecom.where(system = ''phone'').«valu»'}\n",
      /did you mean `value`/
    ],
    [
      "an element of the resource that a reference names",
      "visit:\n  surgeries:\n    service_type: location.resolve().«nme»\n",
      /Location has no element `nme`.*did you mean `name`/
    ],
    [
      "an element that none of several resources has",
      "visit:\n  surgeries:\n    surgeon_name: performer.first().actor.resolve().«nme».text\n",
      /Practitioner, PractitionerRole, Organization … has no element/
    ],
    [
      "a type that a reference never has",
      patientText("managingOrganization.resolve().ofType(«Location»).name"),
      /never of type/
    ],
    ["a reference of a choice", patientText("%visit.reasonReference.resolve().«cod»"), /did you mean `code`/],
    ["a function without its brackets", patientText("telecom.value.«first»"), /a function has brackets: `first\(\)`/],
    ["a value of a value", patientText("birthDate.«value»"), /remove {2}\.value/],
    ["a text without its quotes", patientText("«Farmer»"), /\{value: Farmer\}/],
    [
      "an element of the patient on another record",
      "visit:\n  surgeries:\n    service_type: «birthDate»\n",
      /%patient\.birthDate/
    ]
  ],
  "invalid-yaml": [
    [
      "an apostrophe in a text with single quotes",
      "visit:\n  patient: {occupation: {value: 'Ann'«s job'»}}\n",
      /text follows the quote `'`.*write it twice/
    ],
    [
      "a quote in a text with double quotes",
      "visit:\n  patient:\n    occupation: \"'say \"«hello'\"»\n",
      /text follows the quote `"`.*single quotes/
    ],
    [
      "two commas",
      "visit:\n  patient: {occupation: {value: a,«,» default: b}}\n",
      /a comma without a value before it/
    ],
    ["two mappings in a file", "visit: {}\n«---»\nvisit: {}\n", /a file must contain one mapping/],
    [
      "a star as a name without quotes",
      "grouping: {window: {«*»: {enabled: true}}}\n",
      /begins with `\*` must be in quotes.*"\*": …/
    ],
    ["a second colon within braces", "visit:\n  code: {value: «HF: 1»}\n", /two names with a colon in one line/],
    [
      "a comment of another language",
      "«// my mapping»\nvisit: {}\n",
      /`\/\/` begins no comment of YAML.*begin a comment with {2}#/
    ],
    [
      "a brace that a comment of YAML hides",
      "visit:\n  health_facility_code: {value: Ward #3}\n«c»onstant: {}\n",
      /`}` is missing.*with {2}#3} {2}in it is in quotes/
    ],
    [
      "a quote that is never closed, above one that is",
      "visit:\n  patient:\n    phone: {path: «'»telecom.value}\n    occupation: {value: \"Farmer\"}\n",
      /a quote is never closed/
    ],
    [
      "a file in UTF-16",
      "# written by an editor\nv«\u0000»i\u0000s\u0000i\u0000t\u0000:\n",
      /not UTF-8; it looks like UTF-16.*save it as UTF-8/
    ],
    [
      "letters of another encoding",
      "visit:\n  patient:\n    occupation: {value: Caf«\ufffd»}\n",
      /this file is not UTF-8.*save it as UTF-8/
    ],
    [
      "a code of a concept map that loses its zeros without quotes",
      "conceptMap:\n  marital_status:\n    table: {«01»: Single}\n",
      /without quotes this key is the number `1`.*"01"/
    ],
    ["a key written twice", "constant: {a: b}\n«constant»: {c: d}\n", /written twice/],
    [
      "a tab before a field",
      "visit:\n  patient:\n«\t»phone: telecom.value.first()\n    surname: name.family.first()\n",
      /indented with a tab.*with spaces/
    ],
    [
      "a no-break space before a field",
      "visit:\n  patient:\n    phone: telecom.value.first()\n  «\u00a0» surname: name.family.first()\n",
      /invalid blank: YAML indents with ordinary spaces.*pasted/
    ],
    [
      "a field with one space too few",
      "visit:\n  patient:\n    phone: telecom.value.first()\n   «surname: name.family.first()»\n    name: id\n",
      /begins in another column/
    ],
    [
      "a field with spaces too many",
      "visit:\n  patient:\n    phone: telecom.value.first()\n      «surname: name.family.first()»\n",
      /deeper than the one above/
    ],
    [
      "two fields in one line",
      "visit:\n  patient:\n    phone: «t»elecom.value.first() surname: name.family\n",
      /two names with a colon in one line.*on its own line/
    ],
    [
      "a colon without a space",
      "visit:\n  patient:\n    phone«:»telecom.value.first()\n    surname: name.family\n",
      /missing space after the colon/
    ],
    [
      "a variable at the beginning without quotes",
      "visit:\n  patient:\n    phone: «%»visit.id # here\n",
      /begins with `%` must be in quotes.*all of it in quotes/
    ],
    ["a brace that is never closed", "visit:\n  patient: {phone: a\n«k»ey:\n  order: id\n", /`}` is missing/]
  ],
  "invalid-path": [
    [
      "a date without quotes, which FHIRPath calculates",
      "visit:\n  patient: {birthdate: «1990-01-31»}\n",
      /are calculated.*\{value: "1990-01-31"\}.*@2026-02-28/
    ],
    [
      "a no-break space in a path",
      "visit:\n  patient:\n    occupation: \"name.first()«\u00a0».text\"\n",
      /a blank that no keyboard has/
    ],
    [
      "a comment that hides the lines after it",
      "visit:\n  triages:\n    where:\n      own: id.exists() «//» first\n        and status = 'final'\n",
      /the lines after it are in it.*path: \|/
    ],
    [
      "a URL without quotes",
      "visit: {patient: {phone: \"telecom.where(system = «http:»//example.org).value.first()\"}}\n",
      /a URL is a text.*single quotes/
    ],
    [
      "a path that a comment of YAML cuts off",
      "visit:\n  patient:\n    phone: telecom.where(value = «'»a #1').value.first()\n",
      /` #` begins a comment of YAML.*double quotes/
    ],
    [
      "a FHIRPath that is never closed",
      "visit:\n  admitted_at: period.where(start.exists()«»\n",
      /this is not FHIRPath/
    ],
    [
      "an end in a block of lines",
      "visit:\n  patient:\n    phone:\n      take: first\n      path: >-\n        telecom.where(\n        system = 'phone'«»\n",
      /`\)` is missing at the end/
    ],
    [
      "an index that is never closed",
      "visit:\n  patient:\n    name: name.given[0«»\n",
      /`\]` is missing at the end.*close what `given\[` opens with {2}\]$/
    ],
    [
      "a call that is never closed",
      "visit:\n  patient:\n    name: name.given.first(«»\n",
      /`\)` is missing at the end.*close what `first\(` opens/
    ],
    [
      "a bracket that closes one of another kind",
      "visit:\n  patient:\n    name: name.given[0«)»\n",
      /`\]` is missing before `\)`/
    ],
    [
      "a bracket that closes nothing",
      "visit:\n  patient:\n    name: name.given.first()«)».trim()\n",
      /this `\)` closes nothing.*remove it/
    ],
    [
      "an expression with an unexpected token",
      "visit:\n  patient:\n    name: name.given.first() «given»\n",
      /it can be read up to {2}name\.given\.first\(\)$/
    ],
    [
      "an expression that ends in an operator",
      "visit:\n  patient:\n    name: name.given.first() &«»\n",
      /something is missing at the end.*after {2}name\.given\.first\(\) & {2}an element or a value follows$/
    ],
    ["an equal of other languages", patientText("telecom.where(system «==» 'phone').value"), /one `=`/],
    ["an `and` of other languages", patientText("telecom.where(system = 'phone' «&&» use = 'home').value"), /a and b/],
    ["an `or` of other languages", patientText("telecom.where(use = 'work' «||» use = 'home').value"), /a or b/],
    ["an unequal of other languages", patientText("telecom.where(system «<>» 'phone').value"), /a != b/],
    ["a text in double quotes", patientText("telecom.where(system = «\"»phone\").value"), /single quotes/],
    ["quotes of a word processor", patientText("telecom.where(system = «‘»phone’).value"), /straight/],
    [
      "an operator in capitals",
      patientText("telecom.where(system = 'phone' «AND» use = 'home').value"),
      /written in small letters/
    ],
    ["a `not` before what it denies", patientText("telecom.where(«not» value.exists()).value"), /\.not\(\)/],
    ["a question mark", patientText("active «?» 'a' : 'b'"), /iif\(/],
    ["two paths with a comma", patientText("name.family«,» name.text"), /are a list/],
    ["two dots", patientText("telecom.«.»value"), /two dots/],
    ["a list of values in brackets", patientText("telecom.where(use in «(»'home', 'work')).value"), /'x' \| 'y'/],
    ["a text that is never closed", patientText("telecom.where(use = «'»home).value"), /never closed/],
    ["an unknown operator", patientText("telecom.where(use «equals» 'home').value"), /`equals` is not expected here/],
    ["an end in the middle", patientText("telecom.where(use = 'home' and«»"), /missing at the end/],
    [
      "a condition that is too long",
      patientText(`«i»if(${Array.from({ length: 1500 }, () => "id = 'x'").join(" or ")}, id)`),
      /too long.*concept map/
    ],
    [
      "brackets that are nested too deep",
      patientText(`«${"(".repeat(1)}»${"(".repeat(3000)}id${")".repeat(3001)}`),
      /nested too deep.*function/
    ]
  ],
  "unknown-concept-map": [
    [
      "a concept map without a similar name",
      "visit:\n  patient:\n    phone: {path: telecom.value, conceptMap: «zzqqxx»}\n",
      /define it under {2}conceptMap: {2}or take one of: .*vital_name/
    ],
    [
      "an unknown concept map of a field",
      "visit:\n  visit_type: {path: class, conceptMap: «visit-type»}\n",
      /did you mean `visit_type`/
    ],
    [
      "an unknown concept map in an expression",
      "visit:\n  triages:\n    where: {code: \"code.mapped('«vital_nam»')\"}\n",
      /did you mean `vital_name`/
    ],
    ["concept maps that delegate to each other", "conceptMap:\n  sex: {unmapped: {table: «sex»}}\n", /circle/],
    [
      "a concept map that delegates to an unknown one",
      "conceptMap:\n  marital_status: {unmapped: {table: «sexx»}}\n",
      /did you mean `sex`/
    ]
  ],
  "unknown-key-name": [
    [
      "a key without a similar name",
      "visit:\n  patient:\n    occupation: keyOf('«zzqqxx»')\n",
      /define it under {2}key: {2}or take one of: .*patient/
    ],
    ["an unknown key", "visit:\n  code: keyOf('«vist»')\n", /did you mean `visit`/]
  ],
  "unknown-function": [
    [
      "a function without a similar name",
      "visit:\n  patient:\n    occupation: «zzqqxx»()\n",
      /FHIRPath has: .*where.*mappings also have: (?!.*isOfTypeLike).*conceptText/
    ],
    [
      "an unknown function, inside the expression",
      "visit:\n  patient:\n    name: name.«humanNam»()\n",
      /did you mean `humanName`/
    ],
    [
      "a function that depends on the current time",
      "visit:\n  created_at: \"«today»()\"\n",
      /not available in mappings/
    ],
    [
      "a function of another language",
      "visit:\n  patient:\n    sex: \"gender.«substr»(0, 1)\"\n",
      /write {2}\.substring\(start, length\)/
    ],
    [
      "a function of a terminology server",
      "visit:\n  patient:\n    sex: \"gender.«translate»('sex')\"\n",
      /write {2}\.translated\('CONCEPT_MAP'\)/
    ],
    [
      "a key that reads records of the visit",
      "key: {order: {path: \"«inVisit»('Appointment').first().id\"}}\n",
      /`inVisit\(\)` is not known in a key/
    ],
    [
      "a key that depends on whether the record is in the visit",
      "key: {order: {path: \"where(«isInVisit»()).id\"}}\n",
      /`isInVisit\(\)` is not known in a key/
    ],
    [
      "a function in a folded block",
      "visit:\n  patient:\n    name: >-\n      name.where(use = 'official')\n        .«humanNam»()\n      .first()\n",
      /humanName/
    ]
  ],
  "missing-key": [
    [
      "a default with a warning but without a value",
      "visit:\n  patient:\n    occupation: {default: «{warn: not recorded}»}\n",
      /needs its `value`.*\{value: …, assume: NAME\}/
    ],
    [
      "an acceptance without a reason",
      "accept:\n  «some-name»: {hash: \"00000000\"}\nassumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: {value: a, assume: some-name}}}\n",
      /needs `why`.*who decided it/
    ],
    [
      "an assumption without `means`",
      "assumption:\n  «some-name»: {instead: Something else.}\nvisit: {patient: {occupation: {value: a, assume: some-name}}}\n",
      /the assumption `some-name` needs `means`/
    ],
    [
      "a path with a warning but without the path",
      "visit:\n  patient:\n    phone: [telecom.value, «{warn: \"not the patient's\"}»]\n",
      /needs its `path`/
    ],
    [
      "a window without a time",
      "grouping:\n  window: {«Task»: {patient: for}}\n",
      /needs a path for `time`.*set the time/
    ],
    [
      "a field with no source at all",
      "visit:\n  physical_examinations:\n    unionAll:\n      complex:\n        value_unit: «{take: first}»\n",
      /neither `path` nor `value`/
    ],
    [
      "an order that says only which way",
      "visit:\n  triages: {orderBy: [«{descending: true}»]}\n",
      /needs a `field` or a `path`/
    ],
    [
      "an order without a field",
      "visit:\n  triages: {orderBy: [«{conceptMap: sex}»]}\n",
      /needs a `field` or a `path`/
    ],
    ["a function that is used and has no path", "function: {extValue: {path: «null»}}\n", /has no path/],
    ["a policy without a value", "conceptMap:\n  sex: {unmapped: «{}»}\n", /needs `fixed`, `table` or `policy`.*reject/]
  ],
  "unknown-assumption": [
    [
      "an assumption that is not declared",
      "visit:\n  patient:\n    occupation: [id, {path: gender, assume: «no-such-name»}]\n",
      /no assumption is called `no-such-name`.*or take one of the \d+ that {2}fhir2visit mapping show {2}prints$/
    ],
    [
      "an assumption that is not declared, in what is switched off",
      "visit:\n  diagnosis: {enabled: false, diagnosis_code: {path: id, assume: «no-such-name»}}\n",
      /no assumption is called `no-such-name`/
    ]
  ],
  "unknown-field": [
    [
      "a field of another section",
      "visit:\n  patient:\n    «theater_name»: name.text\n",
      /it is a field of `surgeries`/
    ],
    ["a misspelt section", "visit:\n  «diagnoses»: null\n", /did you mean `diagnosis`/],
    ["a misspelt field", "visit:\n  vital_signs:\n    «titel»: performer.who()\n", /did you mean `title`/],
    ["an order by an unknown field", "visit:\n  triages: {orderBy: [«recorded»]}\n", /cannot be ordered by/],
    [
      "`onePer` of an unknown field",
      "visit:\n  vital_signs:\n    observations: {onePer: [«nmae»]}\n",
      /no field `nmae` to have one row for.*did you mean `name`/
    ],
    [
      "`needs` of an unknown field",
      "visit:\n  triages: {needs: [«heigth»]}\n",
      /no field `heigth` to need.*did you mean `height`/
    ],
    [
      "a misspelt key of a component, with the list of keys",
      "visit:\n  triages: {«grupBy»: [id]}\n",
      /did you mean `groupBy`.*keys: .*forEachOrNull/
    ],
    [
      "a misspelt field of a section that is switched off",
      "visit:\n  soaps: {enabled: false, «subjektive»: null}\n",
      /did you mean `subjective`/
    ],
    [
      "a misspelt field of a branch that is switched off",
      "visit:\n  invoices: {unionAll: {claim: {enabled: false, «totl»: null}}}\n",
      /did you mean `total`/
    ],
    ["a misspelt list", patientText("iif(isRow('«vital_sign»'), 'x')"), /did you mean `vital_signs`/]
  ],
  "unknown-constant": [
    [
      "an unknown constant",
      "visit:\n  patient:\n    spid: identifierIn(«%spid_sytem»)\n",
      /did you mean `%spid_system`/
    ],
    [
      "a variable of other FHIRPath engines",
      "visit:\n  followup_at: \"«%resource».period.end\"\n",
      /there is no constant `%resource`/
    ],
    [
      "an unknown constant that is like no other",
      "visit:\n  patient: {spid: \"«%zzzz»\"}\n",
      /define it under {2}constant:.*mapping show/
    ],
    [
      "a key that reads the patient of the visit",
      "key: {visit: {path: \"«%patient».id & '-' & id\"}}\n",
      /`%patient` is not known in a key.*constants of the mapping, %facility, %system.*subject\.resolve\(\)/
    ],
    [
      "a key that reads the visit through a function",
      "function: {own: \"%visit.id\"}\nkey: {order: {path: «own»()}}\n",
      /`%visit` is not known in a key.*`own\(\)` reads it/
    ],
    [
      "a grouping that reads the visit",
      "grouping: {where: {own: \"subject.resolve().id = «%patient».id\"}}\n",
      /`%patient` is not known in the grouping/
    ],
    ["a variable that has no value here", patientText("identifierIn(«%sct»)"), /no constant `%sct`/],
    ["a misspelt variable at the start", patientText("«%patent».id"), /did you mean `%patient`/]
  ],
  "unreadable-file": [
    ["an unknown base", "extends: «no-such-base»", /cannot be read.*shipped mappings/],
    [
      "a base that is not shipped",
      "extends: «fhir-r5»",
      /did you mean `fhir-r4`.*shipped mappings: .*fhir-r4.*us-synthetic/
    ]
  ],
  "slow-pattern": [
    [
      "a pattern that repeats a repetition",
      "visit:\n  patient:\n    name: \"name.first().text.replaceMatches('«^(a+)+$»', '')\"\n",
      /too many ways.*`\(a\+\)\+` can take very long/
    ],
    [
      "a pattern with a repeated choice of repetitions",
      "visit:\n  patient:\n    address: {forEachOrNull: \"address.where(text.matches('«^([a-z]*|[0-9]+)*$»')).first()\"}\n",
      /too many ways/
    ],
    [
      "a pattern that repeats alternatives with the same beginning",
      "visit:\n  patient:\n    phone: {path: \"telecom.value.where($this.matches('«^(a|aa)+$»'))\", take: first}\n",
      /let alternatives begin differently/
    ]
  ],
  "wrong-arguments": [
    [
      "a function that replaces one with a parameter",
      "function:\n  «extValue»: \"extension('http://our-hospital.example/e').value\"\n",
      /lines of the mapping below call `extValue` with 1 parameter.*extValue: \{parameters: \[name\], path: PATH\}/
    ],
    [
      "a function that replaces one of the language with a parameter",
      "function:\n  «slot»: timing.exists()\n",
      /call `slot` with 1 parameter.*parameters: \[time_of_day\]/
    ],
    [
      "a parameter of a function that replaces one without",
      "function:\n  «howOften»: {parameters: [unit], path: \"timing.code.text & %unit\"}\n",
      /with no parameters.*howOften: PATH/
    ],
    [
      "records of a type that belongs to visits, as records of the patient",
      "visit:\n  patient:\n    occupation: ofPatient('«Observation»').id.first()\n",
      /belong to visits.*patientScope: \{Observation: subject\}/
    ],
    [
      "a code that is not a text",
      "visit:\n  triages: {where: {own: \"code.hasCode(«158967008»)\"}}\n",
      /takes a text, and this is a number.*write {2}'158967008'/
    ],
    [
      "an element of a reverse reference without quotes",
      "visit:\n  surgeries: {where: {own: \"reverseResolve(«Procedure.partOf»).empty()\"}}\n",
      /this is a path.*write {2}'Procedure\.partOf'/
    ],
    [
      "an extra argument of a function of the language",
      patientText("address.«conceptCode»('a', 'b')"),
      /takes one argument and is given two.*conceptCode\('system'\)/
    ],
    ["codes as several arguments", patientText("iif(address.type.«hasCode»('a', 'b'), 'x')"), /one text, with spaces/],
    ["a function of the language without its argument", patientText("«keyOf»()"), /given none.*keyOf\('key'\)/],
    ["a function that takes none", patientText("name.«humanName»('official')"), /takes no argument/],
    ["an unknown condition", patientText("telecom.«where»().value"), /where\(condition\)/],
    ["a substring without a start", patientText("id.«substring»()"), /one or two.*substring\(start, length\?\)/],
    ["two types at once", patientText("deceased.«ofType»(boolean, dateTime)"), /ofType\(Type\)/],
    ["a list the visit does not have", patientText("iif(«isRow»('vital_signs', 1), 'x')"), /isRow\('list'\)/],
    ["a misspelt time of day", patientText("slot('«mornin»').toString()"), /did you mean `morning`/],
    [
      "a reverse reference without an element",
      patientText("reverseResolve('«Observation»').id"),
      /does not state the element.*hasMember/
    ],
    [
      "a reverse reference by a code",
      patientText("reverseResolve('«Observation.code»').id"),
      /refers to no record.*CodeableConcept/
    ],
    ["a name without its quotes", patientText("telecom.value.translated(«vital_name»)"), /'vital_name'/],
    [
      "an invalid regular expression",
      patientText("telecom.where(value.matches('«(a»')).value"),
      /not a regular expression/
    ],
    ["a backslash that is lost", patientText("telecom.where(value.matches('«\\d+»')).value"), /written twice/]
  ],
  "unknown-branch": [
    [
      "an unknown branch that is enabled",
      "visit:\n  invoices: {unionAll: {«claims»: {enabled: true}}}\n",
      /did you mean `claim`/
    ]
  ]
}

const warnings: Mistakes = {
  "unknown-element": [
    [
      "a test of a type that the records of a section never have",
      "visit: {diagnosis: {where: {own: \"iif($this is «Observation», false, true)\"}}}\n",
      /never true: `Condition` is never of type `Observation`.*unionAll: \{NAME: \{resource: Observation/
    ],
    [
      "a test of a type with a function",
      "visit: {diagnosis: {where: {own: \"is(«FHIR.Observation»).not()\"}}}\n",
      /never true/
    ],
    [
      "a test of a type that no caller of a function has",
      "function: {isLab: \"$this is «Observation»\"}\nvisit: {diagnosis: {where: {own: \"isLab().not()\"}}}\n",
      /never true: `Condition` is never of type `Observation`/
    ],
    [
      "a test of the type of a reference in a function that another function calls",
      "function:\n  isTeam: \"managingOrganization is «Organization»\"\n  job: \"iif(isTeam(), 'x', {})\"\n"
      + "visit: {patient: {occupation: job()}}\n",
      /`Reference` is never of type `Organization`.*\.resolve\(\) is Organization/
    ],
    [
      "a test of the type of a reference",
      "visit: {patient: {occupation: \"iif(managingOrganization is «Organization», 'x', {})\"}}\n",
      /`Reference` is never of type `Organization`.*\.resolve\(\) is Organization/
    ],
    [
      "a test of a type that an element never has",
      "visit: {triages: {where: {own: \"iif(value is «Coding», false, true)\"}}}\n",
      /test a type that it can have: .*Quantity/
    ]
  ],
  "invalid-value": [
    [
      "an order by the values of a concept map that the field never has",
      "visit: {vital_signs: {observations: {orderBy: [{field: name, conceptMap: «vital_unit»}]}}}\n",
      /orders by values that `name` never has.*gives mm\[Hg\].*which gives: Systolic/
    ],
    [
      "an order by the values of a concept map that no fixed value has",
      "visit: {medical_histories: {orderBy: [{field: name, conceptMap: «vital_name»}]}}\n",
      /orders by values that `name` never has.*which gives: Immunization History/
    ],
    [
      "a path after one that always finds a value",
      "visit:\n  patient:\n    occupation: [«\"'none'\"», name.text.first()]\n",
      /a path of `occupation` is never used.*always finds/
    ],
    [
      "paths of the mapping below after a choice of texts",
      "visit:\n  patient:\n    phone: {before: [«\"iif(active, 'a', 'b')\"»]}\n",
      /a path of `phone` is never used/
    ],
    [
      "a path after a constant",
      "constant: {country: Utopia}\nvisit:\n  patient:\n    nationality: [«\"%country\"», address.country.first()]\n",
      /a path of `nationality` is never used/
    ],
    [
      "a default after a path that always finds a value",
      "visit:\n  patient:\n    occupation: {path: [id, «\"'none'\"»], default: unknown}\n",
      /the default of `occupation` is never used/
    ],
    [
      "one path twice",
      "visit:\n  patient:\n    occupation: [name.text.first(), «name.text.first()»]\n",
      /the same as one before it/
    ],
    [
      "a value in the quotes of a path",
      "visit:\n  patient:\n    occupation: {path: id, default: «\"'Unknown'\"»}\n",
      /quotes are part of this value.*write {2}Unknown/
    ],
    [
      "a value of a concept map in the quotes of a path",
      "conceptMap: {marital_status: {table: {X: «\"'Married'\"»}}}\n",
      /write {2}Married/
    ],
    [
      "a constant in the quotes of a path",
      "constant:\n  spid_system: «\"'http://our-hospital.example/spid'\"»\n",
      /write {2}http/
    ],
    [
      "a path in the quotes of a text",
      "visit:\n  patient:\n    occupation: «\"'name.text'\"»\n",
      /is it a path\?.*without the single quotes/
    ],
    [
      "another sign between a code system and its code",
      "conceptMap: {marital_status: {table: {«\"http://our-hospital.example/ms^M\"»: Married}}}\n",
      /write {2}http:\/\/our-hospital\.example\/ms\|M/
    ],
    [
      "another sign between a code system and its code in hasCode()",
      "visit: {triages: {where: {own: \"code.hasCode('«http://loinc.org#8302-2»')\"}}}\n",
      /write {2}http:\/\/loinc\.org\|8302-2/
    ],
    [
      "a path whose results the field's concept map never has",
      "visit:\n  patient:\n    marital_status: {path: «gender», conceptMap: marital_status}\n",
      /`marital_status` does not contain what this path finds.*finds male, female/
    ],
    [
      "a condition with two values of one element",
      "visit:\n  surgeries:\n    where: {done: «status = 'completed' and status = 'stopped'»}\n",
      /never true: `status` has one value/
    ],
    [
      "a condition that contradicts one of the mapping below",
      "visit:\n  surgeries:\n    where: {more: «status = 'not-done'»}\n",
      /never true.*a = 'x' or a = 'y'.*needs another value/
    ],
    [
      "a condition of a branch that contradicts one of its section",
      "visit:\n  surgeries:\n    unionAll:\n      more: {resource: Procedure, where: {more: «status = 'not-done'»}}\n",
      /never true/
    ],
    [
      "a row for all other codes",
      "conceptMap: {marital_status: {table: {M: Married, «default»: Single}}}\n",
      /`default` is a code like any other.*unmapped: \{fixed: VALUE\}/
    ],
    [
      "a text of an expression that the field's concept map does not contain",
      "visit:\n  patient:\n    sex: \"iif(gender = 'male', 'male', «'Frau'»)\"\n",
      /`sex` has no row for `Frau`.*translated by this concept map/
    ],
    [
      "such a text that is a value of the concept map",
      "visit:\n  patient:\n    sex: \"iif(gender = 'male', 'male', «'F'»)\"\n",
      /did you mean `female`/
    ],
    [
      "a system of ICD-10 without its hyphen",
      "constant: {icd10: «\"http://hl7.org/fhir/sid/icd10\"»}\n",
      /did you mean `http:\/\/hl7\.org\/fhir\/sid\/icd-10`/
    ],
    [
      "a system of LOINC with another domain",
      "visit: {triages: {where: {own: \"code.hasCode('«http://loinc.com»|8302-2')\"}}}\n",
      /no code system has the URL.*did you mean `http:\/\/loinc\.org`/
    ],
    [
      "a code system of HL7 Terminology without the end of its name",
      "conceptMap: {marital_status: {system: «http://terminology.hl7.org/CodeSystem/v3-MaritalStat»}}\n",
      /no code system has the URL.*did you mean `http:\/\/terminology\.hl7\.org\/CodeSystem\/v3-MaritalStatus`/
    ],
    [
      "a code system of HL7 Terminology with two letters swapped",
      "conceptMap: {marital_status: {table: {«\"http://terminology.hl7.org/CodeSystem/v3-MartialStatus|M\"»: Married}}}\n",
      /did you mean `http:\/\/terminology\.hl7\.org\/CodeSystem\/v3-MaritalStatus`/
    ],
    [
      "a value for all branches, each of which has its own path",
      "visit: {invoices: {total: {value: «12.5»}}}\n",
      /the value of `total` is never sent: every branch has its own.*unionAll: \{invoice: \{… total: …\}\}/
    ],
    [
      "the OID of a system in a path",
      "visit: {triages: {where: {own: \"code.coding.where(system = '«urn:oid:2.16.840.1.113883.6.1»').exists()\"}}}\n",
      /read with the URL of the code system.*write {2}http:\/\/loinc\.org/
    ],
    [
      "the OID of a system before a code",
      "visit: {triages: {where: {own: \"code.hasCode('x «2.16.840.1.113883.6.1»|8302-2')\"}}}\n",
      /read with the URL of the code system.*write {2}http:\/\/loinc\.org/
    ],
    [
      "the OID of a system in a list of codes",
      "constant: {codes: «\"a urn:oid:2.16.840.1.113883.6.1|8302-2\"»}\n",
      /read with the URL of the code system `urn:oid:2\.16\.840\.1\.113883\.6\.1`.*write {2}http:\/\/loinc\.org/
    ],
    [
      "the OID of a system of a concept map",
      "conceptMap: {vital_name: {system: «2.16.840.1.113883.6.1»}}\n",
      /read with the URL of the code system.*write {2}http:\/\/loinc\.org/
    ],
    [
      "the OID of a system in a row of a concept map",
      "conceptMap: {vital_name: {table: {«\"urn:oid:2.16.840.1.113883.6.1|8480-6\"»: Systolic Blood Pressure}}}\n",
      /read with the URL of the code system.*write {2}http:\/\/loinc\.org/
    ],
    [
      "a value that ends before a YAML character",
      "visit:\n  health_facility_code:\n    value: «Ward» #3\n",
      /the text ends before `#3`.*double quotes.*a space after {2}#/
    ],
    [
      "words after the URL of a system",
      "constant:\n  service_system: «http://our-hospital.example/s // services»\n",
      /a URL has no spaces/
    ],
    [
      "a host of a system that is misspelt",
      "visit: {triages: {where: {own: \"code.coding.where(system = '«http://unitofmeasure.org»').exists()\"}}}\n",
      /did you mean `http:\/\/unitsofmeasure.org`/
    ],
    [
      "a path that all branches override",
      "visit:\n  prescriptions:\n    medications:\n      days: {path: «\"7\"»}\n",
      /the path of `days` is never evaluated.*branches: `dispense`, `prescription`.*unionAll: \{dispense: \{/
    ],
    [
      "a misspelt system in a row of a concept map",
      "conceptMap: {vital_name: {table: {«\"http://loinc.com|8480-6\"»: Systolic Blood Pressure}}}\n",
      /no code system has the URL `http:\/\/loinc\.com`/
    ],
    [
      "a path where a value is sent",
      "visit:\n  patient:\n    occupation: {value: «name.first().text»}\n",
      /sent unchanged.*is it a path/
    ],
    [
      "a policy among the codes of its table",
      "conceptMap:\n  sex:\n    table:\n      X: M\n      «unmapped»: {fixed: M}\n",
      /is listed among the codes of `sex`.*not under `table:`/
    ],
    [
      "a list among the codes of a table",
      "conceptMap:\n  marital_status:\n    table:\n      «list»: marital_statuses\n",
      /is listed among the codes/
    ],
    [
      "a system among the codes of a table",
      "conceptMap:\n  marital_status:\n    table: {«system»: \"http://hospital.example/ms\"}\n",
      /is listed among the codes/
    ],
    [
      "a misspelt system of a concept map",
      "conceptMap: {vital_name: {system: «\"http://loinc.com\"»}}\n",
      /no code system has the URL `http:\/\/loinc\.com`/
    ],
    [
      "a file among the codes of a table",
      "conceptMap:\n  marital_status:\n    table: {«file»: tables/a.csv}\n",
      /is listed among the codes/
    ],
    [
      "a path together with a fixed value",
      "visit:\n  patient: {occupation: {value: Farmer, «path»: id}}\n",
      /never evaluated.*`default`/
    ],
    [
      "a code with trailing white space",
      "conceptMap:\n  sex: {table: {«\"man \"»: M}}\n",
      /1 code .*white space.*write {2}"man"/
    ],
    [
      "a code with an invisible character",
      "conceptMap:\n  sex: {table: {«\"m\\u200Ban\"»: M}}\n",
      /invisible.*write {2}"man"/
    ]
  ],
  "unknown-list-value": [
    [
      "a visit type that the specification does not show",
      "visit: {visit_type: {value: «INP»}}\n",
      /does not show.*OPD, IPD/
    ],
    [
      "a row for a type of visit that the specification does not show",
      "conceptMap: {visit_type: {table: {AMB: «Outpatient»}}}\n",
      /gives `Outpatient`, which the specification does not show.*OPD, IPD/
    ],
    [
      "a vital sign of another name than the specification uses",
      "conceptMap: {vital_name: {table: {\"8867-4\": «Hart Rate»}}}\n",
      /`vital_name` gives `Hart Rate`.*did you mean `Heart Rate`/
    ],
    [
      "a fixed name of a vital sign that the specification does not use",
      "visit: {vital_signs: {observations: {name: {value: «Pulse»}}}}\n",
      /`Pulse`, which is not a name of a vital sign.*one of: Systolic/
    ],
    [
      "a text of a path that is no name of a vital sign",
      "visit: {vital_signs: {observations: {name: {path: \"iif(code.exists(), «'Hart Rate'», {})\", conceptMap: null}}}}\n",
      /`Hart Rate`, which is not a name of a vital sign.*did you mean `Heart Rate`/
    ],
    [
      "a misspelt name of a medical history",
      "visit: {medical_histories: {unionAll: {allergies: {name: {value: «Alergies»}}}}}\n",
      /not a name of a medical history.*did you mean `Allergies`/
    ],
    [
      "a misspelt name that only the settings list",
      "visit: {medical_histories: {unionAll: {social: {name: {value: «Socal History»}}}}}\n",
      /did you mean `Social History`/
    ],
    [
      "a misspelt default of the name of a medical history",
      "visit: {medical_histories: {unionAll: {family: {name: {path: \"{}\", default: «Familly History»}}}}}\n",
      /did you mean `Family History`/
    ],
    [
      "a misspelt name of an examination in a concept map",
      "conceptMap: {parts: {table: {S: «Skinn»}}}\nvisit: {physical_examinations: {name: {conceptMap: parts}}}\n",
      /gives `Skinn`, which is not a name of a physical examination.*did you mean `Skin`/
    ]
  ],
  "unused-name": [
    [
      "an assumption that no line uses",
      "assumption:\n  «no-such-name»: {means: Something is done., instead: Something else.}\n",
      /no line uses the assumption `no-such-name`/
    ],
    [
      "an acceptance of an unknown assumption",
      "accept:\n  «no-such-name»: agreed\n",
      /`accept` names no assumption of the mapping: `no-such-name`/
    ],
    [
      "a constant that no line uses",
      "constant: {«ward_system»: \"http://example.org/wards\"}\n",
      /no line uses the constant/
    ],
    ["a function that no line uses", "function: {«ward»: location.location.display}\n", /no line uses the function/],
    ["a concept map that no line uses", "conceptMap:\n  «wards»: {table: {A: B}}\n", /no line uses the concept map/],
    ["a key that no line uses", "key:\n  «ward»: {path: id}\n", /no line uses the key/],
    [
      "a concept map under another name than the base mapping's",
      "conceptMap:\n  «vital_names»: {table: {PULS: Heart Rate}}\n",
      /did you mean `vital_name`/
    ],
    [
      "a parameter that the path of its function does not use",
      "function:\n  f: {parameters: [code, «sytem»], path: \"%code & 'x'\"}\nvisit:\n  patient: {occupation: \"f('x', 'y')\"}\n",
      /`f` does not use the parameter `sytem`.*use it as {2}%sytem/
    ],
    [
      "a row of a unit for a sign that no code gives",
      "conceptMap: {vital_unit: {table: {«Temprature»: \"[degF]\"}}}\n",
      /`vital_unit` has a unit for `Temprature`, which `vital_name` never gives.*did you mean `Temperature`/
    ]
  ],
  "assumption": [
    [
      "an acceptance of lines that have changed since",
      "accept:\n  «some-name»: {why: agreed, hash: \"00000000\"}\nassumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: {value: a, assume: some-name}}}\n",
      /the mapping has changed since `some-name` was accepted.*hash: [0-9a-f]{8}/
    ]
  ],
  "wrong-type": [
    [
      "a text for a number",
      "visit: {prescriptions: {medications: {morning: {path: «dosageInstruction.text», take: first}}}}\n",
      /`morning` is a number, and this path finds a text.*\.toDecimal\(\)/
    ],
    [
      "a condition for a value of a list",
      "visit: {admission_type: {path: «class.code = 'EMER'»}}\n",
      /`admission_type` does not take true or false.*iif\(CONDITION.*rows {2}true {2}and {2}false {2}to `admission_type`/
    ],
    [
      "a condition for a code",
      "visit: {diagnosis: {diagnosis_code: «code.exists()»}}\n",
      /iif\(CONDITION, 'VALUE', \{\}\)$/
    ],
    [
      "a base64 text that would be sent undecoded",
      "visit:\n  soaps:\n    plan: «reverseResolve('DocumentReference.context.related').content.attachment.data.first()»\n",
      /is encoded in base64.*\.base64Text\(\)/
    ]
  ],
  "invalid-path": [
    [
      "a constant in quotes",
      "visit: {patient: {spid: \"identifierIn(«'%spid_system'»)\"}}\n",
      /is a text because of its quotes.*write {2}%spid_system/
    ],
    [
      "a comment of FHIRPath at the end of a path",
      "visit: {diagnosis: {where: {verified: verificationStatus.exists() «//» and code.exists()}}}\n",
      /begins a comment of FHIRPath/
    ]
  ],
  "required-field": [
    [
      "a removed key that the visit needs",
      "key: {«visit»: null}\n",
      /every visit is rejected, because its visit code is missing/
    ],
    ["a mandatory field that never has a value", "visit:\n  admitted_at: «null»\n", /mandatory and never has a value/],
    [
      "a mandatory code of a row that never has a value",
      "visit:\n  surgeries: {code: «null»}\n",
      /mandatory and never has a value/
    ],
    ["a key without a path", "key: {«patient»: null}\n", /never has a value/],
    ["a mandatory field of no paths", "visit:\n  admitted_at: «[]»\n", /mandatory and never has a value/],
    [
      "a mandatory field of the empty collection",
      "visit:\n  admitted_at: «\"{}\"»\n",
      /mandatory and never has a value/
    ],
    [
      "a mandatory field of a fixed blank",
      "visit:\n  admitted_at: «{value: \"\"}»\n",
      /mandatory and never has a value/
    ]
  ],
  "unknown-code": [
    [
      "a kind of encounter that the function never gives",
      "visit:\n  outpatients:\n    where: {other: \"encounterKind() != «'emergancy'»\"}\n",
      /result that is never `emergancy`.*did you mean `emergency`\?.*results: outpatient, inpatient, emergency/
    ],
    [
      "such a kind in the body of a function",
      "function:\n  isEmergency: \"encounterKind() in ('inpatient' | «'emergancy'»)\"\nvisit:\n  patient: {occupation: \"%visit.where(isEmergency()).id\"}\n",
      /did you mean `emergency`/
    ],
    [
      "a value that a concept map does not have",
      "conceptMap: {own: {values: [Single, Married]}}\nvisit:\n  patient:\n    occupation: \"iif(maritalStatus.translated('own') = «'maried'», 'x', {})\"\n",
      /did you mean `Married`\?.*results: Single, Married/
    ],
    [
      "a text that no branch of a choice has",
      "visit:\n  patient:\n    occupation: \"iif(iif(active, 'yes', 'no') = «'true'», 'x', {})\"\n",
      /results: yes, no/
    ],
    [
      "a status that FHIR does not have",
      "visit:\n  triages:\n    where: {done: \"status = «'finnal'»\"}\n",
      /no code `finnal`.*did you mean `final`\?.*codes: registered, preliminary, final/
    ],
    [
      "a use among several that FHIR does not have",
      "visit:\n  patient:\n    surname: \"name.where(use in ('official' | «'usul'»)).first().family\"\n",
      /did you mean `usual`\?/
    ],
    [
      "a code of hasCode() that the status of a condition never has",
      "visit:\n  diagnosis:\n    where: {now: \"clinicalStatus.hasCode('active «relaps»')\"}\n",
      /no code `relaps`.*did you mean `relapse`/
    ],
    [
      "such a code among the codings",
      "visit:\n  diagnosis:\n    where: {now: \"clinicalStatus.coding.exists(code = «'activ'»)\"}\n",
      /did you mean `active`/
    ],
    [
      "a status that FHIR does not have, in the body of a function",
      "function:\n  isDone: \"status = «'finnal'»\"\nvisit:\n  triages:\n    where: {done: isDone()}\n",
      /no code `finnal`.*did you mean `final`/
    ],
    [
      "a status of a nested element, on the left side",
      "visit:\n  inpatients:\n    where: {there: \"location.where(«'finished'» != status).exists()\"}\n",
      /codes: planned, active, reserved, completed/
    ]
  ],
  "several-compared": [
    [
      "a comparison of an element that repeats",
      "visit:\n  triages:\n    where: {code: \"«code.coding.code» = '8302-2'\"}\n",
      /may be several.*code\.coding\.code\.exists\(\$this = /
    ],
    [
      "a comparison of an element of an element that repeats",
      "visit:\n  surgeries:\n    where: {surgical: \"«performer.function.text» = 'surgeon'\"}\n",
      /may be several/
    ],
    [
      "an unequal that several values make true",
      "visit:\n  soaps:\n    where: {status: \"«section.title» != 'Plan'\"}\n",
      /does not compare each of them/
    ],
    [
      "an order of several values",
      "visit:\n  prescriptions:\n    unionAll: {dispense: {where: {few: \"«dosageInstruction.sequence» < 3\"}}}\n",
      /`<` compares one value/
    ],
    [
      "several values on the right side",
      "visit:\n  outpatients:\n    where: {first: \"id = «%encounters.id»\"}\n",
      /may be several/
    ],
    [
      "several records of a reverse reference",
      "visit:\n  surgeries:\n    where: {note: \"«reverseResolve('Observation.partOf').status» = 'final'\"}\n",
      /may be several/
    ],
    [
      "several values inside a condition of a path",
      "visit:\n  patient:\n    phone: {path: \"contact.where(«telecom.system» = 'phone').telecom.value\", take: first}\n",
      /may be several/
    ]
  ],
  "too-many-values": [
    [
      "a field of one value with a path to several",
      "visit:\n  patient:\n    surname: «name.family»\n",
      /takes one value.*take: first/
    ],
    [
      "one of several paths that can find several",
      "visit:\n  soaps:\n    recorded_by: [author.first().who(), «author.who()»]\n",
      /take: first/
    ],
    [
      "a field of a row of several records",
      "visit:\n  triages:\n    recorded_at: «effective.ofType(dateTime)»\n",
      /`recorded_at` takes one value/
    ]
  ],
  "unknown-branch": [
    [
      "a misspelt branch",
      "visit:\n  invoices:\n    unionAll: {«invoce»: {enabled: false}}\n",
      /did you mean `invoice`/
    ],
    [
      "an unknown function that is removed",
      "function: {«encounterKnd»: null}\n",
      /no function `encounterKnd`.*did you mean `encounterKind`/
    ],
    [
      "an unknown row of a concept map that is removed",
      "conceptMap: {sex: {table: {«femal»: null}}}\n",
      /no row `femal`.*did you mean `female`/
    ],
    ["an unknown constant that is removed", "constant: {«other»: null}\n", /no constant `other`.*it has: .*icd10/],
    ["a misspelt condition", "visit:\n  surgeries:\n    where: {«surgicl»: \"true\"}\n", /did you mean `surgical`/],
    ["an unknown condition that is removed", "visit:\n  surgeries:\n    where: {«kind»: null}\n", /no condition `kind`/]
  ],
  "absent-compared": [
    [
      "a condition that drops records without an element",
      "visit:\n  surgeries: {where: {own: \"status = 'completed' and («category.text» != 'other')\"}}\n",
      /rows without `category.text` are excluded too.*category\.text\.exists\(\$this = 'other'\)\.not\(\).*category\.text\.exists\(\) and/
    ],
    [
      "a condition for what is false",
      "grouping:\n  where: {own: \"«hospitalization.reAdmission.text» != 'x'\"}\n",
      /rows without/
    ],
    [
      "a condition that compares with false",
      "visit:\n  referrals: {where: {own: «doNotPerform» = false}}\n",
      /doNotPerform\.exists\(\$this = true\)\.not\(\)/
    ]
  ],
  "wrong-arguments": [
    ["no code", "visit: {triages: {where: {own: \"code.hasCode('')\"}}}\n", /never found/],
    [
      "codes with the sign of a code system between them",
      "visit: {triages: {where: {own: \"code.hasCode('«8302-2|29463-7»')\"}}}\n",
      /hasCode\('8302-2 29463-7'\)/
    ],
    [
      "the name of a constant in place of a code system",
      "visit: {patient: {spid: \"identifierIn('«spid_system»')\"}}\n",
      /write {2}%spid_system/
    ],
    [
      "codes with a comma between them",
      "visit:\n  triages: {where: {own: \"code.hasCode('«a, b»')\"}}\n",
      /no commas.*hasCode\('a b'\)/
    ]
  ]
}

describe("The check of a mapping, before any record is read,", () => {
  itReports("fhir-r4", "error", mistakes)
  itReports("fhir-r4", "warning", warnings)

  for (
    const path of [
      "id",
      "name.first().id",
      "extension.url.first()",
      "iif(active, 'a', '')",
      "name.take(1).family",
      "%`visit`.id",
      "%`patient`.name.first().family",
      "generalPractitioner.first().resolve().name.first().humanName()",
      "generalPractitioner.first().resolve().ofType(Organization).name",
      "generalPractitioner.first().resolve().ofType(Practitioner).name.first().text",
      "iif(telecom.where(system = 'phone' and use in ('home' | 'mobile')).exists(), 'a', 'b')",
      "iif(active = true and deceased.exists().not(), 'a')",
      "name.first().text.replaceMatches('\\\\s+', ' ')",
      "coalesce(name.first().text, name.first().family, id)",
      "deceased.ofType(boolean).toString()",
      "telecom.where(system = 'phone').first().value",
      "%visit.extension('http://example.org/e').value.ofType(Reference).resolve().id"
    ]
  ) {
    it.effect(`accepts ${path}`, () =>
      Effect.gen(function*() {
        const { problems } = yield* check(`${head}visit:\n  patient:\n    occupation: ${JSON.stringify(path)}\n`)
        assert.deepStrictEqual(problems, [])
      }))
  }

  for (
    const [what, overlay] of Object.entries({
      "a code system of HL7 Terminology that differs from another in several letters, or in a number of a table of V2":
        "conceptMap: {marital_status: {system: [\"http://terminology.hl7.org/CodeSystem/v3-ActMood\", \"http://terminology.hl7.org/CodeSystem/v2-0132\"]}}\n",
      "names of medical histories that are like no name of the specification":
        "visit: {medical_histories: {unionAll: {family: {name: {value: Birth History}}, past-medical: {name: {value: Past Dental History}}}}}\n",
      "parameters of a function that replaces one of the mapping below":
        "function: {extValue: {parameters: [name], path: \"extension('http://hospital.example/e').value\"}}\n",
      "parameters of a function that replaces one of the language":
        "function: {slot: {parameters: [time_of_day], path: doseAndRate.dose.first().ofType(Quantity).value, over: collection}}\n",
      "a test of a type that one of several branches has":
        "visit: {medical_histories: {where: {own: \"iif($this is Condition, isNotRefuted(), true)\"}}}\n",
      "a test of a type in a function that lines call on records of other types":
        "function: {isOne: $this is Observation}\nvisit: {diagnosis: {where: {own: isOne().not()}}, vital_signs: {where: {own: isOne()}}}\n",
      "a test of a type in a function that is called with elements of unknown types":
        "function: {isOne: {parameters: [a], path: \"%a is Observation\"}}\nvisit: {diagnosis: {where: {own: \"isOne(%visit.children()).not()\"}}}\n",
      "an order by the values of a concept map, some of which the field has":
        "conceptMap: {order: {table: {a: Heart Rate, b: Temperature}}}\nvisit: {vital_signs: {observations: {orderBy: [{field: name, conceptMap: order}]}}}\n",
      "an order by the values of a concept map, if unmapped codes are sent":
        "conceptMap: {order: {table: {a: A, b: B}}, vital_name: {unmapped: provided}}\nvisit: {vital_signs: {observations: {orderBy: [{field: name, conceptMap: order}]}}}\n",
      "a unit of a sign that only a row of the facility gives":
        "conceptMap: {vital_name: {table: {BT: Temperature}}, vital_unit: {table: {Temperature: \"[degF]\"}}}\n"
    })
  ) {
    it.effect(`reports nothing about ${what}`, () =>
      Effect.gen(function*() {
        const { problems } = yield* check(`${head}${overlay}`)
        assert.deepStrictEqual(problems.map(({ title }) => title), [])
      }))
  }

  it.effect("reports an element once that the records of several branches do not have, with its path from the visit", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(
        `${head}visit:\n  patient: {occupation: serviceType.text}\n  laboratories: {requested_by: Patient.name.text}\n`
      )
      assert.deepStrictEqual(problems.map(({ code, help, mapping }) => [code, mapping?.line, help?.[1]]), [
        ["unknown-element", 4, "the visit's:  %visit.serviceType"],
        ["unknown-element", 5, "the visit's Patient:  %patient"]
      ])
    }))

  it.effect("names the functions that no line calls, whose paths use a name", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(
        `${head}constant: {wards: "http://hospital.example/wards"}\nfunction:\n  isWard: identifierIn(%wards).exists()\n  inWard: location.location.resolve().isWard()\n`
      )
      assert.deepStrictEqual(problems.map(({ help, title }) => [title, help?.[0]]), [
        ["no line uses the constant `wards`", "only functions that no line calls use it: `isWard`"],
        ["no line uses the function `isWard`", "only functions that no line calls use it: `inWard`"],
        ["no line uses the function `inWard`", "remove it"]
      ])
    }))

  for (
    const condition of [
      "status != 'not-done'",
      "status = 'completed'",
      "status = 'completed' or code.text = 'other'",
      "category.exists() and category.text != 'other'",
      "category.text.empty() or category.text != 'other'",
      "category.text.exists($this = 'other').not()",
      "performer.actor.exists() and status = 'completed'",
      "id != %visit.id"
    ]
  ) {
    it.effect(`accepts the condition ${condition}`, () =>
      Effect.gen(function*() {
        const { problems } = yield* check(
          `${head}visit:\n  surgeries:\n    where: {own: ${JSON.stringify(condition)}}\n`
        )
        assert.deepStrictEqual(problems.map(({ title }) => title), [])
      }))
  }

  it.effect("accepts a function body with an element that only some of its inputs have", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(
        `${head}function:\n  said: "(text | display).first()"\n  kind: "iif($this is Quantity, value.toString(), iif($this is Coding, display, toString()))"\n`
          + "visit:\n  patient:\n    occupation: maritalStatus.said()\n    nationality: maritalStatus.coding.first().said()\n    phone: maritalStatus.coding.first().kind()\n"
      )
      assert.deepStrictEqual(problems, [])
    }))

  it.effect("lists only elements as suggestions", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(`${head}visit:\n  patient:\n    occupation: "extension('a').valu3s"\n`)
      const help = present(only(problems).help).join(" ")
      assert.match(help, /elements: .*\bvalue\b/)
      assert.notMatch(help, /valueString/)
    }))

  it.effect("reports anchors and aliases, which hide the location of a value", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(`${head}constant: {a: &x b, c: *x, d: *x}\n`)
      assert.deepStrictEqual(problems.map((problem) => problem.title), [
        "anchors and aliases are not used here"
      ])
    }))

  for (
    const [what, text, code, says, line] of [
      [
        "a mapping that has forgotten what it extends",
        "mapping: example\nvisit:\n  admitted_at: period.start\n",
        "missing-field",
        /extends: fhir-r4/,
        1
      ],
      [
        "a mapping that misspells what it extends",
        "mapping: example\nextend: fhir-r4\n",
        "unknown-key",
        /did you mean `extends`/,
        2
      ]
    ] as const
  ) {
    it.effect(`reports one mistake in ${what}`, () =>
      Effect.gen(function*() {
        const { problems } = yield* check(text)
        assert.deepStrictEqual(problems.map((problem) => problem.code), [code])
        const { help = [], label, mapping } = only(problems)
        assert.match([label, ...help].join(" "), says)
        assert.strictEqual(mapping?.line, line)
      }))
  }

  it.effect("reports all missing lines of a component in one message", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(`${head}visit:\n  surgeries: {unionAll: {own: {resource: Task}}}\n`)
      assert.deepStrictEqual(problems.filter((problem) => problem.code === "missing-field"), [])
      const whole = yield* check(`${head}visit:\n  invoices: {unionAll: {own: {resource: Task}}}\n`)
      assert.strictEqual(whole.problems.filter((problem) => problem.code === "missing-field").length, 1)
    }))

  it.effect("reports a mapping that extends itself", () =>
    Effect.gen(function*() {
      const { problems } = yield* check("mapping: example\nextends: ./mapping.yaml\n")
      assert.deepStrictEqual(problems.map((problem) => problem.code), ["circular-extends"])
    }))

  it.effect("reports all mistakes of a file at once", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(
        `${head}constnat: {a: b}\nvisit:\n  admited_at: period.start\n  code: keyOff('visit')\n  patient: {spid: identifierIn(%nothing)}\n`
      )
      assert.deepStrictEqual(problems.map((problem) => problem.code).toSorted(), [
        "unknown-constant",
        "unknown-field",
        "unknown-function",
        "unknown-key"
      ])
    }))

  it.effect("reports mistakes in the order of their lines", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(
        `${head}visit:\n  patient: {spid: identifierIn(%nothing)}\n  admited_at: period.start\n  code: keyOff('visit')\ngrouping: {partOff: x}\nconstnat: {a: b}\n`
      )
      assert.deepStrictEqual(problems.map(({ mapping }) => mapping?.line), [4, 5, 6, 7, 8])
    }))

  it.effect("reports a mistake that several branches inherit once", () =>
    Effect.gen(function*() {
      const { problems } = yield* check(`${head}visit:\n  medical_histories: {visit_code: keyOff('visit')}\n`)
      assert.strictEqual(problems.length, 1)
    }))

  it.effect("accepts a mapping without one of the sections of another, whose functions it does not call", () =>
    Effect.gen(function*() {
      const lists = visitFields.filter(({ kind }) => kind === "list").map(({ name }) => name)
      assert.include(lists, "medical_histories")
      for (const list of lists) {
        assert.deepStrictEqual((yield* check(`${head}visit:\n  ${list}: {enabled: false}\n`)).problems, [], list)
      }
    }))

  it.effect("accepts the shipped mappings", () =>
    Effect.gen(function*() {
      for (const name of ["fhir-r4", "us-synthetic", "csv", "csv-synthea"]) {
        const { problems, checked } = yield* loadMapping(`mappings/${name}/mapping.yaml`, "mappings")
        assert.deepStrictEqual(problems, [])
        assert.strictEqual(checked?.plan.name, name)
      }
    }).pipe(Effect.provide(NodeServices.layer)))
})

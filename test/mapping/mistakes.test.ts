import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { loadMapping } from "../../src/mapping/language/loadMapping.ts"

interface Mistake {
  readonly what: string
  readonly code: string
  /** The overlay; `«…»` marks where the caret must stand. */
  readonly overlay: string
  readonly says: RegExp
  /** Most likely a mistake; the mapping can be used all the same. */
  readonly warning?: true
}

const head = "mapping: example\nextends: fhir-r4\n"

const mistakes: Array<Mistake> = [
  {
    what: "a condition without a name over the named ones of the base",
    code: "invalid-value",
    overlay: "visit:\n  diagnosis: {where: «\"clinicalStatus.hasCode('active')\"»}\n",
    says: /without a name does not go together with named ones.*where: \{NAME: PATH\}.*named: verified, meant/
  },
  {
    what: "a list of conditions over the named ones of a branch",
    code: "invalid-value",
    overlay: "visit:\n  referrals: {where: «[status = 'active']»}\n",
    says: /without a name does not go together with named ones/
  },
  {
    what: "a condition without a name over the named ones of the branches",
    code: "invalid-value",
    overlay: "visit:\n  consultations: {where: «id.exists()»}\n",
    says: /without a name does not go together with named ones/
  },
  {
    what: "a condition without a name on top of a section that is the same as another",
    code: "invalid-value",
    overlay:
      "visit:\n  outpatients: {where: {a: id.exists()}}\n  inpatients: {sameAs: outpatients, where: «id.exists()»}\n",
    says: /without a name does not go together with named ones/
  },
  {
    what: "a window of all types that is not a map",
    code: "invalid-value",
    overlay: "grouping: {window: {\"*\": «true»}}\n",
    says: /a window is a map/
  },
  {
    what: "a status of a type without one",
    code: "unknown-key",
    overlay: "grouping: {status: {«Encountr»: {CLOSED: finished}}}\n",
    says: /`Encounter`/
  },
  {
    what: "a status word that is mapped to no code of R4",
    code: "invalid-value",
    overlay: "grouping: {status: {Encounter: {CLOSED: «done»}}}\n",
    says: /finished/
  },
  {
    what: "a status word that R4 has itself",
    code: "invalid-value",
    overlay: "grouping: {status: {Encounter: {«planned»: finished}}}\n",
    says: /`planned` is a code of FHIR R4/
  },
  {
    what: "a height in kilograms",
    code: "invalid-value",
    overlay: "visit: {triages: {height: {unit: {to: «kg»}}}}\n",
    says: /`kg` is no unit of `height`.*converted to {2}cm/
  },
  {
    what: "a vital sign in a unit that measures something else",
    code: "invalid-value",
    overlay: "conceptMap: {vital_unit: {table: {Temperature: «mmol/L»}}}\n",
    says: /`mmol\/L` is no unit of `Temperature`.*converted to {2}Cel/
  },
  {
    what: "a concept map on a time",
    code: "invalid-value",
    overlay: "visit: {admitted_at: {conceptMap: «sex»}}\n",
    says: /gives `M`, which `admitted_at` cannot be.*a date and time/
  },
  {
    what: "a system of ICD-10 without its hyphen",
    code: "invalid-value",
    overlay: "constant: {icd10: «\"http://hl7.org/fhir/sid/icd10\"»}\n",
    says: /did you mean `http:\/\/hl7\.org\/fhir\/sid\/icd-10`/,
    warning: true
  },
  {
    what: "a system of LOINC with another domain",
    code: "invalid-value",
    overlay: "visit: {triages: {where: {own: \"code.hasCode('«http://loinc.com»|8302-2')\"}}}\n",
    says: /no code system has the URL.*did you mean `http:\/\/loinc\.org`/,
    warning: true
  },
  {
    what: "groups by nothing",
    code: "invalid-value",
    overlay: "visit: {triages: {groupBy: «[]»}}\n",
    says: /groupBy: null/
  },
  {
    what: "a visit type that the specification does not show",
    code: "unknown-list-value",
    overlay: "visit: {visit_type: {value: «INP»}}\n",
    says: /does not show.*OPD, IPD/,
    warning: true
  },
  {
    what: "a length of treatment in kilograms",
    code: "invalid-value",
    overlay: "visit: {prescriptions: {medications: {days: {unit: {to: «kg»}}}}}\n",
    says: /`kg` is no unit of `days`.*converted to {2}d/
  },
  {
    what: "a code where a time belongs",
    code: "wrong-type",
    overlay: "visit: {admitted_at: «status»}\n",
    says: /`admitted_at` cannot hold .*finds code.*date or time/
  },
  {
    what: "a row for a type of visit that the specification does not show",
    code: "unknown-list-value",
    overlay: "conceptMap: {visit_type: {table: {AMB: «Outpatient»}}}\n",
    says: /gives `Outpatient`, which the specification does not show.*OPD, IPD/,
    warning: true
  },
  {
    what: "an addition that is misspelt",
    code: "invalid-value",
    overlay: "visit: {patient: {phone: {path: {«befor»: [telecom.value]}}}}\n",
    says: /`befor` is the name of a path here, and has a list.*did you mean `before`/
  },
  {
    what: "an addition next to a named path",
    code: "invalid-value",
    overlay: "visit: {patient: {phone: {path: {«before»: [telecom.value], mine: name.text}}}}\n",
    says: /only keys of the map/
  },
  {
    what: "a choice element of R5",
    code: "unknown-element",
    overlay: "visit: {surgeries: {started_at: «occurrence».ofType(Period).start}}\n",
    says: /`occurrence` is an element of R5/
  },
  {
    what: "a star as a name without quotes",
    code: "invalid-yaml",
    overlay: "grouping: {window: {«*»: {enabled: true}}}\n",
    says: /begins with `\*` must be in quotes.*"\*": …/
  },
  {
    what: "a second colon within braces",
    code: "invalid-yaml",
    overlay: "visit:\n  code: {value: «HF: 1»}\n",
    says: /two names with a colon in one line/
  },
  {
    what: "a comment of another language",
    code: "invalid-yaml",
    overlay: "«// my mapping»\nvisit: {}\n",
    says: /`\/\/` begins no comment of YAML.*begin a comment with {2}#/
  },
  {
    what: "a value that ends before a YAML character",
    code: "invalid-value",
    overlay: "visit:\n  health_facility_code:\n    value: «Ward» #3\n",
    says: /the text ends before `#3`.*double quotes.*a space after {2}#/,
    warning: true
  },
  {
    what: "a brace that a comment of YAML hides",
    code: "invalid-yaml",
    overlay: "visit:\n  health_facility_code: {value: Ward #3}\n«c»onstant: {}\n",
    says: /`}` is missing.*with {2}#3} {2}in it is in quotes/
  },
  {
    what: "words after the URL of a system",
    code: "invalid-value",
    overlay: "constant:\n  service_system: «http://our-hospital.example/s // services»\n",
    says: /a URL has no spaces/,
    warning: true
  },
  {
    what: "a host of a system that is misspelt",
    code: "invalid-value",
    overlay:
      "visit: {triages: {where: {own: \"code.coding.where(system = '«http://unitofmeasure.org»').exists()\"}}}\n",
    says: /did you mean `http:\/\/unitsofmeasure.org`/,
    warning: true
  },
  {
    what: "a fixed value for unmapped codes that the field cannot be",
    code: "invalid-value",
    overlay: "conceptMap: {sex: {unmapped: {fixed: «X»}}}\n",
    says: /gives `X`, which `sex` cannot be.*one of: M, F/
  },
  {
    what: "groups by nothing, in braces",
    code: "invalid-value",
    overlay: "visit: {vital_signs: {groupBy: «{}»}}\n",
    says: /nothing that distinguishes groups.*groupBy: null/
  },
  {
    what: "an element of R5",
    code: "unknown-element",
    overlay: "visit: {admitted_at: «actualPeriod».start}\n",
    says: /`actualPeriod` is an element of R5; .* read as R4/
  },
  {
    what: "a comment that hides the lines after it",
    code: "invalid-path",
    overlay: "visit:\n  triages:\n    where:\n      own: id.exists() «//» first\n        and status = 'final'\n",
    says: /the lines after it are in it.*path: \|/
  },
  {
    what: "a URL without quotes",
    code: "invalid-path",
    overlay: "visit: {patient: {phone: \"telecom.where(system = «http:»//example.org).value.first()\"}}\n",
    says: /a URL is a text.*single quotes/
  },
  {
    what: "a path that a comment of YAML cuts off",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    phone: telecom.where(value = «'»a #1').value.first()\n",
    says: /` #` begins a comment of YAML.*double quotes/
  },
  {
    what: "an addition to a path that is not a list",
    code: "invalid-value",
    overlay: "visit: {patient: {phone: {path: {before: «id»}}}}\n",
    says: /`before` takes a list/
  },
  {
    what: "an addition without a list to add to",
    code: "invalid-value",
    overlay: "visit: {triages: {where: {own: id.exists()}, onePer: «{before: [code]}»}}\n",
    says: /there is no list to add to/
  },
  {
    what: "a concept map without a similar name",
    code: "unknown-concept-map",
    overlay: "visit:\n  patient:\n    phone: {path: telecom.value, conceptMap: «zzqqxx»}\n",
    says: /define it under {2}conceptMap: {2}or take one of: .*vital_name/
  },
  {
    what: "a key without a similar name",
    code: "unknown-key-name",
    overlay: "visit:\n  patient:\n    occupation: keyOf('«zzqqxx»')\n",
    says: /define it under {2}key: {2}or take one of: .*patient/
  },
  {
    what: "a function without a similar name",
    code: "unknown-function",
    overlay: "visit:\n  patient:\n    occupation: «zzqqxx»()\n",
    says: /FHIRPath has: .*where.*mappings have besides: .*conceptText/
  },
  {
    what: "a default with a warning but without a value",
    code: "missing-key",
    overlay: "visit:\n  patient:\n    occupation: {default: «{warn: nobody asked}»}\n",
    says: /needs its `value`.*\{value: …, assume: NAME\}/
  },
  {
    what: "an assumption that is not declared",
    code: "unknown-assumption",
    overlay: "visit:\n  patient:\n    occupation: [id, {path: gender, assume: «no-such-name»}]\n",
    says: /no assumption is called `no-such-name`/
  },
  {
    what: "an assumption that is not declared, in what is switched off",
    code: "unknown-assumption",
    overlay: "visit:\n  diagnosis: {enabled: false, diagnosis_code: {path: id, assume: «no-such-name»}}\n",
    says: /no assumption is called `no-such-name`/
  },
  {
    what: "an assumption that no line uses",
    code: "unused-name",
    overlay: "assumption:\n  «no-such-name»: {means: Something is done., instead: Something else.}\n",
    says: /no line uses the assumption `no-such-name`/,
    warning: true
  },
  {
    what: "an acceptance of an unknown assumption",
    code: "unused-name",
    overlay: "accept:\n  «no-such-name»: agreed\n",
    says: /`accept` names no assumption of the mapping: `no-such-name`/,
    warning: true
  },
  {
    what: "an acceptance of lines that have changed since",
    code: "assumption",
    overlay:
      "accept:\n  «some-name»: {why: agreed, hash: \"00000000\"}\nassumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: {value: a, assume: some-name}}}\n",
    says: /the mapping has changed since `some-name` was accepted.*hash: [0-9a-f]{8}/,
    warning: true
  },
  {
    what: "an acceptance without a reason",
    code: "missing-key",
    overlay:
      "accept:\n  «some-name»: {hash: \"00000000\"}\nassumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: {value: a, assume: some-name}}}\n",
    says: /needs `why`.*who decided it/
  },
  {
    what: "an assumption without `means`",
    code: "missing-key",
    overlay:
      "assumption:\n  «some-name»: {instead: Something else.}\nvisit: {patient: {occupation: {value: a, assume: some-name}}}\n",
    says: /the assumption `some-name` needs `means`/
  },
  {
    what: "an assumption together with a warning",
    code: "invalid-value",
    overlay:
      "assumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: [{path: id, «warn»: words, assume: some-name}]}}\n",
    says: /`warn` and `assume` do not go together/
  },
  {
    what: "an assumption that could be about the path or the default",
    code: "invalid-value",
    overlay:
      "assumption:\n  some-name: {means: Something is done., instead: Something else.}\nvisit: {patient: {occupation: {path: id, default: a, «assume»: some-name}}}\n",
    says: /does not describe what it assumes/
  },
  {
    what: "two policies of a concept map",
    code: "invalid-value",
    overlay: "conceptMap: {sex: {unmapped: {fixed: F, «policy»: skip}}}\n",
    says: /`fixed` and `policy` do not go together/
  },
  {
    what: "a default with a warning that its field cannot hold",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    birthdate: {default: {value: «yesterday», warn: nobody asked}}\n",
    says: /birthdate/
  },
  {
    what: "a path that all branches override",
    code: "invalid-value",
    overlay: "visit:\n  prescriptions:\n    medications:\n      days: {path: «\"7\"»}\n",
    says: /the path of `days` is never asked.*branches: `dispense`, `prescription`.*unionAll: \{dispense: \{/,
    warning: true
  },
  {
    what: "a code for a number",
    code: "wrong-type",
    overlay: "visit: {invoices: {unionAll: {invoice: {total: «status»}}}}\n",
    says: /`total` cannot hold what this path finds.*end the path in a number/
  },
  {
    what: "a text for a number",
    code: "wrong-type",
    overlay: "visit: {prescriptions: {medications: {morning: {path: «dosageInstruction.text», take: first}}}}\n",
    says: /`morning` is a number, and this path finds a text.*\.toDecimal\(\)/,
    warning: true
  },
  {
    what: "a misspelt system in a row of a concept map",
    code: "invalid-value",
    overlay: "conceptMap: {vital_name: {table: {«\"http://loinc.com|8480-6\"»: Systolic Blood Pressure}}}\n",
    says: /no code system has the URL `http:\/\/loinc\.com`/,
    warning: true
  },
  {
    what: "a comment of FHIRPath at the end of a path",
    code: "invalid-path",
    overlay: "visit: {diagnosis: {where: {verified: verificationStatus.exists() «//» and code.exists()}}}\n",
    says: /begins a comment of FHIRPath/,
    warning: true
  },
  {
    what: "an element of a CodeableReference",
    code: "unknown-element",
    overlay:
      "visit: {prescriptions: {unionAll: {dispense: {medications: {medicine_name: medication.«concept».text}}}}}\n",
    says: /CodeableReference of R5/
  },
  {
    what: "a path that begins with the type of its own record",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    phone: «patient».telecom.value\n",
    says: /already starts at Patient: leave `patient` out/
  },
  {
    what: "a path that begins with the type of another record of the visit",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    phone: «Encounter».subject.telecom.value\n",
    says: /the visit's Encounter: {2}%visit/
  },
  {
    what: "a window that is only opened",
    code: "invalid-value",
    overlay: "grouping:\n  window:\n    Observation: «true»\n",
    says: /write {2}\{enabled: true\}/
  },
  {
    what: "yes in the place of true",
    code: "invalid-value",
    overlay: "grouping:\n  window:\n    Observation: {enabled: «yes»}\n",
    says: /true or false.*write {2}true, without quotes/
  },
  {
    what: "a quote that is never closed, above one that is",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone: {path: «'»telecom.value}\n    occupation: {value: \"Farmer\"}\n",
    says: /a quote is never closed/
  },
  {
    what: "a file in UTF-16",
    code: "invalid-yaml",
    overlay: "# written by an editor\nv«\u0000»i\u0000s\u0000i\u0000t\u0000:\n",
    says: /not UTF-8; it looks like UTF-16.*save it as UTF-8/
  },
  {
    what: "letters of another encoding",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    occupation: {value: Caf«\ufffd»}\n",
    says: /this file is not UTF-8.*save it as UTF-8/
  },
  {
    what: "a base64 text that would be sent undecoded",
    code: "wrong-type",
    overlay:
      "visit:\n  soaps:\n    plan: «reverseResolve('DocumentReference.context.related').content.attachment.data.first()»\n",
    says: /is encoded in base64.*\.base64Text\(\)/,
    warning: true
  },
  {
    what: "a path with a warning but without the path",
    code: "missing-key",
    overlay: "visit:\n  patient:\n    phone: [telecom.value, «{warn: \"not the patient's\"}»]\n",
    says: /needs its `path`/
  },
  {
    what: "a condition with a warning and one key too many",
    code: "unknown-key",
    overlay: "visit:\n  diagnosis: {where: {coded: {path: code.exists(), warn: \"not coded\", «take»: first}}}\n",
    says: /keys: path, warn/
  },
  {
    what: "references that are followed through an unknown element",
    code: "unknown-element",
    overlay:
      "visit:\n  laboratories:\n    results:\n      unionAll:\n        result: {forEach: \"result.resolve().«withAll»('hasMembers')\"}\n        component: {enabled: false}\n    unionAll:\n      single: {enabled: false}\n",
    says: /has no element `hasMembers`/
  },
  {
    what: "a code that loses its zeros without quotes",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    address: {province: {code: {default: «00»}}}\n",
    says: /without quotes this is the number `0`.*in quotes: {2}"00"/
  },
  {
    what: "a fixed value that loses its zeros without quotes",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    nationality: {value: «0855»}\n",
    says: /without quotes this is the number `855`.*"0855"/
  },
  {
    what: "a text that YAML reads as hexadecimal",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    occupation: {default: «0x10»}\n",
    says: /without quotes this is the number `16`/
  },
  {
    what: "more digits than a number keeps",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    phone: {default: «12345678901234567890»}\n",
    says: /without quotes this is the number/
  },
  {
    what: "a code of a concept map that loses its zeros without quotes",
    code: "invalid-yaml",
    overlay: "conceptMap:\n  marital_status:\n    table: {«01»: Single}\n",
    says: /without quotes this key is the number `1`.*"01"/
  },
  {
    what: "a value of a concept map that YAML reads as another number",
    code: "invalid-value",
    overlay: "conceptMap:\n  marital_status:\n    table: {S: «1e5»}\n",
    says: /without quotes this is the number `100000`/
  },
  {
    what: "a concept map of another list than the field's",
    code: "invalid-value",
    overlay: "visit:\n  discharge_type: {conceptMap: «marital_status»}\n",
    says:
      /`marital_status` gives values of `marital_statuses`, and `discharge_type` takes those of `discharge_types`.*of that list: discharge_type/
  },
  {
    what: "a section that is switched off by a truth value",
    code: "invalid-value",
    overlay: "visit:\n  soaps: «false»\n",
    says: /`soaps` is a map.*soaps: \{enabled: false\}/
  },
  {
    what: "a misspelt key at the top",
    code: "unknown-key",
    overlay: "«constnat»:\n  a: b\n",
    says: /did you mean `constant`/
  },
  {
    what: "a misspelt section",
    code: "unknown-field",
    overlay: "visit:\n  «diagnoses»: null\n",
    says: /did you mean `diagnosis`/
  },
  {
    what: "a misspelt field",
    code: "unknown-field",
    overlay: "visit:\n  vital_signs:\n    «titel»: performer.who()\n",
    says: /did you mean `title`/
  },
  {
    what: "a misspelt attribute",
    code: "unknown-key",
    overlay: "visit:\n  patient:\n    phone: {path: telecom.value, «requird»: none}\n",
    says: /did you mean `required`/
  },
  {
    what: "a misspelt element in the body of a function",
    code: "unknown-element",
    overlay:
      "function:\n  whole: \"(given.first() & ' ' & «famly»)\"\nvisit:\n  patient:\n    name: name.first().whole()\n",
    says: /HumanName has no element `famly`.*did you mean `family`.*called here$/
  },
  {
    what: "a misspelt element in a body that is called in several places",
    code: "unknown-element",
    overlay:
      "function:\n  whole: {path: «famly», over: collection}\nvisit:\n  patient: {name: name.first().whole(), surname: name.first().whole(), occupation: name.last().whole()}\n",
    says: /called here, and in 2 other places/
  },
  {
    what: "a misspelt element in a body that another body calls",
    code: "unknown-element",
    overlay:
      "function:\n  inner: {parameters: [of], path: \"%of.«cod»\"}\n  outer: \"maritalStatus.coding.first().select(inner($this))\"\nvisit:\n  patient:\n    occupation: outer()\n",
    says: /Coding has no element `cod`.*called here/
  },
  {
    what: "an element that a parameter does not have",
    code: "unknown-element",
    overlay:
      "function:\n  yearOf2: {parameters: [period], path: \"%period.«begin».toString()\"}\nvisit:\n  patient:\n    occupation: yearOf2(%visit.period)\n",
    says: /Period has no element `begin`/
  },
  {
    what: "an element after a function's result",
    code: "unknown-element",
    overlay:
      "function:\n  home: \"address.where(use = 'home').first()\"\nvisit:\n  patient:\n    occupation: home().«citi»\n",
    says: /Address has no element `citi`.*did you mean `city`/
  },
  {
    what: "a function that gives what its field cannot hold",
    code: "wrong-type",
    overlay:
      "function:\n  home: \"address.where(use = 'home').first()\"\nvisit:\n  patient:\n    occupation: «home()»\n",
    says: /cannot hold what this path finds.*finds Address/
  },
  {
    what: "a removed key that the visit needs",
    code: "required-field",
    overlay: "key: {«visit»: null}\n",
    says: /every visit is rejected for want of its visit code/,
    warning: true
  },
  {
    what: "a function with the name of one of the language, in flow style",
    code: "invalid-value",
    overlay: "function: {«resolve»: \"reference\"}\n",
    says: /`resolve\(\)` is a function of the mapping language.*give your function another name/
  },
  {
    what: "a misspelt element of the targets of references in forEach",
    code: "unknown-element",
    overlay:
      "visit:\n  referrals:\n    referred_to:\n      health_facility: {forEach: performer, name: resolve().«nam», code: resolve().id, label: null, type: null}\n",
    says: /has no element `nam`/
  },
  {
    what: "a misspelt element after forEach over resolved references",
    code: "unknown-element",
    overlay:
      "visit:\n  referrals:\n    referred_to:\n      health_facility: {forEach: performer.resolve().ofType(Organization), name: «nam», code: id, label: null, type: null}\n",
    says: /Organization has no element `nam`.*did you mean `name`/
  },
  {
    what: "a FHIRPath that is never closed",
    code: "invalid-path",
    overlay: "visit:\n  admitted_at: period.where(start.exists()«»\n",
    says: /this is not FHIRPath/
  },
  {
    what: "an unknown function, inside the expression",
    code: "unknown-function",
    overlay: "visit:\n  patient:\n    name: name.«humanNam»()\n",
    says: /did you mean `humanName`/
  },
  {
    what: "a function that depends on the current time",
    code: "unknown-function",
    overlay: "visit:\n  created_at: \"«today»()\"\n",
    says: /not available in mappings/
  },
  {
    what: "an element FHIR does not have",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    birthdate: «birthdate»\n",
    says: /Patient has no element `birthdate`.*did you mean `birthDate`/
  },
  {
    what: "an element of a nested element",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    phone: {path: contact.telecom.«val», take: first}\n",
    says: /ContactPoint has no element `val`/
  },
  {
    what: "a choice element by its JSON name",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    death_at: \"%patient.«deceasedDateTime»\"\n",
    says: /did you mean `deceased.ofType\(dateTime\)`/
  },
  {
    what: "an element in a condition",
    code: "unknown-element",
    overlay: "visit:\n  triages:\n    where: {code: \"«stauts» = 'final'\"}\n",
    says: /did you mean `status`/
  },
  {
    what: "an element of the wrong resource",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    started_at: «period».start\n",
    says: /Procedure has no element `period`/
  },
  {
    what: "a type that does not exist",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    started_at: performed.ofType(«Perod»).start\n",
    says: /did you mean `Period`/
  },
  {
    what: "a type the choice never has",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    started_at: performed.ofType(«Reference»)\n",
    says: /never of type `Reference`/
  },
  {
    what: "a resource type that does not exist",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    resource: «Procedures»\n",
    says: /did you mean `Procedure`/
  },
  {
    what: "an element in a reverse reference",
    code: "unknown-element",
    overlay: "visit:\n  followup_at: \"reverseResolve('«Appointment.bassedOn»').start\"\n",
    says: /did you mean `basedOn`/
  },
  {
    what: "an unknown constant",
    code: "unknown-constant",
    overlay: "visit:\n  patient:\n    spid: identifierIn(«%spid_sytem»)\n",
    says: /did you mean `%spid_system`/
  },
  {
    what: "an unknown key",
    code: "unknown-key-name",
    overlay: "visit:\n  code: keyOf('«vist»')\n",
    says: /did you mean `visit`/
  },
  {
    what: "an unknown concept map of a field",
    code: "unknown-concept-map",
    overlay: "visit:\n  visit_type: {path: class, conceptMap: «visit-type»}\n",
    says: /did you mean `visit_type`/
  },
  {
    what: "an unknown concept map in an expression",
    code: "unknown-concept-map",
    overlay: "visit:\n  triages:\n    where: {code: \"code.mapped('«vital_nam»')\"}\n",
    says: /did you mean `vital_name`/
  },
  {
    what: "an unknown policy",
    code: "invalid-value",
    overlay: "conceptMap:\n  sex: {unmapped: «rejct»}\n",
    says: /did you mean `reject`/
  },
  {
    what: "an unknown standard-data list",
    code: "invalid-value",
    overlay: "conceptMap:\n  sex: {list: «visit_type»}\n",
    says: /did you mean `visit_types`/
  },
  {
    what: "a patient code that is made",
    code: "invalid-value",
    overlay: "key:\n  patient: {path: id, mint: «P»}\n",
    says: /never minted/
  },
  {
    what: "an order by an unknown field",
    code: "unknown-field",
    overlay: "visit:\n  triages: {orderBy: [«recorded»]}\n",
    says: /cannot be ordered by/
  },
  {
    what: "rows from two sources",
    code: "invalid-value",
    overlay: "visit:\n  triages: {resource: Observation, «forEach»: $this}\n",
    says: /not both/
  },
  {
    what: "a key written twice",
    code: "invalid-yaml",
    overlay: "constant: {a: b}\n«constant»: {c: d}\n",
    says: /written twice/
  },
  {
    what: "an unknown base",
    code: "unreadable-file",
    overlay: "«no-such-base»",
    says: /cannot be read.*shipped mappings/
  },
  // dates
  {
    what: "a date that is compared with a text",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    where: {young: \"«birthDate» > '2001-01-01'\"}\n",
    says: /no text is `>` to this.*birthDate > @2026-02-28/
  },
  {
    what: "a time of a choice that is compared with a text",
    code: "wrong-type",
    overlay: "visit:\n  triages:\n    where: {late: \"«effective.ofType(dateTime)» = '2026-03-01'\"}\n",
    says: /no text is `=` to this/
  },
  {
    what: "an impossible month",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    where: {young: \"birthDate > «@2000-13»\"}\n",
    says: /there is no such date/
  },
  {
    what: "an impossible day of a month",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    where: {young: \"birthDate > «@2026-02-30»\"}\n",
    says: /there is no such date/
  },
  // codes that an element never holds
  {
    what: "a status that FHIR does not have",
    code: "unknown-code",
    warning: true,
    overlay: "visit:\n  triages:\n    where: {done: \"status = «'finnal'»\"}\n",
    says: /no code `finnal`.*did you mean `final`\?.*codes: registered, preliminary, final/
  },
  {
    what: "a use among several that FHIR does not have",
    code: "unknown-code",
    warning: true,
    overlay: "visit:\n  patient:\n    surname: \"name.where(use in ('official' | «'usul'»)).first().family\"\n",
    says: /did you mean `usual`\?/
  },
  {
    what: "a status of a nested element, on the left side",
    code: "unknown-code",
    warning: true,
    overlay: "visit:\n  inpatients:\n    where: {there: \"location.where(«'finished'» != status).exists()\"}\n",
    says: /codes: planned, active, reserved, completed/
  },
  // comparisons of several values
  {
    what: "a comparison of an element that repeats",
    code: "several-compared",
    warning: true,
    overlay: "visit:\n  triages:\n    where: {code: \"«code.coding.code» = '8302-2'\"}\n",
    says: /may be several.*code\.coding\.code\.exists\(\$this = /
  },
  {
    what: "a comparison of an element of an element that repeats",
    code: "several-compared",
    warning: true,
    overlay: "visit:\n  surgeries:\n    where: {surgical: \"«performer.function.text» = 'surgeon'\"}\n",
    says: /may be several/
  },
  {
    what: "an unequal that several values make true",
    code: "several-compared",
    warning: true,
    overlay: "visit:\n  soaps:\n    where: {status: \"«section.title» != 'Plan'\"}\n",
    says: /does not mean what it seems to/
  },
  {
    what: "an order of several values",
    code: "several-compared",
    warning: true,
    overlay:
      "visit:\n  prescriptions:\n    unionAll: {dispense: {where: {few: \"«dosageInstruction.sequence» < 3\"}}}\n",
    says: /`<` compares one value/
  },
  {
    what: "several values on the right side",
    code: "several-compared",
    warning: true,
    overlay: "visit:\n  outpatients:\n    where: {first: \"id = «%encounters.id»\"}\n",
    says: /may be several/
  },
  {
    what: "several records of a reverse reference",
    code: "several-compared",
    warning: true,
    overlay: "visit:\n  surgeries:\n    where: {note: \"«reverseResolve('Observation.partOf').status» = 'final'\"}\n",
    says: /may be several/
  },
  {
    what: "several values inside a condition of a path",
    code: "several-compared",
    warning: true,
    overlay:
      "visit:\n  patient:\n    phone: {path: \"contact.where(«telecom.system» = 'phone').telecom.value\", take: first}\n",
    says: /may be several/
  },
  // one value where there can be several
  {
    what: "a field of one value with a path to several",
    code: "too-many-values",
    warning: true,
    overlay: "visit:\n  patient:\n    surname: «name.family»\n",
    says: /takes one value.*take: first/
  },
  {
    what: "one of several paths that can find several",
    code: "too-many-values",
    warning: true,
    overlay: "visit:\n  soaps:\n    recorded_by: [author.first().who(), «author.who()»]\n",
    says: /take: first/
  },
  {
    what: "a field of a row of several records",
    code: "too-many-values",
    warning: true,
    overlay: "visit:\n  triages:\n    recorded_at: «effective.ofType(dateTime)»\n",
    says: /`recorded_at` takes one value/
  },
  // what a field cannot hold
  {
    what: "a concept where a text is sent",
    code: "wrong-type",
    overlay: "visit:\n  surgeries:\n    service_type: «code»\n",
    says: /finds CodeableConcept.*conceptText\(\)/
  },
  {
    what: "a quantity where a number is sent",
    code: "wrong-type",
    overlay:
      "visit:\n  prescriptions:\n    unionAll: {dispense: {medications: {days: {path: «daysSupply», unit: null}}}}\n",
    says: /`days` cannot hold/
  },
  {
    what: "a number where a Quantity is converted",
    code: "wrong-type",
    overlay: "visit:\n  triages:\n    height: {path: «value.ofType(Quantity).value», unit: cm, take: first}\n",
    says: /end the path in the Quantity/
  },
  {
    what: "a reference where a name is sent",
    code: "wrong-type",
    overlay: "visit:\n  surgeries:\n    surgeon_name: {path: «performer.actor», take: first}\n",
    says: /finds Reference.*who\(\)/
  },
  {
    what: "a HumanName where a text is sent",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    surname: {path: «name», take: first}\n",
    says: /finds HumanName.*family/
  },
  {
    what: "an identifier where a code is sent",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    spid: {path: «identifier», take: first}\n",
    says: /finds Identifier.*\.value/
  },
  {
    what: "a period where a time is sent",
    code: "wrong-type",
    overlay: "visit:\n  admitted_at: «period»\n",
    says: /finds Period.*\.start/
  },
  {
    what: "a truth value where a time is sent",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    death_at: «deceased.ofType(boolean)»\n",
    says: /finds boolean.*date or time/
  },
  {
    what: "an element of several elements",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    phone: {path: «contact», take: first}\n",
    says: /finds Patient\.contact/
  },
  {
    what: "a money amount where a number is sent",
    code: "wrong-type",
    overlay: "visit:\n  invoices:\n    unionAll: {invoice: {total: «totalNet»}}\n",
    says: /finds Money/
  },
  {
    what: "a concept map over what has no code",
    code: "wrong-type",
    overlay: "visit:\n  visit_type: {path: «period», conceptMap: visit_type}\n",
    says: /finds Period/
  },
  {
    what: "an extension where its value is meant",
    code: "wrong-type",
    overlay: "visit:\n  patient:\n    occupation: «extension('http://example.org/occupation')»\n",
    says: /finds Extension.*\.value/
  },
  // fields that are never filled
  {
    what: "a mandatory field that never has a value",
    code: "required-field",
    warning: true,
    overlay: "visit:\n  admitted_at: «null»\n",
    says: /mandatory and never has a value/
  },
  {
    what: "a mandatory code of a row that never has a value",
    code: "required-field",
    warning: true,
    overlay: "visit:\n  surgeries: {code: «null»}\n",
    says: /mandatory and never has a value/
  },
  // names that nothing uses
  {
    what: "a constant that no line uses",
    code: "unused-name",
    warning: true,
    overlay: "constant: {«ward_system»: \"http://example.org/wards\"}\n",
    says: /no line uses the constant/
  },
  {
    what: "a function that no line uses",
    code: "unused-name",
    warning: true,
    overlay: "function: {«ward»: location.location.display}\n",
    says: /no line uses the function/
  },
  {
    what: "a concept map that no line uses",
    code: "unused-name",
    warning: true,
    overlay: "conceptMap:\n  «wards»: {table: {A: B}}\n",
    says: /no line uses the concept map/
  },
  {
    what: "a key that no line uses",
    code: "unused-name",
    warning: true,
    overlay: "key:\n  «ward»: {path: id}\n",
    says: /no line uses the key/
  },
  // overlays that change what is not there
  {
    what: "a misspelt branch",
    code: "unknown-branch",
    warning: true,
    overlay: "visit:\n  invoices:\n    unionAll: {«invoce»: {enabled: false}}\n",
    says: /did you mean `invoice`/
  },
  {
    what: "a misspelt condition",
    code: "unknown-branch",
    warning: true,
    overlay: "visit:\n  surgeries:\n    where: {«surgicl»: \"true\"}\n",
    says: /did you mean `surgical`/
  },
  {
    what: "an unknown condition that is removed",
    code: "unknown-branch",
    warning: true,
    overlay: "visit:\n  surgeries:\n    where: {«kind»: null}\n",
    says: /no condition `kind`/
  },
  // patterns
  {
    what: "a pattern that repeats a repetition",
    code: "slow-pattern",
    overlay: "visit:\n  patient:\n    name: \"name.first().text.replaceMatches('«^(a+)+$»', '')\"\n",
    says: /more ways than can be tried.*`\(a\+\)\+` can take very long/
  },
  {
    what: "a pattern with a repeated choice of repetitions",
    code: "slow-pattern",
    overlay:
      "visit:\n  patient:\n    address: {forEachOrNull: \"address.where(text.matches('«^([a-z]*|[0-9]+)*$»')).first()\"}\n",
    says: /more ways than can be tried/
  },
  // found by trying
  ...([
    [
      "a path with slashes",
      "wrong-type",
      "visit:\n  patient:\n    occupation: «name»/text\n",
      /no number to calculate with.*finds HumanName.*written with dots/
    ],
    [
      "a text as an index",
      "wrong-type",
      "visit:\n  patient:\n    occupation: identifier[«'MR'»].value\n",
      /counted from 0.*\.where\(condition\)/
    ],
    [
      "resolve() on what is no reference",
      "wrong-type",
      "visit:\n  patient:\n    occupation: name.«resolve»().id.first()\n",
      /follows references.*starts at HumanName/
    ],
    [
      "a blank that is not one",
      "invalid-path",
      "visit:\n  patient:\n    occupation: \"name.first()«\u00a0».text\"\n",
      /a blank that no keyboard has/
    ],
    [
      "a part of an encounter that is no reference",
      "wrong-type",
      "grouping:\n  partOf: «class.code»\n",
      /refers to no record.*elements that refer: .*partOf/
    ],
    [
      "a link to something else than an encounter",
      "wrong-type",
      "grouping:\n  link: {Observation: «subject»}\n",
      /never refers to Encounter.*refers to Patient/
    ],
    [
      "a link that is no reference",
      "wrong-type",
      "grouping:\n  link: {Observation: «code»}\n",
      /refers to no record.*encounter/
    ],
    ["a patient that is a text", "wrong-type", "grouping:\n  patient: «subject.display»\n", /refers to no record/],
    [
      "a scope of patients that is no reference",
      "wrong-type",
      "grouping:\n  patientScope: {AllergyIntolerance: «code»}\n",
      /elements that refer: .*patient/
    ],
    [
      "a key that is a concept",
      "wrong-type",
      "key:\n  visit: {path: «type»}\n",
      /a key is a text.*finds CodeableConcept/
    ],
    ["a version of FHIR that is not R4", "invalid-value", "fhirVersion: «5.0.0»\n", /FHIR R4/],
    [
      "a duplicate parameter",
      "invalid-value",
      "function:\n  f: {parameters: [a, «a»], path: \"%a\"}\nvisit:\n  patient: {occupation: \"f('x', 'y')\"}\n",
      /duplicate/
    ],
    [
      "a parameter with the name of a variable",
      "invalid-value",
      "function:\n  f: {parameters: [«visit»], path: \"%visit\"}\nvisit:\n  patient: {occupation: f('x')}\n",
      /variable of the language/
    ],
    ["a concept map that is a list", "invalid-value", "conceptMap: {sex: «[x]»}\n", /is a map of names and values/],
    [
      "a constant that is taken away and that lines use",
      "invalid-value",
      "constant: {patient_code_system: «null»}\n",
      /`patient_code_system` is taken away, and lines use it/
    ],
    [
      "a concept map written at a field",
      "invalid-value",
      "visit:\n  patient:\n    sex: {path: gender, conceptMap: «{male: M}»}\n",
      /at the top of the mapping/
    ],
    [
      "a value of a concept map that its field cannot be",
      "invalid-value",
      "conceptMap: {sex: {table: {w: «Female»}}}\n",
      /gives `Female`, which `sex` cannot be.*one of: /
    ],
    [
      "an element of the record that a reference names",
      "unknown-element",
      "visit:\n  outpatients:\n    name: {path: location.location.«name», take: first}\n",
      /Reference has no element `name`.*\.resolve\(\)\.name/
    ],
    [
      "a number instead of a path",
      "invalid-value",
      "visit:\n  patient:\n    occupation: «5»\n",
      /a fixed value is {2}\{value: 5\}/
    ],
    [
      "patient records of an unknown type",
      "wrong-arguments",
      "visit:\n  patient:\n    occupation: ofPatient('«Observation»').id.first()\n",
      /belong to visits.*patientScope: \{Observation: subject\}/
    ],
    ["two mappings in a file", "invalid-yaml", "visit: {}\n«---»\nvisit: {}\n", /a file holds one mapping/],
    [
      "a field of another section",
      "unknown-field",
      "visit:\n  patient:\n    «theater_name»: name.text\n",
      /it is a field of `surgeries`/
    ]
  ] as const).map(([what, code, overlay, says]): Mistake => ({ what, code, overlay, says })),
  {
    what: "a path where a value is sent",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    occupation: {value: «name.first().text»}\n",
    says: /sent unchanged.*is it a path/,
    warning: true
  },
  // settings
  {
    what: "an unknown policy for times",
    code: "invalid-value",
    overlay: "time: {partialTimestamp: «middday»}\n",
    says: /did you mean `midday`/
  },
  {
    what: "a variable of other FHIRPath engines",
    code: "unknown-constant",
    overlay: "visit:\n  followup_at: \"«%resource».period.end\"\n",
    says: /there is no constant `%resource`/
  },
  {
    what: "a concept map under another name than the base mapping's",
    code: "unused-name",
    overlay: "conceptMap:\n  «vital_names»: {table: {PULS: Heart Rate}}\n",
    says: /did you mean `vital_name`/,
    warning: true
  },
  {
    what: "a value other than a blank for `empty`",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    nationality: {empty: «none»}\n",
    says: /default:/
  },
  {
    what: "an empty text for a field that is not a text",
    code: "invalid-value",
    overlay: "visit:\n  followup_at: {path: period.end, empty: «\"\"»}\n",
    says: /is no text/
  },
  {
    what: "a pattern that repeats alternatives with the same beginning",
    code: "slow-pattern",
    overlay:
      "visit:\n  patient:\n    phone: {path: \"telecom.value.where($this.matches('«^(a|aa)+$»'))\", take: first}\n",
    says: /let alternatives begin otherwise/
  },
  {
    what: "a window for a type FHIR does not have",
    code: "unknown-element",
    overlay: "grouping:\n  window: {«Observaton»: {enabled: true}}\n",
    says: /did you mean `Observation`/
  },
  {
    what: "a misspelt key of a window",
    code: "unknown-key",
    overlay: "grouping:\n  window: {Observation: {«enable»: true}}\n",
    says: /did you mean `enabled`/
  },
  {
    what: "a window without a time",
    code: "missing-key",
    overlay: "grouping:\n  window: {«Task»: {patient: for}}\n",
    says: /needs a path for `time`.*say when/
  },
  {
    what: "a path of a window that finds no time",
    code: "wrong-type",
    overlay: "grouping:\n  window: {Observation: {time: «code»}}\n",
    says: /not a time.*CodeableConcept/
  },
  {
    what: "a length of time without its unit",
    code: "invalid-value",
    overlay: "grouping:\n  window: {Observation: {after: «2»}}\n",
    says: /2 hours/
  },
  {
    what: "an end of encounters that FHIR does not have",
    code: "unknown-element",
    overlay: "grouping:\n  end: period.«ennd»\n",
    says: /did you mean `end`/
  },
  {
    what: "an unknown type of records that are grouped",
    code: "unknown-element",
    overlay: "grouping:\n  link: {«Observatio»: encounter}\n",
    says: /did you mean `Observation`/
  },
  {
    what: "concept maps that delegate to each other",
    code: "unknown-concept-map",
    overlay: "conceptMap:\n  sex: {unmapped: {table: «sex»}}\n",
    says: /circle/
  },
  {
    what: "a field with no source at all",
    code: "missing-key",
    overlay: "visit:\n  physical_examinations:\n    unionAll:\n      complex:\n        value_unit: «{take: first}»\n",
    says: /neither `path` nor `value`/
  },
  {
    what: "`sameAs` of an unknown section",
    code: "invalid-value",
    overlay: "visit:\n  emergencies: {sameAs: «outpatient»}\n",
    says: /did you mean `outpatients`/
  },
  // names of fields
  {
    what: "an order of the rows of one branch",
    code: "invalid-value",
    overlay: "visit:\n  prescriptions:\n    unionAll:\n      prescription: {«orderBy»: [code]}\n",
    says: /applies to all branches together/
  },
  {
    what: "`onePer` of an unknown field",
    code: "unknown-field",
    overlay: "visit:\n  vital_signs:\n    observations: {onePer: [«nmae»]}\n",
    says: /no field `nmae` to have one row for.*did you mean `name`/
  },
  {
    what: "`needs` of an unknown field",
    code: "unknown-field",
    overlay: "visit:\n  triages: {needs: [«heigth»]}\n",
    says: /no field `heigth` to need.*did you mean `height`/
  },
  {
    what: "a text that is compared with a number",
    code: "wrong-type",
    overlay: "visit:\n  surgeries: {where: {own: \"«status» > 10\"}}\n",
    says: /a text is not compared with a number.*status\.toDecimal\(\) > 10/
  },
  {
    what: "a link to a patient, with the elements that name an encounter",
    code: "wrong-type",
    overlay: "grouping: {link: {Observation: «subject»}}\n",
    says: /never refers to Encounter.*elements that refer to Encounter: .*encounter/
  },
  {
    what: "a tab before a field",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n«\t»phone: telecom.value.first()\n    surname: name.family.first()\n",
    says: /indented with a tab.*with spaces/
  },
  {
    what: "a no-break space before a field",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone: telecom.value.first()\n  «\u00a0» surname: name.family.first()\n",
    says: /invalid blank: YAML indents with ordinary spaces.*pasted/
  },
  {
    what: "a field with one space too few",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone: telecom.value.first()\n   «surname: name.family.first()»\n    name: id\n",
    says: /begins in another column/
  },
  {
    what: "a field with spaces too many",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone: telecom.value.first()\n      «surname: name.family.first()»\n",
    says: /deeper than the one above/
  },
  {
    what: "two fields in one line",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone: «t»elecom.value.first() surname: name.family\n",
    says: /two names with a colon in one line.*on its own line/
  },
  {
    what: "a colon without a space",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone«:»telecom.value.first()\n    surname: name.family\n",
    says: /after the colon a space is missing/
  },
  {
    what: "a variable at the beginning without quotes",
    code: "invalid-yaml",
    overlay: "visit:\n  patient:\n    phone: «%»visit.id # here\n",
    says: /begins with `%` must be in quotes.*all of it in quotes/
  },
  {
    what: "a brace that is never closed",
    code: "invalid-yaml",
    overlay: "visit:\n  patient: {phone: a\n«k»ey:\n  order: id\n",
    says: /`}` is missing/
  },
  {
    what: "an unknown constant that is like no other",
    code: "unknown-constant",
    overlay: "visit:\n  patient: {spid: \"«%zzzz»\"}\n",
    says: /define it under {2}constant:.*mapping show/
  },
  {
    what: "a condition that drops records without an element",
    code: "absent-compared",
    overlay: "visit:\n  surgeries: {where: {own: \"status = 'completed' and («category.text» != 'other')\"}}\n",
    says:
      /rows without `category.text` are left out too.*category\.text\.exists\(\$this = 'other'\)\.not\(\).*category\.text\.exists\(\) and/,
    warning: true
  },
  {
    what: "a condition for what is false",
    code: "absent-compared",
    overlay: "grouping:\n  where: {own: \"«hospitalization.reAdmission.text» != 'x'\"}\n",
    says: /rows without/,
    warning: true
  },
  {
    what: "a condition that compares with false",
    code: "absent-compared",
    overlay: "visit:\n  referrals: {where: {own: «doNotPerform» = false}}\n",
    says: /doNotPerform\.exists\(\$this = true\)\.not\(\)/,
    warning: true
  },
  {
    what: "a code that is not a text",
    code: "wrong-arguments",
    overlay: "visit:\n  triages: {where: {own: \"code.hasCode(«158967008»)\"}}\n",
    says: /takes a text, and this is a number.*write {2}'158967008'/
  },
  {
    what: "codes with a comma between them",
    code: "wrong-arguments",
    overlay: "visit:\n  triages: {where: {own: \"code.hasCode('«a, b»')\"}}\n",
    says: /no commas.*hasCode\('a b'\)/,
    warning: true
  },
  {
    what: "an element of a reverse reference without quotes",
    code: "wrong-arguments",
    overlay: "visit:\n  surgeries: {where: {own: \"reverseResolve(«Procedure.partOf»).empty()\"}}\n",
    says: /this is a path.*write {2}'Procedure\.partOf'/
  },
  {
    what: "`who` of a value that is not a reference",
    code: "wrong-type",
    overlay: "visit:\n  surgeries: {symptoms: [\"code.«who»()\"]}\n",
    says: /`who\(\)` follows references.*starts at CodeableConcept/
  },
  {
    what: "`who` of a name",
    code: "wrong-type",
    overlay: "visit:\n  patient: {occupation: name.first().«who»()}\n",
    says: /follows references.*\.humanName\(\)/
  },
  {
    what: "`who` of a text",
    code: "wrong-type",
    overlay: "visit:\n  patient: {occupation: id.«whoTitle»()}\n",
    says: /follows references/
  },
  {
    what: "a policy among the codes of its table",
    code: "invalid-value",
    overlay: "conceptMap:\n  sex:\n    table:\n      X: M\n      «unmapped»: {fixed: M}\n",
    says: /is listed among the codes of `sex`.*not under `table:`/,
    warning: true
  },
  {
    what: "a list among the codes of a table",
    code: "invalid-value",
    overlay: "conceptMap:\n  marital_status:\n    table:\n      «list»: marital_statuses\n",
    says: /is listed among the codes/,
    warning: true
  },
  {
    what: "a file among the codes of a table",
    code: "invalid-value",
    overlay: "conceptMap:\n  marital_status:\n    table: {«file»: tables/a.csv}\n",
    says: /is listed among the codes/,
    warning: true
  },
  {
    what: "a number that is added to a text",
    code: "wrong-type",
    overlay: "visit:\n  surgeries: {symptoms: [\"«complication.count()» + ' of them'\"]}\n",
    says: /a number and a text are not added.*toString\(\) & ' '/
  },
  {
    what: "a number that is joined with a text",
    code: "wrong-type",
    overlay: "visit:\n  surgeries: {symptoms: [\"'n' & «complication.count()»\"]}\n",
    says: /not joined by themselves.*toString\(\)/
  },
  {
    what: "a vital sign of another name than the specification uses",
    code: "unknown-list-value",
    overlay: "conceptMap: {vital_name: {table: {\"8867-4\": «Hart Rate»}}}\n",
    says: /`vital_name` gives `Hart Rate`.*did you mean `Heart Rate`/,
    warning: true
  },
  {
    what: "a fixed name of a vital sign that the specification does not use",
    code: "unknown-list-value",
    overlay: "visit: {vital_signs: {observations: {name: {value: «Pulse»}}}}\n",
    says: /`Pulse`, which is not a name of a vital sign.*one of: Systolic/,
    warning: true
  },
  {
    what: "a top-level key without a value",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    «phone»:\n    surname: name.family.first()\n",
    says: /nothing is written after `phone:`.*written {2}null/
  },
  {
    what: "a key of a field without a value",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    phone: {path: telecom.value.first(), «default»: }\n",
    says: /nothing is written after `default:`/
  },
  {
    what: "a path that is commented out",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    «phone»: #telephone\n",
    says: /nothing is written after `phone:`.*begins a comment/
  },
  {
    what: "a section without content",
    code: "invalid-value",
    overlay: "«constant»:\nkey:\n  order: id\n",
    says: /nothing is written after `constant:`/
  },
  {
    what: "an empty item of a list",
    code: "invalid-value",
    overlay: "visit:\n  triages:\n    orderBy:\n      - code\n      -«»\n",
    says: /nothing is written here/
  },
  {
    what: "an order by a field and a path at once",
    code: "invalid-value",
    overlay: "visit:\n  triages: {orderBy: [{field: recorded_at, «path»: id}]}\n",
    says: /of a `field` or of a `path`, not both/
  },
  {
    what: "an order by an invalid path",
    code: "invalid-value",
    overlay: "visit:\n  triages: {orderBy: [{path: «5»}]}\n",
    says: /`path` is one path/
  },
  {
    what: "an order by several paths in one item",
    code: "invalid-value",
    overlay: "visit:\n  triages: {orderBy: [{path: «[id, status]»}]}\n",
    says: /several items of the list/
  },
  {
    what: "an order that says only which way",
    code: "missing-key",
    overlay: "visit:\n  triages: {orderBy: [«{descending: true}»]}\n",
    says: /needs a `field` or a `path`/
  },
  {
    what: "an order by a number",
    code: "invalid-value",
    overlay: "visit:\n  triages: {orderBy: [«5»]}\n",
    says: /`orderBy` names fields.*orderBy: \[field, -field\]/
  },
  {
    what: "a concept map in an order",
    code: "invalid-value",
    overlay: "visit:\n  triages: {orderBy: [{path: code, «conceptMap»: vital_name}]}\n",
    says: /translated/
  },
  {
    what: "several paths to the patient of records",
    code: "invalid-value",
    overlay: "grouping: {patientScope: {Coverage: «[beneficiary, subscriber]»}}\n",
    says: /the patient of Coverage is one path.*a \| b/
  },
  {
    what: "several paths to the unit of a number",
    code: "invalid-value",
    overlay:
      "visit:\n  triages: {height: {path: value.ofType(Quantity).value, unit: {to: cm, from: «[value.ofType(Quantity).unit, value.ofType(Quantity).code]»}}}\n",
    says: /`from` is one path/
  },
  {
    what: "several paths to the substance of a unit",
    code: "invalid-value",
    overlay: "visit:\n  vital_signs: {observations: {value: {unit: {of: «[code, category]»}}}}\n",
    says: /`of` is one path/
  },
  {
    what: "a list of decimals to round to",
    code: "invalid-value",
    overlay: "visit:\n  triages: {height: {unit: {to: cm, round: «[1]»}}}\n",
    says: /`round` is a number of decimals/
  },
  {
    what: "rows of no type",
    code: "invalid-value",
    overlay: "visit:\n  surgeries: {resource: «[]»}\n",
    says: /names the types of the rows.*enabled: false/
  },
  {
    what: "a key that reads the patient of the visit",
    code: "unknown-constant",
    overlay: "key: {visit: {path: \"«%patient».id & '-' & id\"}}\n",
    says: /`%patient` is not known in a key.*constants of the mapping, %facility, %system.*subject\.resolve\(\)/
  },
  {
    what: "a key that reads the visit through a function",
    code: "unknown-constant",
    overlay: "function: {own: \"%visit.id\"}\nkey: {order: {path: «own»()}}\n",
    says: /`%visit` is not known in a key.*`own\(\)` reads it/
  },
  {
    what: "a key that reads records of the visit",
    code: "unknown-function",
    overlay: "key: {order: {path: \"«inVisit»('Appointment').first().id\"}}\n",
    says: /`inVisit\(\)` is not known in a key/
  },
  {
    what: "a grouping that reads the visit",
    code: "unknown-constant",
    overlay: "grouping: {where: {own: \"subject.resolve().id = «%patient».id\"}}\n",
    says: /`%patient` is not known in the grouping/
  },
  {
    what: "a removed concept map that lines use",
    code: "invalid-value",
    overlay: "conceptMap: {sex: «null»}\n",
    says: /the concept map `sex` is taken away, and lines use it/
  },
  {
    what: "a removed function that lines use",
    code: "invalid-value",
    overlay: "function: {extValue: «null»}\n",
    says: /the function `extValue` is taken away, and lines use it/
  },
  {
    what: "a misspelt key of an order",
    code: "unknown-key",
    overlay: "visit:\n  triages: {orderBy: [{«fields»: title}]}\n",
    says: /did you mean `field`/
  },
  {
    what: "an order without a field",
    code: "missing-key",
    overlay: "visit:\n  triages: {orderBy: [«{conceptMap: sex}»]}\n",
    says: /needs a `field` or a `path`/
  },
  {
    what: "a misspelt key of a component, with the list of keys",
    code: "unknown-field",
    overlay: "visit:\n  triages: {«grupBy»: [id]}\n",
    says: /did you mean `groupBy`.*words: .*forEachOrNull/
  },
  {
    what: "a misspelt field of a section that is switched off",
    code: "unknown-field",
    overlay: "visit:\n  soaps: {enabled: false, «subjektive»: null}\n",
    says: /did you mean `subjective`/
  },
  {
    what: "a misspelt field of a branch that is switched off",
    code: "unknown-field",
    overlay: "visit:\n  invoices: {unionAll: {claim: {enabled: false, «totl»: null}}}\n",
    says: /did you mean `total`/
  },
  {
    what: "a misspelt attribute in a section that is switched off",
    code: "unknown-key",
    overlay: "visit:\n  soaps: {enabled: false, subjective: {«pth»: id}}\n",
    says: /did you mean `path`/
  },
  {
    what: "rows of two paths",
    code: "invalid-value",
    overlay: "visit:\n  patient:\n    address: {forEachOrNull: «[address, contact.address]»}\n",
    says: /is one path.*unionAll/
  },
  // keys
  {
    what: "an element in a key of visits",
    code: "unknown-element",
    overlay: "key:\n  visit: {path: \"identifier.where(«sistem» = 'x').value\"}\n",
    says: /Identifier has no element `sistem`.*did you mean `system`/
  },
  {
    what: "an element in a key of patients",
    code: "unknown-element",
    overlay: "key:\n  patient: identifier.«vale»\n",
    says: /did you mean `value`/
  },
  {
    what: "a key without a path",
    code: "required-field",
    warning: true,
    overlay: "key: {«patient»: null}\n",
    says: /never has a value/
  },
  // names of the language
  {
    what: "a function with the name of one of FHIRPath",
    code: "invalid-value",
    overlay: "function: {«first»: id}\n",
    says: /`first\(\)` is a function of FHIRPath/
  },
  {
    what: "a function with the name of one of the language",
    code: "invalid-value",
    overlay: "function: {«keyOf»: {parameters: [name], path: id}}\n",
    says: /is a function of the mapping language/
  },
  {
    what: "a constant with the name of a variable",
    code: "invalid-value",
    overlay: "constant: {«patient»: x}\n",
    says: /`%patient` is a variable/
  },
  {
    what: "a function that calls itself",
    code: "invalid-value",
    overlay: "function:\n  medicine: \"code | ingredient.«medicine»()\"\n",
    says: /calls itself/
  },
  {
    what: "functions that call each other",
    code: "invalid-value",
    overlay: "function:\n  order: basedOn.«medicine»()\n  medicine: code.order()\n",
    says: /call each other.*→/
  },
  {
    what: "a function that is used and has no path",
    code: "missing-key",
    overlay: "function: {extValue: {path: «null»}}\n",
    says: /has no path/
  },
  // units
  {
    what: "a unit UCUM does not know",
    code: "invalid-value",
    overlay: "visit:\n  triages: {height: {unit: {to: «cms»}}}\n",
    says: /no unit `cms`/
  },
  {
    what: "a unit as it is commonly written",
    code: "invalid-value",
    overlay: "visit:\n  triages: {height: {unit: «mmHg»}}\n",
    says: /did you mean `mm\[Hg\]`/
  },
  {
    what: "a unit of a concept map of units",
    code: "invalid-value",
    overlay: "conceptMap:\n  vital_unit: {table: {Temperature: «degC»}}\n",
    says: /`vital_unit` gives `degC`, which is no unit/
  },
  {
    what: "a spelling of a unit UCUM does not know",
    code: "invalid-value",
    overlay: "conceptMap:\n  unit_spelling: {table: {cms: «centimeters»}}\n",
    says: /`unit_spelling` gives `centimeters`/
  },
  {
    what: "an invalid number of decimals",
    code: "invalid-value",
    overlay: "visit:\n  triages: {height: {unit: {round: «two»}}}\n",
    says: /from 0 to 10/
  },
  {
    what: "more decimals than a number has",
    code: "invalid-value",
    overlay: "visit:\n  triages: {height: {unit: {round: «11»}}}\n",
    says: /from 0 to 10/
  },
  // values that the mapping states
  {
    what: "an invalid fixed day",
    code: "invalid-value",
    overlay: "visit:\n  patient: {birthdate: {value: «yesterday»}}\n",
    says: /cannot be `yesterday`.*1990-12-31/
  },
  {
    what: "an invalid fixed number",
    code: "invalid-value",
    overlay: "visit:\n  triages: {height: {value: «tall»}}\n",
    says: /a number, for example/
  },
  {
    what: "an invalid fixed truth value",
    code: "invalid-value",
    overlay: "visit:\n  referrals: {referred_to: {has_called: {value: «maybe»}}}\n",
    says: /true or false/
  },
  {
    what: "a fixed value that is not one of the closed set",
    code: "invalid-value",
    overlay: "visit:\n  patient: {sex: {value: «male»}}\n",
    says: /one of: /
  },
  {
    what: "a default that is not a time",
    code: "invalid-value",
    overlay: "visit:\n  discharged_at: {path: period.end, default: «never»}\n",
    says: /`default` of `discharged_at`.*a date and time/
  },
  {
    what: "a path together with a fixed value",
    code: "invalid-value",
    warning: true,
    overlay: "visit:\n  patient: {occupation: {value: Farmer, «path»: id}}\n",
    says: /never evaluated.*`default`/
  },
  {
    what: "a mandatory field of no paths",
    code: "required-field",
    warning: true,
    overlay: "visit:\n  admitted_at: «[]»\n",
    says: /mandatory and never has a value/
  },
  {
    what: "a mandatory field of the empty collection",
    code: "required-field",
    warning: true,
    overlay: "visit:\n  admitted_at: «\"{}\"»\n",
    says: /mandatory and never has a value/
  },
  {
    what: "a mandatory field of a fixed blank",
    code: "required-field",
    warning: true,
    overlay: "visit:\n  admitted_at: «{value: \"\"}»\n",
    says: /mandatory and never has a value/
  },
  // one mistake, one message
  {
    what: "a type of visits that does not exist",
    code: "unknown-element",
    overlay: "grouping: {resource: «Encouter»}\n",
    says: /did you mean `Encounter`/
  },
  {
    what: "a type of rows that is not a text",
    code: "invalid-value",
    overlay: "visit:\n  surgeries: {resource: «5»}\n",
    says: /is a text/
  },
  {
    what: "`sameAs` of a section of another form",
    code: "invalid-value",
    overlay: "visit:\n  inpatients: {sameAs: «surgeries»}\n",
    says: /has other fields/
  },
  {
    what: "a section of the base that is removed",
    code: "invalid-value",
    overlay: "conceptMap: «null»\n",
    says: /is a map.*leave it out to keep/
  },
  {
    what: "an unknown branch that is enabled",
    code: "unknown-branch",
    overlay: "visit:\n  invoices: {unionAll: {«claims»: {enabled: true}}}\n",
    says: /did you mean `claim`/
  },
  {
    what: "a constant of another type than the base's",
    code: "invalid-value",
    overlay: "constant: {patient_code_system: «5»}\n",
    says: /is a text in the mapping below/
  },
  {
    what: "a base that is not shipped",
    code: "unreadable-file",
    overlay: "«fhir-r5»",
    says: /did you mean `fhir-r4`.*shipped mappings: .*fhir-r4.*us-synthetic/
  },
  // concept maps
  {
    what: "a concept map that delegates to an unknown one",
    code: "unknown-concept-map",
    overlay: "conceptMap:\n  marital_status: {unmapped: {table: «sexx»}}\n",
    says: /did you mean `sex`/
  },
  {
    what: "a policy without a value",
    code: "missing-key",
    overlay: "conceptMap:\n  sex: {unmapped: «{}»}\n",
    says: /needs `fixed`, `table` or `policy`.*reject/
  },
  {
    what: "two policies",
    code: "invalid-value",
    overlay: "conceptMap:\n  sex: {unmapped: {fixed: M, «table»: marital_status}}\n",
    says: /`fixed` and `table` do not go together/
  },
  {
    what: "a code with trailing white space",
    code: "invalid-value",
    warning: true,
    overlay: "conceptMap:\n  sex: {table: {«\"man \"»: M}}\n",
    says: /1 code .*white space.*write {2}"man"/
  },
  {
    what: "a code with an invisible character",
    code: "invalid-value",
    warning: true,
    overlay: "conceptMap:\n  sex: {table: {«\"m\\u200Ban\"»: M}}\n",
    says: /not seen.*write {2}"man"/
  }
]

/** A mistake in one path of a field of the patient. */
const inPath = (
  what: string,
  path: string,
  code: string,
  says: RegExp
): Mistake => ({
  what,
  code,
  says,
  overlay: `visit:\n  patient:\n    phone: {path: ${JSON.stringify(path)}, take: first}\n`
})

mistakes.push(
  // how many arguments
  inPath(
    "an extra argument of a function of the language",
    "address.«conceptCode»('a', 'b')",
    "wrong-arguments",
    /takes one argument and is given two.*conceptCode\('system'\)/
  ),
  inPath(
    "codes as several arguments",
    "iif(address.type.«hasCode»('a', 'b'), 'x')",
    "wrong-arguments",
    /one text, with spaces/
  ),
  inPath(
    "a function of the language without its argument",
    "«keyOf»()",
    "wrong-arguments",
    /given none.*keyOf\('key'\)/
  ),
  inPath("a function that takes none", "name.«humanName»('official')", "wrong-arguments", /takes no argument/),
  inPath("an unknown condition", "telecom.«where»().value", "wrong-arguments", /where\(condition\)/),
  inPath(
    "a substring without a start",
    "id.«substring»()",
    "wrong-arguments",
    /one or two.*substring\(start, length\?\)/
  ),
  inPath("two types at once", "deceased.«ofType»(boolean, dateTime)", "wrong-arguments", /ofType\(Type\)/),
  // names in arguments
  inPath("a list the visit does not have", "iif(«isRow»('vital_signs', 1), 'x')", "wrong-arguments", /isRow\('list'\)/),
  inPath("a misspelt list", "iif(isRow('«vital_sign»'), 'x')", "unknown-field", /did you mean `vital_signs`/),
  inPath("a misspelt time of day", "slot('«mornin»').toString()", "wrong-arguments", /did you mean `morning`/),
  inPath(
    "a misspelt type in a function",
    "link.other.getReferenceKey('«Pateint»')",
    "unknown-element",
    /did you mean `Patient`/
  ),
  inPath(
    "a reverse reference without an element",
    "reverseResolve('«Observation»').id",
    "wrong-arguments",
    /by which element.*hasMember/
  ),
  inPath(
    "a reverse reference by a code",
    "reverseResolve('«Observation.code»').id",
    "wrong-arguments",
    /refers to no record.*CodeableConcept/
  ),
  inPath("records of a misspelt type", "inVisit('«Apointment»').id", "unknown-element", /did you mean `Appointment`/),
  inPath("a name without its quotes", "telecom.value.translated(«vital_name»)", "wrong-arguments", /'vital_name'/),
  // texts that are written over several lines, or with escapes
  {
    what: "a function in a folded block",
    code: "unknown-function",
    overlay:
      "visit:\n  patient:\n    name: >-\n      name.where(use = 'official')\n        .«humanNam»()\n      .first()\n",
    says: /humanName/
  },
  {
    what: "an element in a block of lines",
    code: "unknown-element",
    overlay:
      "visit:\n  patient:\n    phone:\n      take: first\n      path: |\n        telecom.where(system = 'phone')\n\n        .«valu»\n",
    says: /did you mean `value`/
  },
  {
    what: "an element in a quoted text of several lines",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    phone: {take: first, path: \"telecom\n      .«valu»\"}\n",
    says: /did you mean `value`/
  },
  {
    what: "an element after doubled quotes",
    code: "unknown-element",
    overlay: "visit:\n  patient:\n    phone: {take: first, path: 'telecom.where(system = ''phone'').«valu»'}\n",
    says: /did you mean `value`/
  },
  {
    what: "an end in a block of lines",
    code: "invalid-path",
    overlay:
      "visit:\n  patient:\n    phone:\n      take: first\n      path: >-\n        telecom.where(\n        system = 'phone'«»\n",
    says: /`\)` is missing at the end/
  },
  {
    what: "an index that is never closed",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    name: name.given[0«»\n",
    says: /`\]` is missing at the end.*close what `given\[` opens with {2}\]$/
  },
  {
    what: "a call that is never closed",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    name: name.given.first(«»\n",
    says: /`\)` is missing at the end.*close what `first\(` opens/
  },
  {
    what: "a bracket that closes one of another kind",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    name: name.given[0«)»\n",
    says: /`\]` is missing before `\)`/
  },
  {
    what: "a bracket that closes nothing",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    name: name.given.first()«)».trim()\n",
    says: /this `\)` closes nothing.*remove it/
  },
  {
    what: "an expression with an unexpected token",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    name: name.given.first() «given»\n",
    says: /it can be read up to {2}name\.given\.first\(\)$/
  },
  {
    what: "an expression that ends in an operator",
    code: "invalid-path",
    overlay: "visit:\n  patient:\n    name: name.given.first() &«»\n",
    says: /something is missing at the end.*after {2}name\.given\.first\(\) & {2}an element or a value follows$/
  },
  // conditions and comparisons
  {
    what: "a condition that is a code",
    code: "wrong-type",
    overlay: "visit:\n  surgeries:\n    where: {surgical: «status»}\n",
    says: /true or false.*finds code.*status = '…'/
  },
  {
    what: "a condition that is a text",
    code: "wrong-type",
    overlay: "visit:\n  surgeries:\n    where: {surgical: «code.conceptText()»}\n",
    says: /true or false.*finds string/
  },
  {
    what: "a condition that is a concept",
    code: "wrong-type",
    overlay: "visit:\n  surgeries:\n    where: {surgical: «category»}\n",
    says: /finds CodeableConcept.*category\.hasCode/
  },
  {
    what: "a condition of the visit's encounters that is an element",
    code: "wrong-type",
    overlay: "grouping:\n  where: {own: «serviceProvider»}\n",
    says: /finds Reference.*serviceProvider\.exists\(\)/
  },
  {
    what: "a concept that is compared with a text",
    code: "wrong-type",
    overlay: "visit:\n  triages:\n    where: {code: \"«code» = '8302-2'\"}\n",
    says: /no text is `=` to this.*finds CodeableConcept.*code\.hasCode/
  },
  {
    what: "a Coding that is compared with a text",
    code: "wrong-type",
    overlay: "visit:\n  outpatients:\n    where: {kind: \"«class» = 'AMB'\"}\n",
    says: /finds Coding.*class\.hasCode/
  },
  {
    what: "a concept among texts",
    code: "wrong-type",
    overlay: "visit:\n  triages:\n    where: {code: \"«code» in ('a' | 'b')\"}\n",
    says: /no text is `in` to this/
  },
  inPath("a truth value that is compared with a text", "iif(«active» = 'true', id)", "wrong-type", /active = true/),
  // what references name
  {
    what: "an element of the resource that a reference names",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    service_type: location.resolve().«nme»\n",
    says: /Location has no element `nme`.*did you mean `name`/
  },
  {
    what: "an element that none of several resources has",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    surgeon_name: performer.first().actor.resolve().«nme».text\n",
    says: /Practitioner, PractitionerRole, Organization … has no element/
  },
  inPath(
    "a type that a reference never has",
    "managingOrganization.resolve().ofType(«Location»).name",
    "unknown-element",
    /never of type/
  ),
  inPath("a reference of a choice", "%visit.reasonReference.resolve().«cod»", "unknown-element", /did you mean `code`/),
  // what an element is taken for
  inPath(
    "a function without its brackets",
    "telecom.value.«first»",
    "unknown-element",
    /a function has brackets: `first\(\)`/
  ),
  inPath("a value of a value", "birthDate.«value»", "unknown-element", /leave {2}\.value {2}out/),
  inPath("a text without its quotes", "«Farmer»", "unknown-element", /\{value: Farmer\}/),
  {
    what: "an element of the patient on another record",
    code: "unknown-element",
    overlay: "visit:\n  surgeries:\n    service_type: «birthDate»\n",
    says: /%patient\.birthDate/
  },
  // patterns that are none
  inPath(
    "an invalid regular expression",
    "telecom.where(value.matches('«(a»')).value",
    "wrong-arguments",
    /not a regular expression/
  ),
  inPath(
    "a backslash that is lost",
    "telecom.where(value.matches('«\\d+»')).value",
    "wrong-arguments",
    /written twice/
  ),
  // variables
  inPath("a variable that has no value here", "identifierIn(«%sct»)", "unknown-constant", /no constant `%sct`/),
  inPath("a misspelt variable at the start", "«%patent».id", "unknown-constant", /did you mean `%patient`/),
  // habits of other languages
  inPath("an equal of other languages", "telecom.where(system «==» 'phone').value", "invalid-path", /one `=`/),
  inPath(
    "an `and` of other languages",
    "telecom.where(system = 'phone' «&&» use = 'home').value",
    "invalid-path",
    /a and b/
  ),
  inPath("an `or` of other languages", "telecom.where(use = 'work' «||» use = 'home').value", "invalid-path", /a or b/),
  inPath("an unequal of other languages", "telecom.where(system «<>» 'phone').value", "invalid-path", /a != b/),
  inPath("a text in double quotes", "telecom.where(system = «\"»phone\").value", "invalid-path", /single quotes/),
  inPath("quotes of a word processor", "telecom.where(system = «‘»phone’).value", "invalid-path", /straight/),
  inPath(
    "an operator in capitals",
    "telecom.where(system = 'phone' «AND» use = 'home').value",
    "invalid-path",
    /written small/
  ),
  inPath("a `not` before what it denies", "telecom.where(«not» value.exists()).value", "invalid-path", /\.not\(\)/),
  inPath("a question mark", "active «?» 'a' : 'b'", "invalid-path", /iif\(/),
  inPath("two paths with a comma", "name.family«,» name.text", "invalid-path", /are a list/),
  inPath("two dots", "telecom.«.»value", "invalid-path", /two dots/),
  inPath(
    "a list of values in brackets",
    "telecom.where(use in «(»'home', 'work')).value",
    "invalid-path",
    /'x' \| 'y'/
  ),
  inPath("a text that is never closed", "telecom.where(use = «'»home).value", "invalid-path", /never closed/),
  inPath(
    "an unknown operator",
    "telecom.where(use «equals» 'home').value",
    "invalid-path",
    /`equals` is not expected here/
  ),
  inPath("an end in the middle", "telecom.where(use = 'home' and«»", "invalid-path", /missing at the end/),
  inPath(
    "a condition that is too long",
    `«i»if(${Array.from({ length: 1500 }, () => "id = 'x'").join(" or ")}, id)`,
    "invalid-path",
    /too long.*concept map/
  ),
  inPath(
    "brackets that are nested too deep",
    `«${"(".repeat(1)}»${"(".repeat(3000)}id${")".repeat(3001)}`,
    "invalid-path",
    /nested too deep.*function/
  )
)

const load = (text: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const file = `${folder}/mapping.yaml`
    yield* fs.writeFileString(file, text)
    return yield* loadMapping(file, "mappings")
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("The check of a mapping, before any record is read,", () => {
  for (const { what, code, overlay, says, warning } of mistakes) {
    it.effect(`reports ${what} at its location, with a correction`, () =>
      Effect.gen(function*() {
        const start = overlay.indexOf("«")
        const marked = overlay.slice(start + 1, overlay.indexOf("»"))
        const above = code === "unreadable-file" ? "mapping: example\nextends: " : head
        const before = above + overlay.slice(0, start)
        const text = above + overlay.replace(/[«»]/gu, "")
        const { checked, problems } = yield* load(text)
        assert.strictEqual(checked !== undefined, warning === true)
        assert.deepStrictEqual(problems.map(({ severity }) => severity), [warning === true ? "warning" : "error"])
        assert.deepStrictEqual(problems.map((problem) => problem.code), [code])
        const [problem] = problems
        const words = [
          problem!.title,
          problem!.label,
          ...(problem!.help ?? []),
          ...(problem!.labels ?? []).map((label) => label.text)
        ]
          .join(" ")
        assert.match(words, says)
        if (start < 0) return
        assert.strictEqual(problem!.mapping?.line, before.split("\n").length)
        assert.strictEqual(problem!.mapping?.column, before.split("\n").at(-1)!.length + 1)
        assert.strictEqual(problem!.mapping!.endColumn - problem!.mapping!.column, Math.max(1, marked.length))
      }))
  }

  for (
    const path of [
      "id",
      "name.first().id",
      "extension.url.first()",
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
        const { problems } = yield* load(`${head}visit:\n  patient:\n    occupation: ${JSON.stringify(path)}\n`)
        assert.deepStrictEqual(problems, [])
      }))
  }

  for (
    const condition of [
      "status != 'not-done'",
      "category.exists() and category.text != 'other'",
      "category.text.empty() or category.text != 'other'",
      "category.text.exists($this = 'other').not()",
      "performer.actor.exists() and status = 'completed'",
      "id != %visit.id"
    ]
  ) {
    it.effect(`accepts the condition ${condition}`, () =>
      Effect.gen(function*() {
        const { problems } = yield* load(
          `${head}visit:\n  surgeries:\n    where: {own: ${JSON.stringify(condition)}}\n`
        )
        assert.deepStrictEqual(problems.map(({ title }) => title), [])
      }))
  }

  it.effect("accepts a function body with an element that only some of its inputs have", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(
        `${head}function:\n  said: "(text | display).first()"\n  kind: "iif($this is Quantity, value.toString(), iif($this is Coding, display, toString()))"\n`
          + "visit:\n  patient:\n    occupation: maritalStatus.said()\n    nationality: maritalStatus.coding.first().said()\n    phone: maritalStatus.coding.first().kind()\n"
      )
      assert.deepStrictEqual(problems, [])
    }))

  it.effect("lists only elements as suggestions", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(`${head}visit:\n  patient:\n    occupation: "extension('a').valu3s"\n`)
      const [problem] = problems
      assert.match(problem!.help!.join(" "), /elements: .*\bvalue\b/)
      assert.notMatch(problem!.help!.join(" "), /valueString/)
    }))

  it.effect("reports anchors and aliases, which hide the location of a value", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(`${head}constant: {a: &x b, c: *x, d: *x}\n`)
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
        const { problems } = yield* load(text)
        assert.deepStrictEqual(problems.map((problem) => problem.code), [code])
        const [{ help = [], label, mapping }] = problems as [(typeof problems)[number]]
        assert.match([label, ...help].join(" "), says)
        assert.strictEqual(mapping?.line, line)
      }))
  }

  it.effect("reports all missing lines of a component in one message", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(`${head}visit:\n  surgeries: {unionAll: {own: {resource: Task}}}\n`)
      assert.deepStrictEqual(problems.filter((problem) => problem.code === "missing-field"), [])
      const whole = yield* load(`${head}visit:\n  invoices: {unionAll: {own: {resource: Task}}}\n`)
      assert.strictEqual(whole.problems.filter((problem) => problem.code === "missing-field").length, 1)
    }))

  it.effect("reports a mapping that extends itself", () =>
    Effect.gen(function*() {
      const { problems } = yield* load("mapping: example\nextends: ./mapping.yaml\n")
      assert.deepStrictEqual(problems.map((problem) => problem.code), ["circular-extends"])
    }))

  it.effect("reports all mistakes of a file at once", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(
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
      const { problems } = yield* load(
        `${head}visit:\n  patient: {spid: identifierIn(%nothing)}\n  admited_at: period.start\n  code: keyOff('visit')\ngrouping: {partOff: x}\nconstnat: {a: b}\n`
      )
      assert.deepStrictEqual(problems.map(({ mapping }) => mapping!.line), [4, 5, 6, 7, 8])
    }))

  it.effect("reports a mistake that several branches inherit once", () =>
    Effect.gen(function*() {
      const { problems } = yield* load(`${head}visit:\n  medical_histories: {visit_code: keyOff('visit')}\n`)
      assert.strictEqual(problems.length, 1)
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

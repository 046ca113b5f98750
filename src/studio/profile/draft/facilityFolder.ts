import { number, plural } from "../../../diagnostic/count.ts"
import type { Profile } from "../Profile.ts"
import { overlayText } from "./overlayText.ts"

/** The initial content of a facility folder. */
interface FacilityFolder {
  /** The name of the mapping: a word. */
  readonly name: string
  readonly timezone: string
  /** Why the zone is a guess; `undefined` where a flag names it. */
  readonly zoneGuess: string | undefined
  /** The profile of sample data, if there is some. */
  readonly profile: Profile | undefined
}

/** The files of a facility folder, by their names in it. */
export const facilityFiles = (folder: FacilityFolder): ReadonlyMap<string, string> =>
  new Map([
    ["facility.yaml", facilityYaml(folder)],
    ["mapping.yaml", mappingYaml(folder)],
    ["tables/README.md", tablesReadme],
    ["README.md", readme(folder)],
    [".gitignore", ignored]
  ])

const facilityYaml = ({ profile, timezone, zoneGuess }: FacilityFolder): string =>
  `# Issued by the operator of the service. Write yours, and remove the sign before the lines.
# facility: HF0001
# name: What reports call the hospital
# system: OUR-SYSTEM

# The zone of times without an offset, and of the times that are sent.${offsets(profile)}${
    zoneGuess === undefined
      ? ""
      : `
# QUESTION is this your time zone? It is a guess: ${zoneGuess}.
# A wrong one moves every time that has no offset.`
  }
timezone: ${timezone}
${ownServer(profile)}
mapping: mapping.yaml
tables: tables

# Where the service is. Credentials are read from the environment: FHIR2VISIT_USERNAME, FHIR2VISIT_PASSWORD, FHIR2VISIT_CLIENT_ID,
# FHIR2VISIT_CLIENT_SECRET, or each in a file that …_FILE names.
# service: {baseUrl: "https://…", authUrl: "https://…"}
`

/** The base addresses that can be those of the facility's own server. */
const ownServer = (profile: Profile | undefined): string => {
  const [question] = serverQuestion(profile)
  return question === undefined
    ? ""
    : `
# QUESTION ${question}
# sameServer: [${profile?.references.servers.map(([base]) => JSON.stringify(base)).join(", ")}]
`
}

/** Asks about references whose base address no record has. Another server can have other records with the same ids. */
export const serverQuestion = (profile: Profile | undefined): ReadonlyArray<string> => {
  const servers = profile?.references.servers ?? []
  const count = servers.reduce((sum, [, references]) => sum + references, 0)
  return servers.length === 0 ? [] : [
    `is this your own FHIR server?  ${servers.map(([base]) => base).join(", ")}: ${
      plural(count, "reference has its address", "references have its address")
    }, and no record has. If it is, remove the sign before  sameServer:  in facility.yaml. Until then these references lead to no record, and their visits are rejected`
  ]
}

const offsets = (profile: Profile | undefined): string => {
  const found = profile?.dates.offsets ?? []
  return found.length === 0
    ? ""
    : ` Offsets in the sample: ${
      found.slice(0, 4).map(([offset, count]) => `${offset} (${number(count)})`).join(", ")
    }.`
}

const mappingYaml = ({ name, profile }: FacilityFolder): string =>
  profile === undefined || profile.suggestions.overlay === ""
    ? `# The differences from the base mapping. \`fhir2visit profile EXPORT\` suggests lines; docs/mapping.md is the language.
mapping: ${name}
${
      profile !== undefined && isTabular(profile)
        ? "extends: csv\n"
        : "extends: fhir-r4\n\n# constant:\n#   patient_code_system: \"http://our-hospital.example/id/patient\"\n"
    }`
    : `${overlayText(profile, { mapping: name, extends: isTabular(profile) ? "csv" : "fhir-r4" })}${notes(profile)}`

/** Returns true if the sample consists only of tables. */
export const isTabular = ({ records, tables }: Profile): boolean => records === 0 && tables.length > 0

const notes = ({ suggestions }: Profile): string =>
  suggestions.notes.length === 0
    ? ""
    : `\n# The lines above do not decide:\n${suggestions.notes.map((note) => `# - ${note}\n`).join("")}`

const tablesReadme = `# Code tables

One CSV file for each concept map, with its name. \`fhir2visit codes unmapped EXPORT --facility . -o tables\`, typed in the folder
above, writes a line for each unmapped code, the ones that block most visits first. Fill in the column \`value\`; lines
without one are ignored. A spreadsheet may open and save the files.
`

const readme = ({ name, profile }: FacilityFolder): string =>
  `# ${name}

| file | |
|---|---|
| \`facility.yaml\` | who sends, in which time zone, to which service |
| \`mapping.yaml\` | what differs from the base mapping |
| \`assumptions.yaml\` | the assumptions that the facility accepts: \`accept: {NAME: "WHY, WHO, WHEN"}\` |
| \`tables/\` | code tables: from the source's codes to the service's values |
| \`cases/\` | what the mapping should make of records, as pages that \`mapping test\` runs |

${
    profile === undefined
      ? "The mapping has no lines of its own yet: `fhir2visit profile EXPORT` suggests some."
      : `The mapping began with a profile of ${
        plural(profile.records + profile.tables.reduce((sum, { rows }) => sum + rows, 0), "record")
      }.${
        profile.suggestions.substitutes.length === 0
          ? ""
          : ` It makes assumptions about what the data never has (${
            profile.suggestions.substitutes.map((field) => `\`${field}\``).join(", ")
          }). Before anything is sent, accept each in \`assumptions.yaml\`, or change its line.`
      }`
  }

    fhir2visit mapping check --facility .
    fhir2visit mapping test --facility .
    fhir2visit convert EXPORT --facility . -o visits.ndjson --rejected rejected.ndjson
    fhir2visit codes unmapped EXPORT --facility . -o tables
    fhir2visit run EXPORT --facility . --sandbox
    fhir2visit run EXPORT --facility .

Visits, rejected files and the journal hold patient data: \`.gitignore\` excludes them from version control.
`

const ignored = `.fhir2visit/
visits*.json
rejected*.json
*.ndjson
*.ndjson.gz
*.sqlite*
report*.json
report*.html
`

/**
 * A first case: a made-up patient with a visit. The patient has the code as id and in each system that can be that of the code. So the
 * case also passes with another system.
 */
export const firstCase = (patientCodeSystems: ReadonlyArray<string>): string =>
  `# Visits

\`\`\`json source
[
  {"resourceType": "Patient", "id": "P-1", "gender": "female", "birthDate": "1990-04-12",
   "identifier": [${
    patientCodeSystems.map((system) => `{"system": ${JSON.stringify(system)}, "value": "P-1"}`).join(",\n     ")
  }],
   "name": [{"family": "Example", "given": ["Ann"]}]},
  {"resourceType": "Encounter", "id": "e1", "status": "finished", "class": {"code": "AMB"}, "subject": {"reference": "Patient/P-1"},
   "period": {"start": "2026-03-02T08:15:00+07:00", "end": "2026-03-02T09:00:00+07:00"}}
]
\`\`\`

## A patient is known by the patient code

\`\`\`json visit
{"patient_code": "P-1", "patient": {"surname": "Example", "name": "Ann", "sex": "F"}}
\`\`\`
`

/** A first case if no table of visits was found: it has files of the canonical extract. */
export const firstTablesCase = `# Visits

\`\`\`csv source visit.csv
code,patient_code,visit_type,admitted_at,discharged_at
V-1,P-1,OPD,2026-03-02T08:15:00+07:00,2026-03-02T09:00:00+07:00
\`\`\`

\`\`\`csv source patient.csv
code,surname,name,sex,birthdate
P-1,Example,Ann,F,1990-04-12
\`\`\`

## A patient is known by the patient code

\`\`\`json visit
{"patient_code": "P-1", "patient": {"surname": "Example", "name": "Ann", "sex": "F"}}
\`\`\`
`

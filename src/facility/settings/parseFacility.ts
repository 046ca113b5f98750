import type { Diagnostic } from "../../diagnostic/Diagnostic.ts"
import { checkNumbers } from "../../mapping/language/checkNumbers.ts"
import { keysOf, readValues } from "../../mapping/language/grammar/Kind.ts"
import type { SyntaxEntry } from "../../mapping/language/MappingSyntax.ts"
import { parseYaml } from "../../mapping/language/parseYaml.ts"
import type { SourceSettings } from "../../mirror/SourceSettings.ts"
import { withoutAbsent } from "../../objects.ts"
import type { DirectSettings, FacilityValidation } from "../Facility.ts"
import { facilityKeys, gazetteerKeys } from "./facilityGrammar.ts"
import { FacilityReader } from "./FacilityReader.ts"
import { parseValidation } from "./parseValidation.ts"
import { readResponseRules } from "./readResponseRules.ts"
import { readBeneficiarySettings, readListSettings, readReconcile, readRetry, readSource } from "./readSections.ts"
import { authKeys, limitsKeys, serviceKeys } from "./serviceGrammar.ts"
import { filePath, type Setting, textSetting } from "./settingKinds.ts"

/** A `facility.yaml` as written. Missing settings are absent; relative paths are not yet resolved. */
export interface FacilitySettings {
  readonly facility?: Setting<string>
  readonly name?: Setting<string>
  readonly system?: Setting<string>
  readonly timezone?: Setting<string>
  readonly mapping?: Setting<string>
  /** A folder of tables, or each table's file by its name. */
  readonly tables?: Setting<string | ReadonlyMap<string, Setting<string>>>
  readonly gazetteer?: Setting<string>
  readonly baseUrl?: Setting<string>
  readonly authUrl?: Setting<string>
  readonly caFile?: Setting<string>
  readonly tokensPerMinute?: Setting<number>
  readonly requestsPerHour?: Setting<number>
  readonly reserve?: Setting<number>
  /** The file that counts the requests of several facilities. */
  readonly shared?: Setting<string>
  readonly journal?: Setting<string>
  readonly validation?: Partial<FacilityValidation>
  readonly source?: SourceSettings
  readonly direct?: Partial<DirectSettings>
}

/** Parses the text of a `facility.yaml`, and reports everything that is invalid. An empty file is not a facility. */
export const parseFacility = (
  file: string,
  text: string
): { readonly settings?: FacilitySettings; readonly problems: ReadonlyArray<Diagnostic> } => {
  const reader = new FacilityReader()
  if (text.trim() === "") {
    reader.report("invalid-facility", { file, line: 1, column: 1, endColumn: 2 }, "the file is empty", {
      help: ["write at least `facility: CODE` and `timezone: Area/City`"]
    })
    return { problems: reader.problems }
  }
  const { problems, syntax } = parseYaml(file, text)
  if (syntax === undefined) return { problems }
  checkNumbers(reader, syntax)
  const root = reader.map(syntax, "a facility file", keysOf(facilityKeys))
  if (root === undefined) return { problems: reader.problems }
  const { environment, facility, fhirVersion, journal, mapping, name, sameServer, system, tables, timezone } =
    readValues(
      reader,
      facilityKeys,
      root
    )
  const settings = {
    facility,
    name,
    system,
    timezone,
    mapping,
    tables: tables === undefined ? undefined : readTables(reader, tables),
    gazetteer: reader.section(root, "gazetteer", gazetteerKeys).values.file,
    ...reader.section(root, "service", serviceKeys).values,
    ...reader.section(root, "limits", limitsKeys).values,
    journal,
    validation: parseValidation(reader, root),
    source: readSource(reader, root),
    direct: withoutAbsent({
      environment,
      sameServer,
      fhirVersion,
      auth: reader.section(root, "auth", authKeys).values,
      ...readBeneficiarySettings(reader, root),
      ...readResponseRules(reader, root),
      retry: readRetry(reader, root),
      reconcile: readReconcile(reader, root),
      ...readListSettings(reader, root)
    })
  }
  if (!root.entries.has("timezone")) {
    reader.report(
      "missing-key",
      { ...root.span, endColumn: root.span.column + 1 },
      "a facility file names its `timezone`",
      { help: ["the zone of times that have no offset, for example  timezone: Asia/Phnom_Penh"] }
    )
  }
  return { settings: withoutAbsent(settings), problems: reader.problems }
}

/** A folder of tables, or each table's file by its name. */
const readTables = (reader: FacilityReader, entry: SyntaxEntry): FacilitySettings["tables"] => {
  const { value } = entry
  if (value.kind !== "map") return textSetting.read(reader, entry, "`tables`")
  const files = [...value.entries].flatMap(([name, table]) => {
    const file = filePath.read(reader, table, `the table \`${name}\``)
    return file === undefined ? [] : [[name, file] as const]
  })
  return { value: new Map(files), span: value.span }
}

import { Command } from "effect/cli"
import { assumptions } from "./commands/assumptions.ts"
import { bench } from "./commands/bench.ts"
import { beneficiary } from "./commands/beneficiary.ts"
import { codes } from "./commands/codes.ts"
import { convert } from "./commands/convert.ts"
import { explain } from "./commands/explain.ts"
import { fetch } from "./commands/fetch.ts"
import { generate } from "./commands/generate.ts"
import { init } from "./commands/init.ts"
import { mapping } from "./commands/mapping.ts"
import { mergeReports } from "./commands/mergeReports.ts"
import { overview } from "./commands/overview.ts"
import { partition } from "./commands/partition.ts"
import { profile } from "./commands/profile.ts"
import { release } from "./commands/release.ts"
import { run } from "./commands/run.ts"
import { sandbox } from "./commands/sandbox.ts"
import { status } from "./commands/status.ts"
import { submit } from "./commands/submit.ts"
import { toCsv } from "./commands/toCsv.ts"
import { toFhir } from "./commands/toFhir.ts"
import { validate } from "./commands/validate.ts"

/** The command line. What is not listed does not exist. */
export const cli = Command.make("fhir2visit").pipe(
  Command.withDescription(
    "Converts HL7 FHIR and CSV extracts into visits for the clinical data service, and submits each visit exactly once.\n\n"
      + "  Exit codes: 0 success; 1 some visits were rejected, or refused by the service; 2 invalid command line, settings, or mapping: "
      + "nothing was sent; 3 temporary failure: run the same command again; 129, 130, 143 interrupted."
  ),
  Command.withSubcommands([
    run,
    convert,
    fetch,
    validate,
    submit,
    status,
    release,
    init,
    profile,
    explain,
    bench,
    mapping,
    codes,
    assumptions,
    beneficiary,
    toFhir,
    toCsv,
    partition,
    mergeReports,
    overview,
    generate,
    sandbox
  ]),
  Command.withExamples([
    {
      command: "fhir2visit run samples/outpatient-fever/input --facility samples/outpatient-fever --sandbox",
      description: "Run one sample visit end to end"
    },
    {
      command: "fhir2visit init hospital-a/ --from export/",
      description: "Create a facility folder from sample data"
    },
    { command: "fhir2visit convert export/ -o visits.ndjson", description: "Convert an export into visits" },
    { command: "fhir2visit validate visits.ndjson", description: "Validate visits before you send them" },
    {
      command: "fhir2visit submit --facility hospital-a/ visits.ndjson --sandbox",
      description: "Rehearse on this machine"
    },
    {
      command: "fhir2visit codes unmapped export/ --facility hospital-a/ -o hospital-a/tables",
      description: "List the unmapped codes"
    }
  ])
)

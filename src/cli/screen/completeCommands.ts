import { dirname, join } from "node:path"
import { shellWord } from "../flags.ts"

/** What the user typed for the command that prints a message. */
export interface Typed {
  readonly facility?: string | undefined
  readonly inputs?: ReadonlyArray<string> | undefined
}

/** The commands that read a facility, as messages name them. */
export const facilityCommands = [
  "run",
  "convert",
  "validate",
  "submit",
  "status",
  "release",
  "profile",
  "workbench",
  "assumptions",
  "beneficiary",
  "partition",
  "fetch",
  "generate",
  "codes pull",
  "codes search",
  "codes unmapped",
  "mapping check",
  "mapping test",
  "mapping fix"
] as const

/** A command of a message ends at two spaces, a backtick, a semicolon, a colon, or the end of the line. */
const printed = new RegExp(`fhir2visit (${facilityCommands.join("|")})(?![\\w-])((?:(?! {2}| \\| )[^\`;:\\n])*)`, "gu")

/** Commands that sentences name without the program. Without a flag, it can be the name of a column or an element. */
const short = /`(status|release)((?: --[a-z-]+)+)`/gu

/**
 * Returns a function that completes the commands of a message, so that they work when they are typed. It inserts the facility and the
 * inputs of the command that prints the message.
 */
export const completeCommands = ({ facility, inputs = [] }: Typed): (text: string) => string => {
  const folder = facility === undefined
    ? "tables"
    : join(/\.ya?ml$/u.test(facility) ? dirname(facility) : facility, "tables")
  const areKnown = inputs.length > 0 && inputs.length <= maxInputs && !inputs.includes("-")
  const input = areKnown ? inputs.map(shellWord).join(" ") : "INPUT"
  const ofFacility = (rest: string) =>
    facility === undefined || / --facility\b/u.test(rest) ? "" : ` --facility ${shellWord(facility)}`
  return (text) =>
    text
      .replaceAll(short, (_, command: string, flags: string) =>
        `\`fhir2visit ${command}${command === "release" && !flags.includes("--wait") ? " VISIT" : ""}${flags}\``)
      .replaceAll(printed, (_, command: string, rest: string) =>
        `fhir2visit ${command}${ofFacility(rest)}${
          rest.replace(/ INPUT\b/u, () =>
            ` ${input}`).replace(/ TABLES\b/u, () =>
              ` ${shellWord(folder)}`)
        }`)
}

/** More inputs would make the line too long to read. */
const maxInputs = 3

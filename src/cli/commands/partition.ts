import { Option } from "effect"
import { Command, Flag } from "effect/cli"
import { common, facility, rejectedOk, withoutBase } from "../flags.ts"
import { later } from "../process/later.ts"
import { inputs } from "./convert.ts"

const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder for the parts. It must not exist or be empty")
)

/** Also the largest number of a part. */
const maxParts = 9999

const into = Flag.Int("into").pipe(
  Flag.withMetavar("N"),
  Flag.filter((count) => count >= 1 && count <= maxParts, () => `--into must be 1 to ${maxParts}`),
  Flag.withDescription(`The number of parts, 1 to ${maxParts}`),
  Flag.optional
)

const units: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9 }

const size = Flag.String("size").pipe(
  Flag.withMetavar("SIZE"),
  Flag.filterMap(
    (text): Option.Option<number> => {
      const [, digits, unit] = /^(\d{1,6})(kB|MB|GB)$/u.exec(text) ?? []
      const bytes = Number(digits) * units[unit ?? ""]!
      return bytes > 0 ? Option.some(bytes) : Option.none()
    },
    (text) => `--size must be a number with kB, MB or GB, for example 200MB; found ${text}`
  ),
  Flag.withDescription("The approximate size of a part (default: 200MB)"),
  Flag.optional
)

export const partition = Command.make(
  "partition",
  { inputs, facility, output, into, size, withoutBase, rejectedOk, ...common },
  (flags) => later(flags, async () => (await import("../handlers/partition.ts")).partition(flags))
).pipe(
  Command.withDescription(
    "Cut an export into parts that are converted independently, on any number of machines. All visits of a patient code are in one part."
  ),
  Command.withShortDescription("Cut an export into parts for many machines"),
  Command.withExamples([
    {
      command: "fhir2visit partition export/ --facility hospital-a/ -o parts/ --into 64",
      description: "Cut into 64 parts"
    }
  ])
)

import { availableParallelism, totalmem } from "node:os"
import type { FillVisit } from "../facility/beneficiary/fillVisits.ts"
import type { LoadedMapping } from "../mapping/language/loadMapping.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { FhirVersionSetting } from "../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"

/** What a conversion is asked for. */
export interface ConversionRequest {
  readonly inputs: ReadonlyArray<string>
  readonly mapping: string
  /** The same mapping, where it is loaded already. */
  readonly loaded?: LoadedMapping
  /** The folder of the mappings that come with the program. */
  readonly shippedMappings: string
  readonly facility: string | null
  readonly system: string | null
  /** Code tables of the facility, put on top of the mapping's concept maps. */
  readonly tables?: ReadonlyArray<NamedTable>
  /** The file of the assumptions that the facility has accepted. */
  readonly accepted?: string | undefined
  /** Base addresses of one server, that of records without an address too. */
  readonly sameServer?: ReadonlyArray<string>
  /** What records are read as. Default: `auto`. */
  readonly fhirVersion?: FhirVersionSetting
  /** IANA name. */
  readonly zone: string
  /** Milliseconds since 1970: what "in the future" is measured by. */
  readonly now: number
  /** Shows file names as they are, also where a patient's name is part of them. */
  readonly showValues: boolean
  /** Tell what no mapping line read. It takes time and memory for each record. */
  readonly coverage?: boolean
  /** What validation is told where it differs from the usual, and the lists that are at hand. */
  readonly validation?: Partial<RuleSettings>
  /** Called while the inputs are read, with the records so far. */
  readonly onRead?: (records: number) => void
  /** Fills in what is known of a visit elsewhere, before it is validated. */
  readonly fill?: FillVisit
  /** Where the run is cut when it does not fit; usual figures, unless said. */
  readonly room?: Partial<MemoryLimits>
  /** Convert an export of changes (`_since`) also where the export before them is not in the input. */
  readonly withoutBase?: boolean
  /** One partition of the run, which `inputs` holds. It cannot be had together with `coverage`. */
  readonly partition?: PartitionChoice
}

/** Which partition is to be converted. */
export interface PartitionChoice {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** `parts.json`; beside the input, unless said. */
  readonly file?: string
}

/** How much of a run is in memory at once. */
export interface MemoryLimits {
  /** Bytes of records that are held in memory. A larger run is put aside on disk and converted part by part. */
  readonly maxInMemoryBytes: number
  /** Bytes of the records of a part, about. */
  readonly partBytes: number
  /** Bytes of a file that a thread reads at once, about. Files much smaller are read by the main thread. */
  readonly chunkBytes: number
  /** Threads that read stretches and convert parts beside this one. */
  readonly workers: number
  /** The memory of each for what lives longer, in MB. A part that does not fit is converted by the main thread. */
  readonly workerMegabytes: number
  /** Whether the main thread does what no worker has room for. */
  readonly helps: boolean
}

/** What the machine, or the container, gives us, in bytes. */
const memoryOf = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

const hasRoom = memoryOf() >= 1024 ** 3

export const defaultMemoryLimits: MemoryLimits = {
  maxInMemoryBytes: (hasRoom ? 32 : 16) * 1024 * 1024,
  partBytes: 512 * 1024,
  chunkBytes: 2 * 1024 * 1024,
  // One for each core beside this thread's; each takes about 90 MB for itself: where there is less than a gigabyte this thread does all.
  workers: hasRoom ? Math.min(availableParallelism() - 1, 3) : 0,
  workerMegabytes: 128,
  helps: true
}

import { availableParallelism, totalmem } from "node:os"
import type { FillVisit } from "../facility/beneficiary/fillVisits.ts"
import type { PathEngine } from "../fhirpath/FhirPath.ts"
import type { LoadedMapping } from "../mapping/load/loadMapping.ts"
import type { NamedTable } from "../mapping/tables/expandTables.ts"
import type { FhirVersionSetting } from "../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../visit/rules/Rule.ts"
import type { FacilityCode, SystemCode } from "../visit/values/Code.ts"

/** The input and the options of a conversion. */
export interface ConversionRequest {
  readonly inputs: ReadonlyArray<string>
  readonly mapping: string
  /** The same mapping, if it is loaded already. */
  readonly loaded?: LoadedMapping
  /** The folder of the mappings that the program includes. */
  readonly shippedMappings: string
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  /** Code tables of the facility, which extend the mapping's concept maps. */
  readonly tables?: ReadonlyArray<NamedTable>
  /** The file of the assumptions that the facility accepts. */
  readonly accepted?: string | undefined
  /** Base addresses of one server, which also apply to records without an address. */
  readonly sameServer?: ReadonlyArray<string>
  /** The FHIR version of the records (default: `auto`). */
  readonly fhirVersion?: FhirVersionSetting
  /** IANA name. */
  readonly zone: string
  /** Milliseconds since 1970: the reference for "in the future". */
  readonly now: number
  /** Shows file names unchanged, even if part of one is a patient's name. */
  readonly showValues: boolean
  /** Reports elements that no mapping line reads. It takes time and memory for each record. */
  readonly coverage?: boolean
  /** Validation settings that differ from the default, and the reference lists that are loaded. */
  readonly validation?: Partial<RuleSettings>
  /** Called while the inputs are read, with the number of records so far. */
  readonly onRead?: (records: number) => void
  /** Fills in facts about a visit from other sources, before it is validated. */
  readonly fill?: FillVisit
  /** What evaluates the expressions of the mapping (default: generated code). */
  readonly engine?: PathEngine | undefined
  /** Memory limits and partition sizes (optional). */
  readonly memoryLimits?: Partial<MemoryLimits>
  /** Converts an export of changes (`_since`) even if the export before it is not in the input. */
  readonly withoutBase?: boolean
  /** One part of the run, which `inputs` holds. It cannot be combined with `coverage`. */
  readonly part?: PartChoice
}

/** The part to convert: the command `partition` cuts a run into parts, for several machines. */
export interface PartChoice {
  /** From 1 to `count`. */
  readonly index: number
  readonly count: number
  /** `parts.json` (default: the one next to the input). */
  readonly file?: string
}

/** Limits for the data in memory. */
export interface MemoryLimits {
  /** Bytes of records held in memory. A larger run is spilled to disk and converted in partitions. */
  readonly maxInMemoryBytes: number
  /** Approximate bytes of the records of a partition. */
  readonly partitionBytes: number
  /** Bytes of shared records, such as practitioners, that each thread keeps parsed. In memory they take several times as much. */
  readonly sharedBytes: number
  /** Approximate bytes of a file that a thread reads at once. The main thread reads much smaller files. */
  readonly chunkBytes: number
  /** Threads that read chunks and convert partitions, in addition to this thread. */
  readonly workers: number
  /** The workers are started for inputs of this size. If `workers` is given, the default is 0. */
  readonly minBytesForWorkers: number
  /** The memory of each worker for long-lived objects, in MB. The main thread converts a partition that does not fit. */
  readonly workerMegabytes: number
  /** Whether the main thread does the work that fits into no worker. */
  readonly helps: boolean
}

/** The memory of the machine or the container, in bytes. */
const memoryOf = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)

const isLargeMachine = memoryOf() >= 1024 ** 3

export const defaultMemoryLimits: MemoryLimits = {
  maxInMemoryBytes: (isLargeMachine ? 32 : 16) * 1024 * 1024,
  partitionBytes: 512 * 1024,
  sharedBytes: 8 * 1024 * 1024,
  chunkBytes: 2 * 1024 * 1024,
  // One worker for each core besides this thread's, at most 3. Each takes about 90 MB; with less than a gigabyte this thread does all the
  // work.
  workers: isLargeMachine ? Math.min(availableParallelism() - 1, 3) : 0,
  // V8 compiles in threads of its own, once for each thread of this program. On two cores, a worker takes that time from this thread, and
  // saves more only if the run is long.
  minBytesForWorkers: availableParallelism() === 2 ? 160 * 1024 * 1024 : 0,
  workerMegabytes: 128,
  helps: true
}

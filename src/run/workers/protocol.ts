import type { FrozenMapping } from "../../mapping/keptMapping.ts"
import type { FhirVersionSetting } from "../../source/versions/FhirVersion.ts"
import type { RuleSettings } from "../../visit/rules/Rule.ts"
import type { FacilityCode, SystemCode } from "../../visit/values/Code.ts"
import type { ChunkTask } from "../read/readChunk.ts"
import type { WorkerRecords } from "./partitionConverter.ts"
import type { PartitionTask } from "./PartitionTask.ts"

/** The initial data of a worker: the mapping, and what visits are made and validated with. */
export interface WorkerSetting {
  readonly mapping: FrozenMapping
  readonly fhirVersion: FhirVersionSetting | undefined
  readonly facility: FacilityCode | null
  readonly system: SystemCode | null
  readonly zone: string
  readonly validation: Partial<RuleSettings> & Pick<RuleSettings, "now">
}

/** A task for a worker. It answers each, in order. */
export type WorkerTask =
  | { readonly _tag: "Chunk"; readonly task: ChunkTask }
  | { readonly _tag: "Partition" | "Codes"; readonly task: PartitionTask }

/** Messages to a worker. It does not answer `Records`, which the next partitions are read from. */
export type WorkerMessage = WorkerTask | { readonly _tag: "Records"; readonly records: WorkerRecords }

/** The answer of a worker. */
export type WorkerAnswer =
  | { readonly _tag: "Done"; readonly result: unknown }
  /** An input could not be read: data of a `SourceError`. */
  | { readonly _tag: "Failed"; readonly reason: { readonly input: string; readonly detail?: string } }

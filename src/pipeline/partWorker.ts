import { parentPort, workerData } from "node:worker_threads"
import { check } from "../mapping/check.ts"
import { visitFields } from "../visit/fields.ts"
import { validateVisit } from "../visit/validateVisit.ts"
import type { PartConverter } from "./partConverter.ts"
import { makePartConverter } from "./partConverter.ts"
import type { WorkerMessage, WorkerSetting } from "./WorkerTeam.ts"

/** A thread that converts parts of a run: it is told where the records stand, then a part at a time, and answers each. */
const { facility, hash, mapping, system, validation, zone } = workerData as WorkerSetting
const { checked } = check(mapping, {
  hash,
  visitFields,
  ...(validation.lists === undefined ? {} : { lists: validation.lists })
})
if (checked === undefined) throw new Error("a mapping that was found good is not")

let converter: PartConverter
parentPort!.on("message", (message: WorkerMessage) => {
  if (message._tag === "Records") {
    converter = makePartConverter({
      checked,
      facility,
      system,
      zone,
      checkVisit: (visit) => validateVisit(visit, validation),
      commons: message.commons,
      descriptor: message.descriptor
    })
  } else parentPort!.postMessage(converter.convert(message.task))
})

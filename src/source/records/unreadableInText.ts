import { LongLine } from "../../json/LongLine.ts"
import { Tokens } from "../../json/Tokens.ts"
import { memberPattern, objectPattern, openPattern } from "../../json/unparsed.ts"
import { getOrMake } from "../../maps.ts"
import { aliasOf, anyOf, identifiersOf, namesOf } from "./UnreadableRecord.ts"
import type { UnreadableRecord } from "./UnreadableRecord.ts"

/**
 * Returns what is known of the records in a text that is not JSON or not a resource. Each resource of a Bundle or an array is a record;
 * contained resources are part of theirs. It makes one pass over the tokens without recursion, so that a damaged text costs no more than
 * reading it.
 */
export const unreadableInText = (text: string): ReadonlyArray<UnreadableRecord> => new UnreadableReader(text).read()

/** A record, up to where its text could be parsed. */
interface PartialRecord {
  type?: string
  id?: string
  fullUrl?: string
  updated?: string
  readonly identifiers: Array<unknown>
  readonly references: Set<string>
  /** Each type that occurs in the text; if the record's own type is not certain, it can be any of them. */
  readonly types: Set<string>
  /** A Bundle, Parameters, or a wrapper: its records count, but it does not. */
  isContainer: boolean
  /** After an error the nesting depth is unknown. */
  isDamaged: boolean
  isClosed: boolean
}

const newRecord = (): PartialRecord => ({
  identifiers: [],
  references: new Set(),
  types: new Set(),
  isContainer: false,
  isDamaged: false,
  isClosed: false
})

/** An open object or array. */
interface Frame {
  readonly isObject: boolean
  /** The key whose value this is; for an array element, the key of the array. */
  readonly under: string | undefined
  /** Represents whatever is open after an error. */
  readonly isUnknown?: boolean
  /** The record that begins here. */
  readonly record?: PartialRecord
  /** The key whose value comes next. */
  key?: string | undefined
  /** The entry's record, whose `fullUrl` may follow. */
  entry?: PartialRecord
  /** Members that identify a reference or an identifier. */
  members?: Record<string, unknown>
}

/** Maximum frames; deeper ones are counted but not read. A resource has about 20 levels. */
const maxFrames = 10_000

/** Members of references, identifiers and records that identify a record and its owner. */
const kept = new Set(["reference", "type", "system", "value"])

/** Where reading can resume after an error. */
const anchor = new RegExp(memberPattern("reference", "identifier", "resourceType", "fullUrl", "resource"), "gu")
const elementStart = objectPattern("resourceType", "id")
const anchorInList = new RegExp(
  `${memberPattern("reference", "identifier", "fullUrl", "resource")}|${elementStart}|${memberPattern("resourceType")}`,
  "gu"
)

const element = new RegExp(elementStart, "uy")
const bracketOrName = new RegExp(`${openPattern}|${memberPattern("reference", "identifier")}`, "gu")

class UnreadableReader {
  readonly #tokens: Tokens
  readonly #frames: Array<Frame> = []
  /** Levels below the last frame. */
  #deeper = 0
  /** The open records, the outermost first. */
  readonly #open: Array<PartialRecord> = []
  readonly #found: Array<UnreadableRecord> = []
  /** The text has several records: in an array, or one after the other. */
  #isList = false
  /** The top level holds something other than objects and arrays. */
  #hasStray = false
  /** The last token ended a value. */
  #isValueComplete = false
  /** The last string, which may be a key. */
  #last: string | undefined
  /** Where the previous token began: a string without its closing quote ends where the next one begins. */
  #before = 0
  /** Where reading last resumed; the next resume position must come after it. */
  #resumed = -1

  constructor(text: string) {
    this.#tokens = new Tokens(text)
  }

  read(): ReadonlyArray<UnreadableRecord> {
    const tokens = this.#tokens
    for (;; this.#before = tokens.start) {
      const kind = tokens.next()
      switch (kind) {
        case "end":
          return this.#finish()
        case "comment":
          this.#damage(tokens.start + 1)
          break
        case ",":
          this.#isValueComplete = false
          this.#setKey(undefined)
          break
        case ":":
          if (this.#isValueComplete && this.#hasKey) this.#damage(this.#before)
          else {
            this.#isValueComplete = false
            this.#setKey(this.#last)
          }
          break
        case "{":
        case "[":
          if (this.#isValueComplete && this.#frames.length > 0) this.#damage(this.#before)
          else this.#openFrame(kind === "{")
          break
        case "}":
        case "]":
          this.#close()
          this.#isValueComplete = true
          break
        default:
          if (this.#frames.length === 0) this.#skipStray()
          else if (this.#isValueComplete) this.#damage(this.#before)
          else if (tokens.isOpen) this.#damage(tokens.start + 1)
          else {
            this.#scalar()
            this.#isValueComplete = true
          }
      }
    }
  }

  /** Skips values next to records, because records are objects, unless the value is the rest of a damaged record. */
  #skipStray(): void {
    this.#hasStray = true
    this.#isValueComplete = false
    this.#isList ||= this.#found.length > 0
    const { start, text } = this.#tokens
    bracketOrName.lastIndex = start
    const found = bracketOrName.exec(text)
    if (found !== null && found[0].length > 1) this.#damage(start)
    else this.#tokens.resume(Math.max(found?.index ?? text.length, start + 1))
  }

  get #frame(): Frame | undefined {
    return this.#deeper > 0 ? undefined : this.#frames.at(-1)
  }

  /** Whether the next value has its key, or needs none. */
  get #hasKey(): boolean {
    const frame = this.#frame
    return frame !== undefined && (!frame.isObject || frame.key !== undefined)
  }

  #setKey(key: string | undefined): void {
    const frame = this.#frame
    if (frame?.isObject === true) frame.key = key
  }

  #scalar(): void {
    const { kind } = this.#tokens
    const frame = this.#frame
    if (frame === undefined || !frame.isObject) return
    const value = kind === "string" || kind === "number" ? this.#tokens.value() : undefined
    if (frame.key === undefined) {
      this.#last = kind === "string" ? value : undefined
      return
    }
    if (value === undefined) return
    const { key, record } = frame
    const own = this.#open.at(-1)
    if (key === "resourceType" && kind === "string") own?.types.add(value)
    if (kept.has(key)) (frame.members ??= {})[key] = value
    if (record !== undefined && !record.isDamaged && kind === "string" && value !== "") {
      if (key === "resourceType") record.type ??= value
      else if (key === "id") record.id ??= value
    }
    if (key === "lastUpdated" && frame.under === "meta" && own !== undefined) own.updated ??= value
    if (key === "fullUrl") {
      if (frame.entry === undefined) (frame.members ??= {})["fullUrl"] = value
      else frame.entry.fullUrl ??= value
    }
  }

  #openFrame(isObject: boolean): void {
    this.#isValueComplete = false
    this.#last = undefined
    if (this.#deeper > 0 || this.#frames.length >= maxFrames) {
      this.#deeper++
      return
    }
    const own = this.#open.at(-1)
    if (own?.isDamaged === true && isObject && this.#isListElement(own) && this.#beginsElement()) this.#endElement(own)
    const parent = this.#frames.at(-1)
    if (parent === undefined) this.#isList ||= !isObject || this.#found.length > 0
    const under = parent?.isObject === true ? parent.key : parent?.under
    const record = isObject && this.#beginsRecord(parent) ? this.#begin(parent) : undefined
    this.#frames.push({ isObject, under, ...(record === undefined ? {} : { record }) })
  }

  /** Whether a record begins here: at the top, in arrays at the top, or as the resource of an entry. */
  #beginsRecord(parent: Frame | undefined): boolean {
    const around = this.#open.at(-1)
    if (around === undefined) return true
    return parent?.isObject === true && parent.key === "resource" && (this.#open.length > 1 || canHoldRecords(around))
  }

  #begin(parent: Frame | undefined): PartialRecord {
    if (parent?.key === "resource") {
      // The previous record was never closed.
      let around = this.#open.at(-1)
      while (around !== undefined && this.#open.length > 1 && !surelyHoldsRecords(around)) {
        this.#end(around)
        around = this.#open.at(-1)
      }
      if (around !== undefined) around.isContainer = true
    }
    const record = newRecord()
    const fullUrl = parent?.members?.["fullUrl"]
    if (typeof fullUrl === "string") record.fullUrl = fullUrl
    if (parent !== undefined) {
      parent.entry = record
      delete parent.members
    }
    this.#open.push(record)
    return record
  }

  #close(): void {
    if (this.#deeper > 0) {
      this.#deeper--
      return
    }
    const frame = this.#frames.at(-1)
    // After an error, brackets do not show where the record ends.
    if (frame === undefined || frame.record?.isDamaged === true) return
    this.#frames.pop()
    this.#keep(frame)
    if (frame.record !== undefined && !frame.record.isClosed) this.#end(frame.record)
  }

  /** Keeps what an object shows about its record, when it ends or is cut off. */
  #keep({ isObject, members, record, under }: Frame): void {
    const own = this.#open.at(-1)
    if (!isObject || own === undefined || members === undefined) return
    // If brackets are missing, a reference's members seem to be the record's own.
    if (
      typeof members["reference"] === "string" || (record === undefined && typeof members["identifier"] === "object")
    ) {
      for (const name of namesOf(members)) own.references.add(name)
    }
    if (under !== "identifier" || record !== undefined) return
    const holder = this.#frames.at(-1)
    if (holder === undefined) return
    if (holder.isObject) (holder.members ??= {})["identifier"] = members
    // The record's own identifier, or one in the list of its own.
    const around = holder.isObject ? holder : this.#frames.at(-2)
    if (around?.record === own || around?.isUnknown === true) own.identifiers.push(members)
  }

  /** Resumes after an error at the next usable member. */
  #damage(at: number): void {
    const own = this.#open.at(-1) ?? newRecord()
    if (this.#open.length === 0) this.#open.push(own)
    for (let frame = this.#frames.at(-1); frame !== undefined && frame.record !== own; frame = this.#frames.at(-1)) {
      this.#frames.pop()
      this.#keep(frame)
    }
    own.isDamaged = true
    this.#deeper = 0
    const tokens = this.#tokens
    const next = this.#isListElement(own) ? anchorInList : anchor
    next.lastIndex = Math.max(at, this.#resumed + 1)
    const found = next.exec(tokens.text)
    this.#resumed = found?.index ?? tokens.text.length
    tokens.resume(this.#resumed)
    this.#isValueComplete = false
    this.#last = undefined
    if (found?.[0].startsWith("{") === true) this.#endElement(own)
    else this.#frames.push({ isObject: true, under: undefined, isUnknown: true })
  }

  /** Whether it is one of several records next to each other. */
  #isListElement({ type }: PartialRecord): boolean {
    return this.#isList && this.#open.length === 1 && type !== "Bundle" && type !== "Parameters"
  }

  /** Whether the bracket just read can begin another record. */
  #beginsElement(): boolean {
    element.lastIndex = this.#tokens.start
    return element.test(this.#tokens.text)
  }

  #endElement(own: PartialRecord): void {
    this.#end(own)
    this.#frames.length = 0
  }

  #end(record: PartialRecord): void {
    this.#open.length = this.#open.lastIndexOf(record)
    record.isClosed = true
    if (record.type === undefined ? !record.isContainer : !canHoldRecords(record)) this.#found.push(recordOf(record))
  }

  #finish(): ReadonlyArray<UnreadableRecord> {
    for (let frame = this.#frames.pop(); frame !== undefined; frame = this.#frames.pop()) this.#keep(frame)
    for (const record of this.#open.toReversed()) this.#end(record)
    return this.#found.length === 0 && this.#hasStray ? [recordOf(newRecord())] : this.#found
  }
}

/** Whether a record's entries can hold records. */
const canHoldRecords = ({ isContainer, type }: PartialRecord): boolean =>
  isContainer || type === undefined || type === "Bundle" || type === "Parameters"

/** The same for an entry's own resource: without a type, it is certain only if no error precedes. */
const surelyHoldsRecords = (record: PartialRecord): boolean =>
  canHoldRecords(record) && (record.isContainer || record.type !== undefined || !record.isDamaged)

const recordOf = ({ fullUrl, id, identifiers, references, type, types, updated }: PartialRecord): UnreadableRecord => ({
  ...(type === undefined ? {} : { type }),
  names: [
    ...new Set([
      ...(id === undefined ? [] : type === undefined ? [anyOf(id)] : [`${type}/${id}`, anyOf(id)]),
      ...(type === undefined && id !== undefined ? [...types].map((name) => `${name}/${id}`) : []),
      ...(fullUrl === undefined ? [] : [fullUrl, ...aliasOf(fullUrl, type)]),
      ...identifiersOf(identifiers)
    ])
  ],
  references: [...references],
  ...(updated === undefined ? {} : { updated })
})

/** Like {@link unreadableInText}, for a text that is read line by line. Records with the same references are merged, with the names of each. */
export class UnreadableLines {
  readonly #limit: number
  readonly #found = new Map<string, UnreadableRecord & { readonly names: Array<string> }>()
  #line: LongLine

  /** `limit`: bytes of a line that are examined, without its long texts. */
  constructor(limit: number) {
    this.#limit = limit
    this.#line = new LongLine(limit)
  }

  take(chunk: Buffer): void {
    let from = 0
    for (let feed = chunk.indexOf(0x0a); feed !== -1; feed = chunk.indexOf(0x0a, from)) {
      this.#line.take(chunk.subarray(from, feed))
      this.#endLine()
      from = feed + 1
    }
    this.#line.take(chunk.subarray(from))
  }

  finish(): ReadonlyArray<UnreadableRecord> {
    this.#endLine()
    return [...this.#found.values()]
  }

  #endLine(): void {
    if (this.#line.isEmpty) return
    // What is known of the merged records applies to each of them.
    for (const { names, updated: _, ...lost } of unreadableInText(this.#line.text())) {
      if (names.length === 0 && lost.references.length === 0 && lost.type === undefined) continue
      const key = JSON.stringify(lost)
      getOrMake(this.#found, key, () => ({ ...lost, names: [] })).names.push(...names)
    }
    this.#line = new LongLine(this.#limit)
  }
}

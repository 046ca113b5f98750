import type { Step } from "../../evaluate/children.ts"
import { isNode, Node } from "../../evaluate/Node.ts"
import { no, none, yes } from "../../evaluate/values.ts"
import type { Element, Elements } from "../../FhirPath.ts"
import { type JsonForm, jsonFormOf } from "../regular.ts"
import type { Found } from "./Code.ts"

/** What is known of an element while code is written. `value` is the code for it. */
export type Item =
  /** The value of a regular element. */
  | {
    readonly form: "json"
    readonly value: string
    readonly json: JsonForm
    readonly path: string
    readonly type: string | null
    /** The types of records that it may refer to. */
    readonly targets?: ReadonlyArray<string> | undefined
    readonly node: string
  }
  /** A choice, of which the type is not known. */
  | {
    readonly form: "choice"
    readonly of: Item & { readonly form: "json" }
    readonly name: string
    readonly types: ReadonlyArray<Step>
    /** Writes that the code runs only if there is one. */
    readonly test: () => void
    /** Like `test`; returns code for its node. */
    readonly use: () => string
  }
  | { readonly form: "text" | "truth" | "number"; readonly value: string; readonly constant?: Element }
  | { readonly form: "element"; readonly value: string; readonly constant?: Element }

export type Out = (item: Item) => void

export interface ListCode {
  readonly value: string
  /** A regular element that has the type of all of them. */
  readonly sample?: Node | undefined
}

/** The code for a boolean, `undefined` if there is none. */
export interface TruthCode {
  readonly value: string
  /** It is never `undefined`. */
  readonly isSure: boolean
}

/** The input of a step. */
export interface Source {
  /** Writes code for each of its elements. It can be called several times. */
  readonly each: (out: Out) => void
  /** Its only element. */
  readonly item?: Item
  readonly constant?: Elements
  /** Writes code for a list of its elements, if that is shorter. */
  readonly list?: (() => ListCode) | undefined
  /** Writes code for the boolean that it is, if that is shorter. */
  readonly truth?: (() => TruthCode) | undefined
  /** Its code has no effects and is short, so that it can be written again. */
  readonly isShort?: boolean
  /** Its code calls functions that report something. */
  readonly reports?: boolean
}

/** What the parts of an expression refer to. */
export interface Scene {
  readonly self: Source
  readonly root: Source
  readonly args: ReadonlyMap<string, Source>
  /** `$total`, within `aggregate`. */
  readonly total?: Source
  readonly depth: number
}

/** What a function is called with: the focus, or what takes its place in the body of a function. */
export type Root =
  | { readonly form: "node" | "nodes"; readonly sample: Node }
  | { readonly form: "element" | "elements" | "nothing" }

/** What the function of a body returns: a boolean or one element, `undefined` if there is none, or a list. */
export interface BodyShape {
  readonly form: "truth" | "one" | "list"
  /** The type of its elements: see `ListCode`. */
  readonly sample?: Node | undefined
}

/** Returns an item as the input of a step. */
export const sourceOfItem = (item: Item): Source => {
  // What is written for the element need not look at it.
  if (item.form === "choice") item.test()
  return { each: (out) => out(item), item, isShort: true }
}

/** The code for the values of an expression: a variable with one or with a list, which is `undefined` if there is none. */
export type FoundValues =
  | { readonly form: "none" }
  | { readonly form: "one"; readonly value: string; readonly isText: boolean }
  | { readonly form: "list"; readonly value: string }

/** Fills the holes of an expression: a variable keeps what was found, or a list of it. It is `undefined` until something is found. */
export const keepIn = (variable: string, { most, sites }: Found<Item>, of: (item: Item) => string): void => {
  for (const { hole, item } of sites) {
    const value = of(item)
    hole.text = most > 1
      ? `if (${variable} === undefined) ${variable} = [${value}]\nelse ${variable}.push(${value})`
      : `${variable} = ${value}`
  }
}

/** Whether an item is certainly a text. */
export const isTextItem = (item: Item): boolean =>
  item.form === "text" || (item.form === "json" && (item.json === "text" || item.json === "time"))

/** Whether an item is a text or boolean that `=` compares unchanged. */
export const isPlain = (item: Item): boolean =>
  item.form === "text" || item.form === "truth" ||
  (item.form === "json" && (item.json === "text" || item.json === "truth"))

/** Returns code for the element that an item is. */
export const codeOfElement = (item: Item): string => {
  switch (item.form) {
    case "json":
      return item.node
    case "choice":
      return item.use()
    default:
      return item.value
  }
}

/** Returns code for an element, or for a text or boolean that `=` compares unchanged. */
export const codeOfPlain = (item: Item): string =>
  item.form === "json" && (item.json === "text" || item.json === "truth") ? item.value : codeOfElement(item)

/** Returns code for the value that an element has. */
export const codeOfValue = (item: Item): string => {
  switch (item.form) {
    case "json":
      return item.json === "number" ? `dataOf(${item.value})` : item.value
    case "choice":
      return `${item.use()}.data`
    case "element":
      return item.constant === undefined || isNode(item.constant) ? `valueOf(${item.value})` : item.value
    default:
      return item.value
  }
}

/** Returns a text as it is written in code. */
export const codeOfText = (text: string | null): string => JSON.stringify(text)

/** Returns a value that is written so. */
export const sampleJson = (form: JsonForm): unknown =>
  form === "truth" ? true : form === "number" ? 1 : form === "object" ? {} : ""

/** Returns a node of the type of an item. */
export const sampleOf = ({ json, path, type }: Item & { readonly form: "json" }): Node =>
  new Node(null, sampleJson(json), null, path, type, null, null)

/** Returns a node of a type of records. */
export const sampleOfRecord = (type: string): Node => new Node(null, {}, null, type, type, null, null)

/** Returns a node of one type of a choice. */
export const sampleOfStep = ({ path, type }: Step): Node =>
  new Node(null, sampleJson(jsonFormOf(path ?? "")), null, path, type, null, null)

/** Returns a node of the type that all items have; `undefined` if they are of several types, or of one that is not known. */
export const commonSample = (items: ReadonlyArray<Item>): Node | undefined => {
  const [first] = items
  return first?.form === "json" &&
      items.every((one) => one.form === "json" && one.path === first.path && one.type === first.type)
    ? sampleOf(first)
    : undefined
}

/** A name for a root, by which functions are shared. */
export const nameOfRoot = (root: Root): string =>
  "sample" in root ? `${root.form} ${root.sample.path} ${root.sample.fhirNodeDataType}` : root.form

/** Returns a list of its own, so that two uses are two constants. */
export const listOf = (elements: Elements): Elements =>
  elements.length === 0 ? none : elements === yes || elements === no ? elements : [...elements]

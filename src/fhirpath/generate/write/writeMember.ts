import { elementSteps, mayBeType, type Step } from "../../evaluate/children.ts"
import { typeTest } from "../../evaluate/types.ts"
import { elementAt } from "../../model/typeElements.ts"
import type { SyntaxNode } from "../../syntax/SyntaxTree.ts"
import { unquoted } from "../../syntax/treeParts.ts"
import { jsonFormOf, repeatsAt } from "../regular.ts"
import { notGenerated } from "./Code.ts"
import { codeOfElement, codeOfText, type Item, type Out, sampleOf } from "./items.ts"
import type { Writer } from "./Writer.ts"

/** The number of types of a choice up to which each is looked for where it is used. */
const maxTests = 12

/** Writes a step to the elements with a name. */
export const writeMember = (writer: Writer, item: Item, node: SyntaxNode, out: Out): void => {
  const { code } = writer
  const name = unquoted(node.text ?? "")
  const { atRoot } = node
  if (/^[A-Z]/u.test(name)) throw notGenerated
  if (item.form !== "json") return writeAnyMember(writer, item, name, atRoot, out)
  const { json, path, value } = item
  // A row of a table can be named by its type, as in `visits.code`.
  if (path === name && json === "object") return out(item)
  if (atRoot !== undefined && mayBeType(name) && typeTest("is", [name])?.(sampleOf(item)) === true) {
    if (atRoot === 1) return out(item)
    throw notGenerated
  }
  // Its companion can have elements.
  if (json !== "object") return writeAnyMember(writer, item, name, atRoot, out)
  const { choices, ranked, straight } = elementSteps(path, name)
  writer.reads(`${path}.${name}`)
  if (choices !== undefined) return writeChoice(writer, item, name, ranked, out)
  // The columns of a table, and the types of contained resources, are not in the model.
  if (straight.path === "Resource" || (straight.type === null && name !== "extension")) {
    return writeAnyMember(writer, item, name, atRoot, out)
  }
  const found = code.set(`${value}.${name}`)
  const targets = elementAt(`${path}.${name}`)?.targets
  const made = (value: string, index: string): Item => ({ ...childItem(item, straight, name, value, index), targets })
  code.block(`if (${found} !== undefined)`, () => {
    if (repeatsAt(path, name)) code.loop(found, (one, index) => out(made(one, index)))
    else out(made(found, "null"))
  })
}

/** Writes a step to a choice. A regular one has at most one type. */
const writeChoice = (
  writer: Writer,
  of: Item & { readonly form: "json" },
  name: string,
  types: ReadonlyArray<Step>,
  out: Out
): void => {
  if (types.length === 0) throw notGenerated
  writer.code.openBlock((head) => {
    let used: string | undefined
    const use = (): string => {
      if (used !== undefined) return used
      const made = writer.constant(["choice", of.path, name])
      if (of.node === "f") {
        // The expression often names the choice of its focus several times.
        used = writer.chosen.get(name)
        if (used === undefined) {
          writer.chosen.set(name, used = `${writer.code.name()}c`)
          writer.guard(`let ${used}`)
        }
        head.text = `if (${used} === undefined) ${used} = ${made}(f)\nif (${used} !== null) {`
      } else {
        used = writer.code.name()
        head.text = `${used} = ${made}(${of.node})\nif (${used} !== null) {`
      }
      return used
    }
    const test = (): void => {
      if (used !== undefined) return
      if (types.length > maxTests) use()
      else head.text = `if (${types.map(({ key }) => `${of.value}.${key} !== undefined`).join(" || ")}) {`
    }
    out({ form: "choice", of, name, types, test, use })
  })
}

/** Writes a step from an element of any type. */
const writeAnyMember = (writer: Writer, item: Item, name: string, atRoot: 1 | 2 | undefined, out: Out): void => {
  const { code } = writer
  const step = code.constant(["step", name, atRoot])
  const list = code.set(`${step}(${codeOfElement(item)})`)
  if (atRoot !== undefined && mayBeType(name)) code.isRisky = true
  code.loop(list, (value) => out({ form: "element", value }))
}

/** Returns an element of another, whose value is in a variable. */
export const childItem = (
  parent: Item & { readonly form: "json" },
  { companion, path, type }: Pick<Step, "companion" | "path" | "type">,
  name: string,
  value: string,
  index: string
): Item & { readonly form: "json" } => {
  if (path === null || path === "Resource") throw notGenerated
  const json = jsonFormOf(path)
  const written = `${parent.value}.${companion}`
  const beside = json === "object" ? "null" : index === "null" ? written : `(${written} ?? none)[${index}]`
  const parts = [parent.node, value, beside, codeOfText(path), codeOfText(type), codeOfText(name), index]
  return { form: "json", value, json, path, type, node: `new Node(${parts.join(", ")})` }
}

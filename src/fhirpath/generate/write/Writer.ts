import { isLibraryLiteral, literalOf } from "../../evaluate/literals.ts"
import { isNode, type Node } from "../../evaluate/Node.ts"
import { none } from "../../evaluate/values.ts"
import type { Element, Elements, Variables } from "../../FhirPath.ts"
import { type SyntaxNode, syntaxTree, variableName } from "../../syntax/SyntaxTree.ts"
import { ownVariables, wrappers } from "../../syntax/treeParts.ts"
import { canRead, jsonFormOf } from "../regular.ts"
import { runtime } from "../runtime.ts"
import { isShort, isSmall } from "../size.ts"
import type { Unit, Units } from "../Units.ts"
import { Code, type Found, notGenerated } from "./Code.ts"
import type { Constant, WrittenCode } from "./constants.ts"
import {
  type BodyShape,
  codeOfElement,
  codeOfText,
  codeOfValue,
  commonSample,
  type FoundValues,
  isTextItem,
  type Item,
  keepIn,
  type ListCode,
  listOf,
  type Out,
  type Root,
  sampleOfRecord,
  type Scene,
  type Source,
  sourceOfItem,
  type TruthCode
} from "./items.ts"
import { writeCall, writeType } from "./writeCall.ts"
import { writeList } from "./writeList.ts"
import { writeMember } from "./writeMember.ts"
import { writeOperation } from "./writeOperator.ts"
import { writeHolds } from "./writeTruth.ts"
import { writeTruthCall } from "./writeTruthCall.ts"

/** Writes the code of an expression for one type of focus. It returns what the closures of `compile.ts` return, or throws `odd`. */
export class Writer {
  readonly variables: Variables
  readonly code = new Code<Item>()
  /** The checks that the variables are those for which the code is written. */
  readonly #guards: Array<string> = []
  readonly #known = new Map<string, Source>()
  /** The variables that hold the choices of the focus. */
  readonly chosen = new Map<string, string>()
  /** The variables that the code reads. It is for one type of each. */
  readonly readVariables = new Set<string>()
  /** See `Unit`. */
  reachesOthers = false
  /** The elements that the code takes as written as the model says. */
  readonly read = new Set<string>()
  /** Those of the part that is being written. */
  #ofPart: Set<string> | undefined

  readonly #scene: Scene
  readonly units: Units
  readonly #root: Root

  constructor(units: Units, variables: Variables, root: Root, args: ReadonlyMap<string, Elements> = new Map()) {
    this.units = units
    this.variables = variables
    this.#root = root
    const source = this.#rootSource(root)
    const constants = [...args].map(([name, elements]) => [name, this.#constantSource(elements)] as const)
    this.#scene = { self: source, root: source, args: new Map(constants), depth: 0 }
  }

  #rootSource(root: Root): Source {
    switch (root.form) {
      case "nodes":
        return { ...this.listed({ value: "f", sample: root.sample }), isShort: true }
      case "node":
        return sourceOfItem(this.itemOf(root.sample, "f"))
      case "element":
        return sourceOfItem({ form: "element", value: "f" })
      case "elements":
        return { ...this.listed({ value: "f" }), isShort: true }
      case "nothing":
        return this.#constantSource([])
    }
  }

  #constantSource(constant: Elements): Source {
    return {
      constant,
      each: (out) => {
        for (const element of constant) out(this.literal(element))
      }
    }
  }

  /** Notes that the code takes an element as written as the model says. */
  reads(element: string): void {
    this.read.add(element)
    this.#ofPart?.add(element)
  }

  /** Writes a part that runs only if some code, which is passed the part's elements, is true. */
  part(test: (elements: string) => string, write: () => void): void {
    const elements = new Set<string>()
    this.block(test(this.constant(["names", elements])), () => {
      this.#ofPart = elements
      write()
      this.#ofPart = undefined
    })
  }

  /** Adds a line that is executed first. */
  guard(line: string): void {
    this.#guards.push(line)
  }

  /** Writes an expression that is the whole function. */
  expression(text: string, as: "nodes" | "values"): void {
    const result = this.code.attempt(() => this.#result(this.#found(text), as))
    if (result === undefined) throw notGenerated
    this.code.line(result)
  }

  /** Writes code for the values of an expression; `undefined` if the closures have to evaluate it. */
  values(text: string): FoundValues | undefined {
    if (isSmall(syntaxTree(text))) return this.code.attempt(() => this.#values(text))
    const found = this.#unit(`values ${text}`, (writer) => writer.#valuesUnit(text))
    if (found === undefined) return undefined
    // Also one that finds nothing is called: a part of it may fail or report something.
    const value = found.call()
    return found.shape.form === "none" ? found.shape : { ...found.shape, value }
  }

  /** Writes an expression as a function of its own that returns a value, or a list of values. */
  #valuesUnit(text: string): FoundValues {
    const values = this.#values(text)
    if (values.form !== "none") this.code.line(`return ${values.value}`)
    return values
  }

  #values(text: string): FoundValues {
    const list = writeList(this, syntaxTree(text), this.#scene, this.#scene.self)?.()
    if (list !== undefined) return { form: "list", value: this.code.set(`valuesOf(${list.value})`) }
    const found = this.#found(text)
    if (found.sites.length === 0) return { form: "none" }
    // The variable is set before the code that fills it.
    const value = this.code.name()
    keepIn(value, found, codeOfValue)
    return found.most > 1
      ? { form: "list", value }
      : { form: "one", value, isText: found.sites.every(({ item }) => isTextItem(item)) }
  }

  /** Writes code for whether the only value of an expression is `true`. */
  holds(text: string): string | undefined {
    if (isSmall(syntaxTree(text))) {
      return this.code.attempt(() => writeHolds(this, syntaxTree(text), this.#scene, this.#scene.self))
    }
    return this.#unit(`holds ${text}`, (writer) => writer.#holdsUnit(text))?.call()
  }

  /** Returns a function of its own for the focus, and how to call it. */
  #unit<Shape extends NonNullable<unknown>>(name: string, write: (writer: Writer) => Shape) {
    const unit = this.units.make(name, this.#root, this.variables, new Map(), write)
    return unit && { shape: unit.shape, call: () => this.called(unit, "f") }
  }

  /** Writes a call of a function of its own, and returns its result. `focus`: `null` for one that is called once for a visit. */
  called(unit: Unit<unknown>, focus: string | null): string {
    const { hasGuards, isRisky, reachesOthers, read, variables } = unit
    const run = this.constant(["unit", unit])
    const value = this.code.set(focus === null ? `once(${run}, v, s)` : `${run}(${focus}, v, s)`)
    if (hasGuards) this.code.line(`if (${value} === null) fail()`)
    this.code.isRisky ||= isRisky
    this.reachesOthers ||= reachesOthers
    for (const name of variables) this.readVariables.add(name)
    for (const element of read) this.reads(element)
    return value
  }

  #holdsUnit(text: string): BodyShape {
    this.code.line(`return ${writeHolds(this, syntaxTree(text), this.#scene, this.#scene.self)}`)
    return { form: "truth" }
  }

  /** Writes the body of a function of the mapping as a function of its own. */
  bodyUnit(text: string): BodyShape {
    const code = this.code
    const list = writeList(this, syntaxTree(text), this.#scene, this.#scene.self)?.()
    if (list !== undefined) {
      code.line(`return ${list.value}`)
      return { form: "list", sample: list.sample }
    }
    const found = this.#found(text)
    const items = found.sites.map(({ item }) => item)
    const value = code.name()
    const sample = commonSample(items)
    keepIn(value, found, codeOfElement)
    if (found.most > 1) {
      code.line(`return ${value} ?? none`)
      return { form: "list", sample }
    }
    code.line(`return ${value}`)
    return { form: items.every(({ form }) => form === "truth") ? "truth" : "one", sample }
  }

  line(text: string): void {
    this.code.line(text)
  }

  block(head: string, inner: () => void): void {
    this.code.block(head, inner)
  }

  /** Returns the name of a value that the code uses unchanged. */
  constant(constant: Constant): string {
    return this.code.constant(constant)
  }

  #found(text: string): Found<Item> {
    return this.code.find((out) => this.each(syntaxTree(text), this.#scene, this.#scene.self, out))
  }

  /** Returns the text of the function, and its constants. */
  written(parameters: string): WrittenCode {
    const { constants, text } = this.code.source
    return { parameters, text: [...this.#guards, text].join("\n"), constants }
  }

  get hasGuards(): boolean {
    return this.#guards.some((line) => line.endsWith("return null"))
  }

  get isRisky(): boolean {
    return this.code.isRisky
  }

  #result(found: Found<Item>, as: "nodes" | "values"): string {
    if (found.sites.length === 0) return "return none"
    const result = this.code.name()
    keepIn(result, found, as === "values" ? codeOfValue : codeOfElement)
    return found.most > 1
      ? `return ${result} ?? none`
      : found.sites.every(({ item }) => item.form === "truth")
      ? `return ${result} === undefined ? none : ${result} ? yes : no`
      : `return ${result} === undefined ? none : [${result}]`
  }

  /** Returns the item for a node in a variable. */
  itemOf(node: Node, name: string): Item {
    const { fhirNodeDataType: type, path } = node
    // An element that is not in the model can have any form.
    if (path === null || type === null) throw notGenerated
    return { form: "json", value: `${name}.data`, json: jsonFormOf(path), path, type, node: name }
  }

  /** Writes code that finds the elements of a part of an expression. `out` writes what happens with each of them. */
  each(node: SyntaxNode, scene: Scene, input: Source, out: Out): void {
    const { children: [first, second] = [], text = "" } = node
    const constant = this.constantOf(node, scene)
    if (constant !== undefined) {
      for (const element of constant) out(this.literal(element))
      return
    }
    switch (node.type) {
      case "ThisInvocation":
        return scene.self.each(out)
      case "TotalInvocation":
        if (scene.total === undefined) throw notGenerated
        return scene.total.each(out)
      case "ExternalConstantTerm":
        return this.#variable(variableName(node), scene).each(out)
      case "MemberInvocation":
        return input.each((item) => writeMember(this, item, node, out))
      case "FunctionInvocation":
        return writeCall(this, node, scene, input, out)
      default:
    }
    if (first === undefined) throw notGenerated
    if (second === undefined) {
      if (node.type === "PolarityExpression" || node.type === "InstanceSelector") throw notGenerated
      return this.each(first, scene, input, out)
    }
    switch (node.type) {
      case "InvocationExpression":
        return this.#path(first, second, scene, input, out)
      case "TypeExpression":
        return writeType(this, text, second.text ?? "", this.source(first, scene, scene.self), out)
      case "IndexerExpression":
      case "InstanceSelector":
        throw notGenerated
      default:
        return writeOperation(this, node, text, first, second, scene, out)
    }
  }

  /** Returns a part of an expression as the input of a step; its code is written when it is used. */
  source(node: SyntaxNode, scene: Scene, input: Source): Source {
    const known = this.#named(node, scene)
    if (known !== undefined) return known
    const constant = this.constantOf(node, scene)
    return {
      each: (out) => this.each(node, scene, input, out),
      isShort: isShort(node) && input.isShort === true,
      list: writeList(this, node, scene, input),
      truth: writeTruthCall(this, node, scene, input),
      reports: this.units.reports(node),
      ...(constant === undefined ? {} : { constant })
    }
  }

  /** Returns what `$this`, `$total` or a variable is. */
  #named(node: SyntaxNode, scene: Scene): Source | undefined {
    const { children: [first, second] = [], type } = node
    if (type === "ThisInvocation") return scene.self
    if (type === "TotalInvocation") return scene.total
    if (type === "ExternalConstantTerm") return this.#variable(variableName(node), scene)
    return first !== undefined && second === undefined && wrappers.has(type) ? this.#named(first, scene) : undefined
  }

  /** Returns the input of a step. If both report something, all of the input reports before the step, as in the definition. */
  before(input: Source, step: SyntaxNode): Source {
    return input.reports === true && this.units.reports(step) ? this.gathered(input) : input
  }

  #path(first: SyntaxNode, second: SyntaxNode, scene: Scene, input: Source, out: Out): void {
    switch (second.type) {
      case "MemberInvocation":
        return this.each(first, scene, input, (item) => writeMember(this, item, second, out))
      case "FunctionInvocation":
        return writeCall(this, second, scene, this.source(first, scene, input), out)
      default:
        throw notGenerated
    }
  }

  /** Returns an element that is known when the code is written. */
  literal(element: Element): Item {
    switch (typeof element) {
      case "string":
        return { form: "text", value: codeOfText(element), constant: element }
      case "boolean":
        return { form: "truth", value: String(element), constant: element }
      default:
        return { form: "element", value: this.constant(["element", element]), constant: element }
    }
  }

  /** Returns the result of an expression that reads no record. */
  constantOf(node: SyntaxNode, scene: Scene): Elements | undefined {
    const literal = literalOf(node)
    if (literal !== undefined) return literal
    if (isLibraryLiteral(node)) throw notGenerated
    const { children: [first, second] = [] } = node
    switch (node.type) {
      case "ExternalConstantTerm":
        return this.#variable(variableName(node), scene).constant
      case "AdditiveExpression": {
        if (node.text === "-") return undefined
        const one = first === undefined ? undefined : this.constantOf(first, scene)
        const other = second === undefined || one === undefined ? undefined : this.constantOf(second, scene)
        const areTexts = [one, other].every((each) => each?.length === 1 && typeof each[0] === "string")
        return areTexts ? [`${String(one?.[0])}${String(other?.[0])}`] : undefined
      }
      case "TermExpression":
      case "LiteralTerm":
      case "ParenthesizedTerm":
      case "EntireExpression":
        return first === undefined || second !== undefined ? undefined : this.constantOf(first, scene)
      default:
        return undefined
    }
  }

  #variable(name: string, { args, root }: Scene): Source {
    const argument = args.get(name)
    if (argument !== undefined) return argument
    this.readVariables.add(name)
    const known = this.#known.get(name)
    if (known !== undefined) return known
    if (name === "context") return root
    const source = this.#variableSource(name)
    this.#known.set(name, source)
    return source
  }

  /** The elements of the whole function: all are known when it runs. */
  get #allElements(): string {
    return this.constant(["names", this.read])
  }

  #variableSource(name: string): Source {
    const code = this.code
    if (!(name in this.variables) || ownVariables.has(name)) throw notGenerated
    const value = this.variables[name]
    const read = `v[${codeOfText(name)}]`
    if (!Object.hasOwn(this.variables, name)) {
      // A constant of the mapping.
      this.#guards.push(`if (${read} !== ${code.constant(["variable", name, value])}) return null`)
      return this.#constantSource(value === undefined || value === null ? none : runtime.elementsIn(value))
    }
    if (Array.isArray(value) && (value.length < 2 || name === "encounters")) {
      const [only]: ReadonlyArray<Element> = value
      if (value.length === 0) {
        this.#guards.push(`if (${read}.length !== 0) return null`)
        return { each: () => undefined, constant: none }
      }
      if (isNode(only) && only.path !== null && only.fhirNodeDataType !== null && canRead(only, new Set())) {
        const node = code.name()
        this.reachesOthers = true
        if (name === "encounters") {
          // Visits have one, or several.
          this.#guards.push(
            `const ${node}g = ${read}`,
            `if (!areOf(${codeOfText(only.path)}, ${node}g, ${this.#allElements}, canRead)) return null`
          )
          return { ...this.listed({ value: `${node}g`, sample: only }), isShort: true }
        }
        this.#guards.push(
          `const ${node}g = ${read}[0]`,
          `if (${read}.length !== 1 || ${node}g.path !== ${
            codeOfText(only.path)
          } || !canRead(${node}g, ${this.#allElements})) return null`
        )
        return sourceOfItem(this.itemOf(only, `${node}g`))
      }
    }
    const list = () => ({
      value: code.set(`${read} === undefined || ${read} === null ? none : elementsIn(${read})`)
    })
    return { each: (out) => this.listed(list()).each(out), list }
  }

  /** Returns code for a list of what `of` makes of the elements that a source finds. */
  list(source: Source, of: (item: Item) => string): string {
    return source.constant === undefined
      ? this.#gather(source, of).value
      : this.constant(["elements", listOf(source.constant)])
  }

  #gather(source: Source, of: (item: Item) => string): ListCode {
    const code = this.code
    const list = code.set("none")
    const { most, sites } = code.find((out) => source.each(out))
    for (const { hole, item } of sites) {
      hole.text = most <= 1
        ? `${list} = [${of(item)}]`
        : `if (${list}.length === 0) ${list} = [${of(item)}]\nelse ${list}.push(${of(item)})`
    }
    return { value: list, sample: commonSample(sites.map(({ item }) => item)) }
  }

  /** Returns code for a list of the elements that a source finds, with a node for each element of a record. */
  elements(source: Source): ListCode {
    return source.constant === undefined
      ? source.list?.() ?? this.#gather(source, (item) => codeOfElement(item))
      : { value: this.constant(["elements", listOf(source.constant)]) }
  }

  /** Returns the item for a record in a variable. The definition reads one of another type, or one that is not written as the model says. */
  record(value: string, type: string): Item {
    this.reachesOthers = true
    this.#check(`${value}.path === ${codeOfText(type)} && canRead(${value}, ${this.#allElements})`)
    return this.itemOf(sampleOfRecord(type), value)
  }

  /** Returns a list of records of one type: see `record`. */
  records(value: string, type: string): ListCode {
    this.reachesOthers = true
    this.checkEach(value, sampleOfRecord(type))
    return { value, sample: sampleOfRecord(type) }
  }

  /** Writes a check that elements have a type, and that their records are written as the model says wherever this function reads them. */
  checkEach(list: string, { path }: Node): void {
    this.#check(`areOf(${codeOfText(path)}, ${list}, ${this.#allElements}, canRead)`)
  }

  #check(condition: string): void {
    this.code.isRisky = true
    this.code.line(`if (!(${condition})) fail()`)
  }

  /** Writes a list and returns it as a source. */
  gathered(source: Source): Source {
    return this.listed(this.elements(source))
  }

  /** Returns the elements of a list as a source. */
  listed(list: ListCode): Source {
    return {
      each: (out) => this.code.loop(list.value, (value) => out(this.elementItem(value, list.sample))),
      list: () => list
    }
  }

  /** Returns the item for an element in a variable, of the type of a sample. */
  elementItem(value: string, sample: Node | undefined): Item {
    return sample === undefined ? { form: "element", value } : this.itemOf(sample, value)
  }

  /** Writes what follows for a boolean. */
  truth({ isSure, value }: TruthCode, out: Out): void {
    if (isSure) out({ form: "truth", value })
    else this.perhaps(value, out)
  }

  /** Writes what follows for a boolean that can be `undefined`. */
  perhaps(value: string, out: Out): void {
    this.code.block(`if (${value} !== undefined)`, () => out({ form: "truth", value }))
  }

  /** Writes what follows for the first element of a list, if it has one. */
  single({ sample, value: list }: ListCode, out: Out): void {
    const value = this.code.set(`${list}[0]`)
    this.code.block(`if (${value} !== undefined)`, () => out(this.elementItem(value, sample)))
  }
}

import fhirpath from "fhirpath"
import r4 from "fhirpath/fhir-context/r4"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { Element, Elements, PathFunction } from "../FhirPath.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { syntaxTree } from "../syntax/SyntaxTree.ts"
import { alternativesOf, argumentsOf, ownVariables, typeSpecifier, unquoted } from "../syntax/treeParts.ts"
import type { EvaluateStep, Frame } from "./Frame.ts"
import { copyOfFrame, frameOf, variablesOf } from "./Frame.ts"
import { askedFunction, extensions, plainFunctions } from "./functions.ts"
import { kept, member, remembered } from "./member.ts"
import { ask, isNode } from "./Node.ts"
import { operatorOf } from "./operators.ts"
import { overEach } from "./overEach.ts"
import { asPlain, madeOf, sourcesOfAll } from "./sources.ts"
import { holds, none, plainText, truth } from "./values.ts"

/**
 * Compiles the tree of an expression to closures that return the results of `fhirpath`, and throw the same errors. Returns `undefined` if
 * the results of any part could differ: the library then evaluates the whole expression.
 */
export const compileTree = (
  tree: SyntaxNode,
  functions: ReadonlyMap<string, PathFunction>
): Pick<Code, "run" | "values"> | undefined => new Compiler(functions, false).code(tree)

/** Same as `compileTree`, but slower: `sourcesOf` returns the source records of each element in the result. */
export const compileTraced = (
  tree: SyntaxNode,
  functions: ReadonlyMap<string, PathFunction>
): EvaluateStep | undefined => new Compiler(functions, true).code(tree)?.run

/** A compiled part. `leaves` is true if it can change its frame: operands and arguments then get a copy. */
interface Code {
  readonly run: EvaluateStep
  readonly leaves: boolean
  /** The result, if it is constant. */
  readonly constant?: Elements
  /** Returns the values of its elements, without a node for each. */
  readonly values?: EvaluateStep
  /** Returns texts and booleans that `=` compares unchanged as values, and all other elements as nodes. */
  readonly plain?: EvaluateStep
}

const constant = (elements: Elements): Code => ({ run: () => elements, leaves: false, constant: elements })

/** An operand or argument. */
interface Operand {
  readonly find: (frame: Frame) => Elements
  readonly constant?: Elements
}

/** Whether an operand is a text or a boolean that is written in the expression. */
const isPlainLiteral = ({ constant }: Operand): boolean =>
  constant?.length === 1 && (typeof constant[0] === "string" || typeof constant[0] === "boolean")

class Compiler {
  readonly #functions: ReadonlyMap<string, PathFunction>
  /** If true, computed values keep their source records. */
  readonly #isTraced: boolean

  constructor(functions: ReadonlyMap<string, PathFunction>, isTraced: boolean) {
    this.#functions = functions
    this.#isTraced = isTraced
  }

  code(node: SyntaxNode): Code | undefined {
    const [first, second] = node.children ?? []
    switch (node.type) {
      case "EntireExpression":
      case "TermExpression":
      case "InvocationTerm":
      case "ParenthesizedTerm":
      case "LiteralTerm":
        return first === undefined ? undefined : this.code(first)
      case "NullLiteral":
        return constant(none)
      case "BooleanLiteral":
        return constant(truth(node.text === "true"))
      case "StringLiteral":
        return constant([unquoted(node.text!)])
      case "NumberLiteral":
        return constant([fhirpath.FP_Decimal.getDecimal(node.text!)])
      case "ThisInvocation":
        return { run: (frame) => frame.self, leaves: false }
      case "IndexInvocation":
        return { run: ({ index }) => (index === undefined ? none : [index]), leaves: false }
      case "TotalInvocation":
        return { run: ({ total }) => total, leaves: false }
      case "ExternalConstantTerm":
        return variable(node)
      case "MemberInvocation":
        return { ...member(unquoted(node.text!), node.atRoot), leaves: false }
      case "FunctionInvocation":
        return this.#invocation(node)
      case "InvocationExpression":
        return this.#path(first!, second!)
      case "IndexerExpression":
        return this.#indexer(first!, second!)
      case "TypeExpression": {
        const operand = this.#operand(first!)
        return operand === undefined
          ? undefined
          : this.#type(node.text!, { run: operand.find, leaves: false }, second!.text)
      }
      case "OrExpression":
        return this.#alternatives(node) ?? this.#operation(node)
      default:
        return this.#operation(node)
    }
  }

  #path(first: SyntaxNode, second: SyntaxNode): Code | undefined {
    const start = this.code(first)
    const then = start === undefined ? undefined : this.code(second)
    if (start === undefined || then === undefined) return undefined
    const run = start.values !== undefined && !this.#isTraced && this.#readsValues(second) ? start.values : start.run
    const { plain, run: next, values } = then
    return {
      run: (frame, input) => next(frame, run(frame, input)),
      leaves: start.leaves || then.leaves,
      ...(values === undefined ? {} : { values: (frame, input) => values(frame, run(frame, input)) }),
      ...(plain === undefined ? {} : { plain: (frame, input) => plain(frame, run(frame, input)) })
    }
  }

  /** Returns whether a function only reads the values of its input, or their number. */
  #readsValues(node: SyntaxNode): boolean {
    if (node.type !== "FunctionInvocation") return false
    const name = unquoted(node.text ?? "")
    const own = this.#functions.get(name)
    if (own !== undefined) return own.readsValues === true
    return (name === "exists" || name === "empty" || name === "count") && argumentsOf(node).length === 0
  }

  #indexer(collection: SyntaxNode, index: SyntaxNode): Code | undefined {
    const code = this.code(collection)
    const digits = index.children?.[0]?.children?.[0]
    if (code === undefined || digits?.type !== "NumberLiteral") return undefined
    const at = Number.parseInt(digits.text!, 10)
    const { run } = code
    return {
      run: (frame, input) => {
        const found = run(frame, input)
        return at < found.length ? [found[at]] : none
      },
      leaves: code.leaves
    }
  }

  /** Compiles an operand: it is evaluated on `$this`, and its changes to the frame remain local. */
  #operand(node: SyntaxNode, isPlain = false): Operand | undefined {
    const code = this.code(node)
    if (code === undefined) return undefined
    const run = (isPlain && !this.#isTraced ? code.plain : undefined) ?? code.run
    if (code.constant !== undefined) return { find: () => code.constant!, constant: code.constant }
    return {
      find: code.leaves
        ? (frame) => run(copyOfFrame(frame, frame.self), frame.self)
        : (frame) => run(frame, frame.self)
    }
  }

  #operands(nodes: ReadonlyArray<SyntaxNode>): ReadonlyArray<Operand> | undefined {
    const operands = nodes.flatMap((node): ReadonlyArray<Operand> => {
      const operand = this.#operand(node)
      return operand === undefined ? [] : [operand]
    })
    return operands.length === nodes.length ? operands : undefined
  }

  #operation(node: SyntaxNode): Code | undefined {
    const operator = operatorOf(node.type, node.text ?? "")
    const [first, second] = node.children ?? []
    const right = operator === undefined || second === undefined ? undefined : this.#operand(second)
    const left = right === undefined
      ? undefined
      : this.#operand(first!, (node.text === "=" || node.text === "!=") && isPlainLiteral(right))
    if (operator === undefined || left === undefined || right === undefined) return undefined
    const { find: one } = left
    const { constant: literal, find: other } = right
    const { refuses } = operator
    const apply: typeof operator.apply = this.#isTraced
      ? (left, right) => madeOf(operator.apply(left, right), sourcesOfAll(left, right))
      : operator.apply
    return {
      run: literal !== undefined
        ? (frame) => apply(one(frame), literal)
        : refuses === undefined
        ? (frame) => apply(one(frame), other(frame))
        : (frame) => {
          const left = one(frame)
          return refuses(left) ? apply(left, none) : apply(left, other(frame))
        },
      leaves: false
    }
  }

  /** Compiles `status = 'final' or status = 'amended'`: the path is followed once, and its result is looked up. */
  #alternatives(node: SyntaxNode): Code | undefined {
    const found = alternativesOf(node)
    const usual = found === undefined ? undefined : this.#operation(node)
    const path = found === undefined ? undefined : this.#operand(found.path, true)
    if (found === undefined || usual === undefined || path === undefined) return undefined
    const texts = new Set(found.texts)
    return {
      run: (frame, input) => {
        const elements = path.find(frame)
        if (elements.length === 0) return none
        const text = elements.length === 1 ? plainText(elements[0]) : undefined
        if (text === undefined) return usual.run(frame, input)
        const found = truth(texts.has(text))
        return this.#isTraced ? madeOf(found, sourcesOfAll(elements)) : found
      },
      leaves: false
    }
  }

  #invocation(node: SyntaxNode): Code | undefined {
    const name = unquoted(node.text ?? "")
    const args = argumentsOf(node)
    // The library passes the arguments of a function of this name differently.
    if (name === "sort") return undefined
    const own = this.#functions.get(name)
    if (own !== undefined) return this.#own(own, args)
    switch (name) {
      case "where":
      case "exists":
      case "select":
      case "all":
        return name === "exists" && args.length === 0 ? this.#plain(name, args) : this.#overEach(name, args)
      case "aggregate":
        return this.#aggregate(args)
      case "iif":
        return this.#iif(args)
      case "ofType":
      case "is":
      case "as":
        return args.length === 1
          ? this.#type(name, { run: (_, input) => input, leaves: false }, args[0]!.text)
          : undefined
      case "defineVariable":
        return this.#definition(args)
      case "extension": {
        const [url] = this.#operands(args) ?? []
        if (url === undefined || args.length !== 1) return undefined
        return {
          run: (frame, input) => {
            const expected = url.find(frame)
            if (input.length > 0 && expected[0] !== "") frame.index = input.length - 1
            return extensions(input, expected)
          },
          leaves: true
        }
      }
      case "sum":
        return args.length > 0 ? undefined : {
          run: (frame, input) => {
            if (input.length > 1) frame.index = input.length - 2
            const found = input.length === 0 ? none : ask("%input.sum()", { input })
            frame.total = found
            return this.#isTraced ? madeOf(found, sourcesOfAll(input)) : found
          },
          leaves: true
        }
      default:
        return this.#plain(name, args)
    }
  }

  #own(own: PathFunction, args: ReadonlyArray<SyntaxNode>): Code | undefined {
    const operands = this.#operands(args)
    const max = own.parameters.length
    if (operands === undefined || args.length > max || args.length < (own.least ?? max)) return undefined
    const values = valuesOf(operands)
    const called: EvaluateStep = this.#isTraced
      ? (frame, input) => {
        const given = values(frame)
        let named: Set<SourceRecord> | undefined
        const found = own.call(input, given, variablesOf(frame), (record) => {
          named = (named ?? new Set()).add(record)
        })
        return found.every(isNode) ? found : madeOf(found, named ?? sourcesOfAll(input, ...given))
      }
      : (frame, input) => own.call(input, values(frame), variablesOf(frame))
    return { run: own.body === undefined ? called : this.#body(own, own.body, operands, called), leaves: false }
  }

  /** Compiles a function that is an expression. It is compiled on the first call, when every function is known. */
  #body(
    { parameters }: PathFunction,
    { over, text }: NonNullable<PathFunction["body"]>,
    operands: ReadonlyArray<Operand>,
    called: EvaluateStep
  ): EvaluateStep {
    let body: EvaluateStep | undefined | "not yet" = "not yet"
    return (frame, input) => {
      if (body === "not yet") body = bodyOf(text, this.#functions, this.#isTraced)
      if (body === undefined || hasForeign(input)) return called(frame, input)
      let { argument } = frame
      for (let at = 0; at < parameters.length; at++) {
        argument = { name: parameters[at]!, value: operands[at]?.find(frame) ?? none, next: argument }
      }
      const { variables } = frame
      if (over === "collection") {
        const found = body(frameOf(input, variables, argument), input)
        return found === input ? [...found] : found
      }
      if (input.length === 0) return none
      if (input.length === 1) {
        const root = [input[0]]
        return body(frameOf(root, variables, argument), root)
      }
      const found: Array<Element> = []
      for (const element of input) {
        const root = [element]
        for (const one of body(frameOf(root, variables, argument), root)) found.push(one)
      }
      return found
    }
  }

  #plain(name: string, args: ReadonlyArray<SyntaxNode>): Code | undefined {
    const plain = plainFunctions.get(name)
    const operands = this.#operands(args)
    if (plain === undefined || operands === undefined || !plain.arities.includes(args.length)) return undefined
    const slowly = askedFunction(name, args.length)
    const { plainly } = plain
    const values = valuesOf(operands)
    return {
      run: (frame, input) => {
        const given = values(frame)
        const found = plainly?.(input, given) ?? slowly(input, given)
        return this.#isTraced ? madeOf(found, sourcesOfAll(input, ...given)) : found
      },
      leaves: false
    }
  }

  /** Compiles a function whose argument is evaluated on each element. */
  #overEach(name: keyof typeof overEach, args: ReadonlyArray<SyntaxNode>): Code | undefined {
    const [argument] = args
    const compiler = name === "select" ? this : this.#conditions()
    const body = argument === undefined || args.length > 1 ? undefined : compiler.code(argument)
    if (body === undefined) return undefined
    if (!this.#isTraced || name === "select") return { run: overEach[name](body.run), leaves: true }
    const run = overEach[name]((frame, input) => asPlain(body.run(frame, input)))
    return { run: (frame, input) => madeOf(run(frame, input), sourcesOfAll(input)), leaves: true }
  }

  /** Returns a compiler for conditions: the operands of a condition are not sources of the result. */
  #conditions(): Compiler {
    return this.#isTraced ? new Compiler(this.#functions, false) : this
  }

  #aggregate(args: ReadonlyArray<SyntaxNode>): Code | undefined {
    const [step, start] = args
    const total = start === undefined ? { find: () => none } : this.#operand(start)
    const code = step === undefined ? undefined : this.code(step)
    if (total === undefined || code === undefined || args.length > 2) return undefined
    const run = overEach.aggregate(code.run)
    return {
      run: (frame, input) => {
        frame.total = total.find(frame)
        return run(frame, input)
      },
      leaves: true
    }
  }

  #iif(args: ReadonlyArray<SyntaxNode>): Code | undefined {
    const bodies = args.flatMap((one, at) => (at === 0 ? this.#conditions() : this).code(one) ?? [])
    if (bodies.length !== args.length || args.length < 2 || args.length > 3) return undefined
    const [condition, then, otherwise] = bodies.map(({ run, leaves }): EvaluateStep =>
      leaves
        ? (frame, input) => run(copyOfFrame(frame, input), input)
        : (frame, input) => run(input === frame.self ? frame : copyOfFrame(frame, input), input)
    )
    return {
      run: (frame, input) =>
        holds(condition!(frame, input))
          ? then!(frame, input)
          : otherwise === undefined
          ? none
          : otherwise(frame, input),
      leaves: false
    }
  }

  #type(operator: string, operand: Code | undefined, text: string | undefined): Code | undefined {
    const type = text === undefined ? undefined : typeSpecifier(text)
    if (operand === undefined || type === undefined) return undefined
    const { run } = operand
    const { leaves } = operand
    if (operator === "ofType") {
      const fits = remembered((of) => of.isConvertibleTo(type, r4))
      return { run: (frame, input) => kept(run(frame, input), fits), leaves }
    }
    const fits = remembered((of) => of.is(type, r4))
    const slow = `%a ${operator} ${text}`
    return {
      run: (frame, input) => {
        const found = run(frame, input)
        if (found.length === 0) return none
        if (found.length > 1) return ask(slow, { a: found })
        const is = fits(found[0])
        return operator !== "is"
          ? (is ? found : none)
          : this.#isTraced
          ? madeOf(truth(is), sourcesOfAll(found))
          : truth(is)
      },
      leaves
    }
  }

  #definition(args: ReadonlyArray<SyntaxNode>): Code | undefined {
    const [nameNode, valueNode] = args
    const literal = nameNode?.children?.[0]?.children?.[0]
    const value = valueNode === undefined ? undefined : this.code(valueNode)
    if (literal?.type !== "StringLiteral" || value === undefined || args.length !== 2) return undefined
    const name = unquoted(literal.text!)
    if (ownVariables.has(name)) return undefined
    return {
      run: (frame, input) => {
        const found = value.run(copyOfFrame(frame, input), input)
        if (name in variablesOf(frame)) throw new Error(`Environment Variable %${name} already defined`)
        if (frame.defined !== undefined && Object.hasOwn(frame.defined, name)) {
          throw new Error(`Variable %${name} already defined`)
        }
        frame.defined = { ...frame.defined, [name]: found }
        return input
      },
      leaves: true
    }
  }
}

const bodies = new WeakMap<ReadonlyMap<string, PathFunction>, Map<string, EvaluateStep | undefined>>()

/** Returns the closures of a function's body. All its calls share them: many copies would not fit into the processor's caches. */
const bodyOf = (
  text: string,
  functions: ReadonlyMap<string, PathFunction>,
  isTraced: boolean
): EvaluateStep | undefined => {
  let known = bodies.get(functions)
  if (known === undefined) bodies.set(functions, known = new Map())
  const key = `${isTraced ? "traced" : "plain"} ${text}`
  if (!known.has(key)) known.set(key, new Compiler(functions, isTraced).code(syntaxTree(text))?.run)
  return known.get(key)
}

/** Returns the values of arguments, computed once if they are constant. */
const valuesOf = (operands: ReadonlyArray<Operand>): (frame: Frame) => ReadonlyArray<Elements> => {
  const constants = operands.flatMap(({ constant }) => (constant === undefined ? [] : [constant]))
  if (constants.length === operands.length) return () => constants
  const [first] = operands
  return operands.length === 1
    ? (frame) => [first!.find(frame)]
    : (frame) => operands.map(({ find }) => find(frame))
}

const variable = (node: SyntaxNode): Code | undefined => {
  const name = node.text
  if (name === undefined || ownVariables.has(name)) return undefined
  return {
    run: ({ argument, defined, variables }) => {
      for (let one = argument; one !== undefined; one = one.next) if (one.name === name) return known(one.value)
      const value = variables[name]
      if (value !== undefined && value !== null) return known(value)
      if (name in variables) return none
      if (defined !== undefined && name in defined) return defined[name]!
      throw new Error(`Attempting to access an undefined environment variable: ${name}`)
    },
    leaves: false
  }
}

/** Returns the value of a variable as elements. */
const known = (value: unknown): Elements => {
  if (!Array.isArray(value)) return isForeign(value) ? ask("%value", { value }) : [value]
  return hasForeign(value) ? ask("%value", { value }) : value
}

export const hasForeign = (elements: Elements): boolean => {
  for (const element of elements) if (isForeign(element)) return true
  return false
}

/** Returns whether a value is JSON without a node, or of a kind that closures do not support. */
const isForeign = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !isNode(value) && !(value instanceof fhirpath.FP_Decimal)

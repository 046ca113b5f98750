import { getOrMake } from "../../maps.ts"
import type { SourceRecord } from "../../source/records/SourceRecord.ts"
import type { Element, Elements, PathFunction } from "../FhirPath.ts"
import { ask, compileByLibrary } from "../library/ask.ts"
import { standardFunctions } from "../syntax/functionForms.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { syntaxTree, variableName } from "../syntax/SyntaxTree.ts"
import { alternativesOf, argumentsOf, ownVariables, sortKeysOf, unquoted } from "../syntax/treeParts.ts"
import type { EvaluateStep, Frame } from "./Frame.ts"
import { copyOfFrame, frameOf, variablesOf } from "./Frame.ts"
import { askedFunction, extensions, plainFunctions, sumOf } from "./functions.ts"
import { isLibraryLiteral, literalOf } from "./literals.ts"
import { kept, member } from "./member.ts"
import { elementsOf, isNode } from "./Node.ts"
import { operatorOf } from "./operators.ts"
import { overEach } from "./overEach.ts"
import { searchList, type TextSearch, textSearchOf } from "./searchList.ts"
import { sorted } from "./sorted.ts"
import { asPlain, madeOf, sourcesOfAll } from "./sources.ts"
import { typeTest } from "./types.ts"
import { holds, none, plainText, textOfSingle, truth } from "./values.ts"

/**
 * Compiles the tree of an expression to closures that return the results of `fhirpath`, and throw the same errors. The closures decide the
 * common cases themselves, and everything about times, because the library is in the zone of the process. They ask the library for the
 * results of other operators and functions, on evaluated operands.
 */
export const compileTree = (tree: SyntaxNode, context: CompileContext): Pick<Code, "run" | "values"> =>
  new Compiler(context, "untraced").code(tree)

/** Same as `compileTree`, but slower: `sourcesOf` returns the source records of each element in the result. */
export const compileTraced = (tree: SyntaxNode, context: CompileContext): EvaluateStep =>
  new Compiler(context, "traced").code(tree).run

/** What the expressions of one engine share. */
interface CompileContext {
  readonly functions: ReadonlyMap<string, PathFunction>
}

/** A compiled part. `leaves` is true if it can change its frame: operands and arguments then get a copy. */
interface Code {
  readonly run: EvaluateStep
  readonly leaves?: boolean | undefined
  readonly constant?: Elements
  /** Returns the values of its elements, without a node for each. */
  readonly values?: EvaluateStep
  /** Returns texts and booleans that `=` compares unchanged as values, and all other elements as nodes. */
  readonly plain?: EvaluateStep
}

const constant = (elements: Elements): Code => ({ run: () => elements, constant: elements })

interface Operand {
  readonly find: (frame: Frame) => Elements
  readonly constant?: Elements
}

/** Whether an operand is a text or a boolean that is written in the expression. */
const isPlainLiteral = ({ constant }: Operand): boolean =>
  constant?.length === 1 && (typeof constant[0] === "string" || typeof constant[0] === "boolean")

/** A literal that the library reads. An invalid one, such as `@2026-02-30`, is an error when it is evaluated. */
const literalOfLibrary = (text: string): Code => {
  const evaluate = compileByLibrary(text)
  let found: Elements | undefined
  return { run: () => (found ??= evaluate([], {})) }
}

/** A call with a wrong number of arguments. The library does not evaluate them: it throws, or warns and finds nothing. */
const wrongArguments = (name: string, count: number): Code => {
  const ask = askedFunction(name, count)
  const args = Array.from({ length: count }, () => none)
  return { run: (_, input) => ask(input, args) }
}

/** In traced code, computed values keep their source records. */
type Mode = "traced" | "untraced"

/** Returns what the body of a function finds that reads only the visit. */
const ofVisit = (body: EvaluateStep, { scope, variables }: Frame): Elements => {
  const find = (): Elements => body(frameOf(none, variables, scope, undefined), none)
  return scope.once === undefined ? find() : scope.once(body, find)
}

class Compiler {
  readonly #context: CompileContext
  readonly #mode: Mode
  readonly #isTraced: boolean

  constructor(context: CompileContext, mode: Mode) {
    this.#context = context
    this.#mode = mode
    this.#isTraced = mode === "traced"
  }

  code(node: SyntaxNode): Code {
    const literal = literalOf(node)
    if (literal !== undefined) return constant(literal)
    const { children: [first, second] = [], text = "" } = node
    if (isLibraryLiteral(node)) return literalOfLibrary(text)
    switch (node.type) {
      case "ThisInvocation":
        return { run: (frame) => frame.self }
      case "IndexInvocation":
        return { run: ({ index }) => (index === undefined ? none : [index]) }
      case "TotalInvocation":
        return { run: ({ total }) => total }
      case "ExternalConstantTerm":
        return variable(variableName(node))
      case "MemberInvocation":
        return member(unquoted(text), node.atRoot)
      case "FunctionInvocation":
        return this.#invocation(node)
    }
    if (first === undefined) throw new Error(`${node.type} cannot be evaluated`)
    if (second === undefined) {
      if (node.type === "PolarityExpression") return this.#polarity(text, first)
      return node.type === "InstanceSelector" ? this.#instance(node) : this.code(first)
    }
    switch (node.type) {
      case "InvocationExpression":
        return this.#path(first, second)
      case "IndexerExpression":
        return this.#indexer(first, second)
      case "InstanceSelector":
        return this.#instance(node)
      case "TypeExpression":
        return this.#type(text, { run: this.#operand(first).find }, second.text)
      case "OrExpression":
        return this.#alternatives(node) ?? this.#operation(text, first, second)
      default:
        return this.#operation(text, first, second)
    }
  }

  #path(first: SyntaxNode, second: SyntaxNode): Code {
    const start = this.code(first)
    const then = this.code(second)
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
    const own = this.#context.functions.get(name)
    if (own !== undefined) return own.readsValues === true
    return (name === "exists" || name === "empty" || name === "count") && argumentsOf(node).length === 0
  }

  /** The index is evaluated on the same input as the collection. */
  #indexer(collection: SyntaxNode, index: SyntaxNode): Code {
    const { leaves, run } = this.code(collection)
    const at = this.code(index)
    return {
      run: (frame, input) => {
        const found = run(frame, input)
        const [position] = at.constant ?? at.run(frame, input)
        const number = position === undefined ? Number.NaN : Number.parseInt(String(position), 10)
        return number in found ? [found[number]] : none
      },
      leaves: leaves || at.leaves
    }
  }

  #polarity(sign: string, operand: SyntaxNode): Code {
    const { leaves, run } = this.code(operand)
    const text = `${sign}%a`
    return {
      run: (frame, input) => {
        const a = run(frame, input)
        return this.#made(ask(text, { a }), a)
      },
      leaves
    }
  }

  /** Compiles `Coding {code: 'x'}`. */
  #instance({ children: [, ...selectors] = [], text = "" }: SyntaxNode): Code {
    const elements = selectors.flatMap(({ children: [name, value] = [] }) =>
      name === undefined || value === undefined ? [] : [{ name: name.text ?? "", code: this.code(value) }]
    )
    const made = `$this.select(${text} {${
      elements.length === 0 ? ":" : elements.map(({ name }, at) => `${name}: %a${at}`).join(", ")
    }})`
    return {
      run: (frame, input) => {
        const values = elements.map(({ code }) => code.run(copyOfFrame(frame, frame.self), input))
        const found = compileByLibrary(made)(input, Object.fromEntries(values.map((value, at) => [`a${at}`, value])))
        return this.#made(found, ...values)
      }
    }
  }

  /** Returns a computed result, with the source records of its operands. */
  #made(found: Elements, ...operands: ReadonlyArray<Elements>): Elements {
    return this.#isTraced ? madeOf(found, sourcesOfAll(...operands)) : found
  }

  /** Compiles an operand: it is evaluated on `$this`, and its changes to the frame remain local. */
  #operand(node: SyntaxNode, form: "plain" | "nodes" = "nodes"): Operand {
    const { constant, leaves, plain, run: usual } = this.code(node)
    if (constant !== undefined) return { find: () => constant, constant }
    const run = (form === "plain" && !this.#isTraced ? plain : undefined) ?? usual
    return {
      find: leaves
        ? (frame) => run(copyOfFrame(frame, frame.self), frame.self)
        : (frame) => run(frame, frame.self)
    }
  }

  #operation(symbol: string, first: SyntaxNode, second: SyntaxNode): Code {
    const operator = operatorOf(symbol)
    const right = this.#operand(second)
    const isPlain = (symbol === "=" || symbol === "!=") && isPlainLiteral(right)
    const left = this.#operand(first, isPlain ? "plain" : "nodes")
    const { find: one } = left
    const { constant: literal, find: other } = right
    const { isDecidedBy } = operator
    const apply: typeof operator.apply = this.#isTraced
      ? (left, right, scope) => madeOf(operator.apply(left, right, scope), sourcesOfAll(left, right))
      : operator.apply
    return {
      run: literal !== undefined
        ? (frame) => apply(one(frame), literal, frame.scope)
        : isDecidedBy === undefined
        ? (frame) => apply(one(frame), other(frame), frame.scope)
        : (frame) => {
          const left = one(frame)
          const { scope } = frame
          return isDecidedBy(left) ? apply(left, none, scope) : apply(left, other(frame), scope)
        }
    }
  }

  /** Compiles `status = 'final' or status = 'amended'`: the path is followed once, and its result is looked up. */
  #alternatives(node: SyntaxNode): Code | undefined {
    const found = alternativesOf(node)
    const { children: [first, second] = [], text = "" } = node
    if (found === undefined || first === undefined || second === undefined) return undefined
    const usual = this.#operation(text, first, second)
    const path = this.#operand(found.path, "plain")
    const texts = new Set(found.texts)
    return {
      run: (frame, input) => {
        const elements = path.find(frame)
        if (elements.length === 0) return none
        const text = elements.length === 1 ? plainText(elements[0]) : undefined
        return text === undefined ? usual.run(frame, input) : this.#made(truth(texts.has(text)), elements)
      }
    }
  }

  #invocation(node: SyntaxNode): Code {
    const written = node.text ?? ""
    const name = unquoted(written)
    const args = argumentsOf(node)
    const own = this.#context.functions.get(name)
    if (own !== undefined) return this.#own(own, args)
    const form = standardFunctions.get(name)
    if (form !== undefined && (args.length < form.least || args.length > form.most)) {
      return wrongArguments(written, args.length)
    }
    switch (name) {
      case "sort":
        return this.#sort(node)
      case "sum":
        return this.#sum()
      case "now":
      case "today":
      case "timeOfDay":
        return {
          run: () => {
            throw new Error(`${name}() would make the result depend on the time of the run`)
          }
        }
    }
    const [first, second, third] = args
    if (first === undefined) return this.#plain(written, name, args)
    switch (name) {
      case "where":
      case "exists":
      case "select":
      case "all":
        return this.#overEach(name, first)
      case "aggregate":
        return this.#aggregate(first, second)
      case "ofType":
      case "is":
      case "as":
        return this.#type(name, { run: (_, input) => input }, first.text)
      case "coalesce":
        return this.#coalesce(args)
      case "repeat":
        return this.#repeat(first)
      case "defineVariable":
        return this.#definition(first, second)
      case "extension":
        return this.#extension(first)
    }
    return name === "iif" && second !== undefined
      ? this.#iif(first, second, third)
      : this.#plain(written, name, args)
  }

  #extension(url: SyntaxNode): Code {
    const { find } = this.#operand(url)
    return {
      run: (frame, input) => {
        const expected = find(frame)
        if (input.length > 0 && expected[0] !== "") frame.index = input.length - 1
        return extensions(input, expected)
      },
      leaves: true
    }
  }

  #sum(): Code {
    return {
      run: (frame, input) => {
        if (input.length > 1) frame.index = input.length - 2
        return frame.total = this.#made(
          sumOf(input) ?? ask("%input.sum()", { input }),
          input
        )
      },
      leaves: true
    }
  }

  #coalesce(args: ReadonlyArray<SyntaxNode>): Code {
    const codes = args.map((argument) => this.code(argument))
    return {
      run: (frame, input) => {
        for (const { run } of codes) {
          const found = run(copyOfFrame(frame, frame.self), input)
          if (found.length > 0) return found
        }
        return none
      }
    }
  }

  /** Recursive as in the library, so that an endless repetition ends with an error. */
  #repeat(argument: SyntaxNode): Code {
    const { run } = this.code(argument)
    const { apply: union } = operatorOf("|")
    const repeat = (frame: Frame, input: Elements, known: Elements): Elements => {
      const found = input.flatMap((element) => run(copyOfFrame(frame, [element]), [element]))
      if (found.length === 0) return known
      const all = union(known, found, frame.scope)
      return repeat(frame, all.slice(known.length), all)
    }
    return { run: (frame, input) => repeat(frame, input, none) }
  }

  #sort(node: SyntaxNode): Code {
    const keys = sortKeysOf(node).map(({ direction, expression }) => ({
      run: this.code(expression).run,
      isDescending: direction === "desc"
    }))
    return { run: (frame, input) => sorted(input, keys, frame) }
  }

  /** A call with a wrong number of arguments is reported by the check of the mapping, and finds nothing. */
  #own(own: PathFunction, args: ReadonlyArray<SyntaxNode>): Code {
    const max = own.parameters.length
    if (args.length > max || args.length < (own.least ?? max)) return constant(none)
    const operands = args.map((argument) => this.#operand(argument))
    const values = valuesOf(operands)
    const called: EvaluateStep = this.#isTraced
      ? (frame, input) => {
        const given = values(frame)
        let sources: Set<SourceRecord> | undefined
        const found = own.call(input, given, frame.scope, (record) => {
          sources = (sources ?? new Set()).add(record)
        })
        return found.every(isNode) ? found : madeOf(found, sources ?? sourcesOfAll(input, ...given))
      }
      : (frame, input) => own.call(input, values(frame), frame.scope)
    return { run: own.body === undefined ? called : this.#body(own, own.body, operands) }
  }

  /** Compiles a function that is an expression. It is compiled on the first call, when every function is known. */
  #body(
    { parameters }: PathFunction,
    { over, text }: NonNullable<PathFunction["body"]>,
    operands: ReadonlyArray<Operand>
  ): EvaluateStep {
    let body: EvaluateStep | undefined
    return (frame, given) => {
      body ??= bodyOf(text, this.#context, this.#mode)
      if (over === "visit") return ofVisit(body, frame)
      const input = elementsOf(given)
      let { argument } = frame
      for (const [at, name] of parameters.entries()) {
        argument = { name, value: operands[at]?.find(frame) ?? none, next: argument }
      }
      const { scope, variables } = frame
      if (over === "collection") {
        const found = body(frameOf(input, variables, scope, argument), input)
        return found === input ? [...found] : found
      }
      if (input.length === 0) return none
      if (input.length === 1) {
        const root = [input[0]]
        return body(frameOf(root, variables, scope, argument), root)
      }
      const found: Array<Element> = []
      for (const element of input) {
        const root = [element]
        for (const one of body(frameOf(root, variables, scope, argument), root)) found.push(one)
      }
      return found
    }
  }

  /** Compiles a function that reads only its input and the values of its arguments, or that is unknown. */
  #plain(written: string, name: string, args: ReadonlyArray<SyntaxNode>): Code {
    const plain = plainFunctions.get(name)
    const plainly = plain?.arities.includes(args.length) === true ? plain.plainly : undefined
    const slowly = askedFunction(written, args.length)
    const values = valuesOf(args.map((argument) => this.#operand(argument)))
    return {
      run: (frame, input) => {
        const given = values(frame)
        return this.#made(plainly?.(input, given, frame.scope) ?? slowly(input, given, frame.root), input, ...given)
      }
    }
  }

  /** Compiles a function whose argument is evaluated on each element. */
  #overEach(name: keyof typeof overEach, argument: SyntaxNode): Code {
    const search = name === "where" ? textSearchOf(argument, this.#context.functions) : undefined
    return search === undefined ? this.#onEach(name, argument) : this.#search(search, argument)
  }

  /** Compiles `where(nameAndTime() = %text)`. */
  #search({ of, wanted }: TextSearch, condition: SyntaxNode): Code {
    const { run, ...rest } = this.#onEach("where", condition)
    const { find } = this.#operand(wanted)
    return {
      ...rest,
      run: (frame, input) => {
        const found = searchList(input, of, find(frame), frame.scope)
        if (found === undefined) return run(frame, input)
        if (input.length > 0) frame.index = input.length - 1
        return found
      }
    }
  }

  #onEach(name: keyof typeof overEach, argument: SyntaxNode): Code {
    const compiler = name === "select" ? this : this.#conditions()
    const body = compiler.code(argument)
    if (!this.#isTraced || name === "select") return { run: overEach[name](body.run), leaves: true }
    const run = overEach[name]((frame, input) => asPlain(body.run(frame, input)))
    return { run: (frame, input) => madeOf(run(frame, input), sourcesOfAll(input)), leaves: true }
  }

  /** Returns a compiler for conditions: the operands of a condition are not sources of the result. */
  #conditions(): Compiler {
    return this.#isTraced ? new Compiler(this.#context, "untraced") : this
  }

  #aggregate(step: SyntaxNode, start: SyntaxNode | undefined): Code {
    const total = start === undefined ? { find: () => none } : this.#operand(start)
    const run = overEach.aggregate(this.code(step).run)
    return {
      run: (frame, input) => {
        frame.total = total.find(frame)
        return run(frame, input)
      },
      leaves: true
    }
  }

  #iif(condition: SyntaxNode, then: SyntaxNode, otherwise: SyntaxNode | undefined): Code {
    const branch = ({ leaves, run }: Code): EvaluateStep =>
      leaves
        ? (frame, input) => run(copyOfFrame(frame, input), input)
        : (frame, input) => run(input === frame.self ? frame : copyOfFrame(frame, input), input)
    const isTrue = branch(this.#conditions().code(condition))
    const one = branch(this.code(then))
    const other = otherwise === undefined ? () => none : branch(this.code(otherwise))
    return {
      run: (frame, input) => (holds(isTrue(frame, input)) ? one(frame, input) : other(frame, input))
    }
  }

  #type(operator: string, operand: Code, text = ""): Code {
    const { leaves, run } = operand
    const slow = operator === "ofType" ? `%a.ofType(${text})` : `%a ${operator} ${text}`
    const fits = typeTest(operator === "ofType" ? "ofType" : "is", text.split(".").map(unquoted))
    if (fits === undefined) return { run: (frame, input) => ask(slow, { a: run(frame, input) }), leaves }
    if (operator === "ofType") return { run: (frame, input) => kept(run(frame, input), fits), leaves }
    return {
      run: (frame, input) => {
        const found = run(frame, input)
        if (found.length === 0) return none
        if (found.length > 1) return ask(slow, { a: found })
        const is = fits(found[0])
        return operator === "is" ? this.#made(truth(is), found) : is ? found : none
      },
      leaves
    }
  }

  #definition(label: SyntaxNode, value: SyntaxNode | undefined): Code {
    const { find } = this.#operand(label)
    const run = value === undefined ? undefined : this.code(value).run
    return {
      run: (frame, input) => {
        const labels = find(frame)
        const name = textOfSingle(labels)
        if (name === undefined) return ask("defineVariable(%labels)", { labels })
        const found = run === undefined ? input : run(copyOfFrame(frame, input), input)
        if (ownVariables.has(name) || name in variablesOf(frame)) {
          throw new Error(`Environment Variable %${name} already defined`)
        }
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

const bodies = new WeakMap<CompileContext, Map<string, EvaluateStep>>()

/** Returns the closures of a function's body. All its calls share them: many copies would not fit into the processor's caches. */
const bodyOf = (text: string, context: CompileContext, mode: Mode): EvaluateStep =>
  getOrMake(
    getOrMake(bodies, context, () => new Map<string, EvaluateStep>()),
    `${mode} ${text}`,
    () => new Compiler(context, mode).code(syntaxTree(text)).run
  )

/** Returns the values of arguments, computed once if they are constant. */
const valuesOf = (operands: ReadonlyArray<Operand>): (frame: Frame) => ReadonlyArray<Elements> => {
  const constants = operands.flatMap(({ constant }) => (constant === undefined ? [] : [constant]))
  if (constants.length === operands.length) return () => constants
  const [first] = operands
  return first !== undefined && operands.length === 1
    ? (frame) => [first.find(frame)]
    : (frame) => operands.map(({ find }) => find(frame))
}

const variable = (name: string): Code => ({
  run: ({ argument, defined, root, variables }) => {
    for (let one = argument; one !== undefined; one = one.next) if (one.name === name) return known(one.value)
    const value = variables[name]
    if (value !== undefined && value !== null) return known(value)
    if (name in variables) return none
    if (name === "context") return root
    if (ownVariables.has(name)) return ask(`%${name}`, {})
    const own = defined?.[name]
    if (own !== undefined) return own
    throw new Error(`Attempting to access an undefined environment variable: ${name}`)
  }
})

/** Returns the value of a variable as elements. */
const known = (value: unknown): Elements => elementsOf(Array.isArray(value) ? value : [value])

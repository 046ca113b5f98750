import { mayBeType } from "../evaluate/children.ts"
import { compileTree } from "../evaluate/compile.ts"
import type { Argument } from "../evaluate/Frame.ts"
import { frameOf, variablesOf } from "../evaluate/Frame.ts"
import { askedFunction, plainFunctions } from "../evaluate/functions.ts"
import { isModelType, possibleType, writtenDecimal } from "../evaluate/Node.ts"
import { operatorOf } from "../evaluate/operators.ts"
import { holds } from "../evaluate/values.ts"
import type { Elements, PathFunction } from "../FhirPath.ts"
import { recordOf, valueOf } from "../FhirPath.ts"
import type { SyntaxNode } from "../syntax/SyntaxTree.ts"
import { syntaxTree } from "../syntax/SyntaxTree.ts"
import { alternativesOf, argumentsOf, unquoted } from "../syntax/treeParts.ts"
import type { Ground, ModelKind, NodeKind, Walk, WalkResult } from "./Walk.ts"
import { elements, fallback, foundIn, gather, loose, nothing, oneOf, stepFrom, walkListOf } from "./Walk.ts"
import { walkEach } from "./walkEach.ts"
import type { PathSegment } from "./walkOperators.ts"
import {
  asKind,
  asValues,
  betweenElements,
  combination,
  concatenation,
  equality,
  holdsIn,
  inequality,
  isPlain,
  isPrimitive,
  isTimedKind,
  logic,
  together,
  union
} from "./walkOperators.ts"
import { constant, here, lost, nowhere, unionOf, valuesOf, walkExtensions, walkVariable } from "./walkParts.ts"
import { typeTest } from "./walkTypes.ts"

/**
 * Compiles an expression to a walk over the JSON of one kind of element. The model is queried at compile time, and intermediate steps
 * create no nodes. A walk returns the values of the closures in `compile.ts`; `undefined` for an expression that needs nodes.
 */
export const compileWalk = (
  tree: SyntaxNode,
  kind: ModelKind,
  functions: ReadonlyMap<string, PathFunction>
): ((data: WalkResult, ground: Ground) => Elements) | undefined => {
  const piece = new Walker(functions).start(tree, kind)
  if (piece === undefined) return undefined
  const { walk } = piece
  if (piece.kind.is !== "elements") return (data, ground) => walkListOf(walk(data, ground), loose)
  return (data, ground) => {
    const found = walk(data, ground)
    return found === undefined ? nothing : Array.isArray(found) ? found.map(valueOf) : [valueOf(found)]
  }
}

/** Maximum depth of nested calls of the mapping's functions. */
const maxCalls = 12

class Walker {
  readonly #functions: ReadonlyMap<string, PathFunction>
  #calls = 0

  constructor(functions: ReadonlyMap<string, PathFunction>) {
    this.#functions = functions
  }

  /** Compiles an expression that begins at `$this`: the whole expression, an operand or an argument. */
  start(node: SyntaxNode, self: NodeKind): PathSegment | undefined {
    return this.#piece(node, self, { walk: here, kind: self })
  }

  /** Compiles a part of the path that `before` begins, where `$this` is of the kind `self`. */
  #piece(node: SyntaxNode, self: NodeKind, before: PathSegment): PathSegment | undefined {
    const [first, second] = node.children ?? []
    switch (node.type) {
      case "EntireExpression":
      case "TermExpression":
      case "InvocationTerm":
      case "ParenthesizedTerm":
      case "LiteralTerm":
        return first === undefined ? undefined : this.#piece(first, self, before)
      case "NullLiteral":
        return constant(nothing)
      case "BooleanLiteral":
        return constant([node.text === "true"])
      case "StringLiteral":
        return constant([unquoted(node.text!)])
      case "NumberLiteral":
        return constant([writtenDecimal(node.text!)])
      case "ThisInvocation":
        return { walk: here, kind: self }
      case "ExternalConstantTerm":
        return walkVariable(node)
      case "MemberInvocation":
        return this.#member(node, before)
      case "FunctionInvocation":
        return this.#invocation(node, self, before)
      case "InvocationExpression":
        return this.#path(first!, second!, self, before)
      case "IndexerExpression":
        return this.#indexer(first!, second!, self, before)
      case "TypeExpression":
        return typeTest(node.text!, this.start(first!, self), second!.text)
      case "OrExpression":
        return this.#alternatives(node, self) ?? this.#operation(node, self)
      default:
        return this.#operation(node, self)
    }
  }

  #path(first: SyntaxNode, second: SyntaxNode, self: NodeKind, before: PathSegment): PathSegment | undefined {
    const either = this.#firstOfUnion(first, second, self)
    if (either !== undefined) return either
    const start = this.#piece(first, self, before)
    if (start === undefined) return undefined
    return this.#piece(second, self, start) ?? this.#withNodes(second, start)
  }

  #member({ atRoot, text }: SyntaxNode, { choice, kind, walk }: PathSegment): PathSegment | undefined {
    const name = unquoted(text!)
    if (choice !== undefined) {
      return this.#byRank(
        choice,
        (of, start) => this.#member({ type: "MemberInvocation", text: name }, { walk: start, kind: of })
      )
    }
    if (kind.is !== "model" || kind.path === name) return undefined
    const mayStay = atRoot !== undefined && mayBeType(name) && kind.type !== null
    if (mayStay && isModelType(kind.type!, possibleType(name), "is")) return undefined
    const step = stepFrom(kind, name)
    if (step === undefined) return undefined
    const follow = step.walk
    const whole: Walk = walk === here ? (self) => follow(self) : (self, ground) => follow(walk(self, ground))
    return step.choice === undefined
      ? { walk: whole, kind: step.kind }
      : { walk: whole, kind: step.kind, choice: { parents: walk, of: step.choice } }
  }

  /** Compiles the steps after a choice for each of its types, when the first value of that type appears. */
  #byRank(
    { of, parents }: NonNullable<PathSegment["choice"]>,
    compile: (kind: ModelKind, start: Walk) => PathSegment | undefined
  ): PathSegment {
    const walks = new Map<number, Walk>()
    const walkOf = (rank: number): Walk => {
      let walk = walks.get(rank)
      if (walk === undefined) {
        const piece = compile(of.kinds[rank]!, here)
        // The result of a function is never treated as JSON.
        walk = piece === undefined ? lost : piece.kind.is === "elements" ? asValues(piece.walk) : piece.walk
        walks.set(rank, walk)
      }
      return walk
    }
    return {
      walk: (self, ground) =>
        gather(parents(self, ground), (parent) => {
          const rank = of.rankIn(parent)
          if (rank === undefined) return undefined
          const found = of.at(parent, rank)
          return found === undefined ? undefined : walkOf(rank)(found, ground)
        }),
      kind: loose
    }
  }

  /** Continues from elements with the closures that use nodes. Their arguments must not need `$this`. */
  #withNodes(node: SyntaxNode, { kind, walk }: PathSegment): PathSegment | undefined {
    if (kind.is !== "elements") return undefined
    if (node.type === "FunctionInvocation") {
      const overEach = ["where", "select", "exists", "all", "ofType", "is", "as"].includes(node.text ?? "")
      if (node.text === "defineVariable") return undefined
      if (!overEach && !argumentsOf(node).every((one) => this.start(one, elements)?.steady === true)) return undefined
    } else if (node.type !== "MemberInvocation") return undefined
    const run = compileTree(node, this.#functions)
    if (run === undefined) return undefined
    return {
      walk: (self, ground) => {
        const input = walk(self, ground)
        // Most inputs are empty, and functions of an empty input rarely return anything.
        const nodes = walkListOf(input, elements)
        if (nodes.length === 0 && node.type === "MemberInvocation") return undefined
        return foundIn(run(frameOf(nothing, ground.variables, ground.argument), nodes))
      },
      kind: elements
    }
  }

  #indexer(collection: SyntaxNode, index: SyntaxNode, self: NodeKind, before: PathSegment): PathSegment | undefined {
    const piece = this.#piece(collection, self, before)
    const digits = index.children?.[0]?.children?.[0]
    if (piece === undefined || digits?.type !== "NumberLiteral") return undefined
    const at = Number.parseInt(digits.text!, 10)
    const { walk } = piece
    return {
      walk: (here, ground) => {
        const found = walk(here, ground)
        return Array.isArray(found) ? found[at] : at === 0 ? found : undefined
      },
      kind: piece.kind
    }
  }

  #operation(node: SyntaxNode, self: NodeKind): PathSegment | undefined {
    const [first, second] = node.children ?? []
    const operator = operatorOf(node.type, node.text ?? "")
    const one = operator === undefined || first === undefined ? undefined : this.start(first, self)
    const other = one === undefined || second === undefined ? undefined : this.start(second, self)
    if (operator === undefined || one === undefined || other === undefined) return undefined
    if (one.kind.is === "elements" && other.kind.is === "elements") return betweenElements(operator, one, other)
    switch (node.text) {
      case "=":
        return equality(one, other, true)
      case "!=":
        return equality(one, other, false)
      case "<":
      case ">":
      case "<=":
      case ">=":
        return inequality(node.text, one, other)
      case "and":
      case "or":
      case "xor":
      case "implies":
        return logic(operator, one, other)
      case "&":
        return concatenation(one, other)
      case "|":
        return union(one, other)
      default:
        return undefined
    }
  }

  /** Compiles `status = 'final' or status = 'amended'`: the path is walked once, and its result is looked up. */
  #alternatives(node: SyntaxNode, self: NodeKind): PathSegment | undefined {
    const found = alternativesOf(node)
    const path = found === undefined ? undefined : this.start(found.path, self)
    if (found === undefined || path === undefined || !isPlain(path.kind)) return undefined
    const texts = new Set<unknown>(found.texts)
    const { walk } = path
    return {
      walk: (here, ground) => {
        const text = oneOf(walk(here, ground))
        if (text === undefined) return undefined
        if (typeof text !== "string") throw fallback
        return texts.has(text)
      },
      kind: elements
    }
  }

  /** Compiles `(a | b | c).first()`: duplicates after the first element make no difference. */
  #firstOfUnion(first: SyntaxNode, second: SyntaxNode, self: NodeKind): PathSegment | undefined {
    if (second.type !== "FunctionInvocation" || second.text !== "first" || argumentsOf(second).length > 0) {
      return undefined
    }
    const parts = unionOf(first).flatMap((node) => this.start(node, self) ?? [])
    const kinds = parts.flatMap(({ kind }) => (kind.is === "elements" ? [] : [kind]))
    if (parts.length < 2 || parts.length < unionOf(first).length || !kinds.every(isPrimitive)) return undefined
    const [kind] = kinds as ReadonlyArray<ModelKind>
    if (kind === undefined) return undefined
    // Paths to other records are always followed, because the records that are read are tracked.
    const walks = parts.map(({ kind: { is }, walk }) =>
      is === "elements" ? { leaves: true, walk: asKind(kind, walk) } : { leaves: false, walk }
    )
    return {
      walk: (here, ground) => {
        let found: WalkResult
        for (const { leaves, walk } of walks) {
          if (found === undefined) found = walk(here, ground)
          else if (leaves) walk(here, ground)
        }
        return Array.isArray(found) ? found[0] : found
      },
      kind: kinds.every((one) => (one as ModelKind).path === kind!.path) ? kind! : loose
    }
  }

  #invocation(node: SyntaxNode, self: NodeKind, before: PathSegment): PathSegment | undefined {
    const name = unquoted(node.text ?? "")
    const args = argumentsOf(node)
    if (name === "sort" || name === "defineVariable") return undefined
    const own = this.#functions.get(name)
    if (own !== undefined) return this.#own(own, args, self, before)
    const [argument] = args
    switch (name) {
      case "where":
      case "exists":
      case "select":
      case "all":
        if (argument === undefined && name === "exists") break
        return argument === undefined || args.length > 1 ? undefined : this.#onEach(name, argument, before)
      case "iif":
        return this.#iif(args, before)
      case "ofType":
      case "is":
      case "as":
        return args.length === 1 ? typeTest(name, before, argument!.text) : undefined
      case "extension":
        return args.length === 1 ? walkExtensions(this.start(argument!, self), before) : undefined
      default:
        break
    }
    return this.#plain(name, args, self, before)
  }

  #own(
    own: PathFunction,
    args: ReadonlyArray<SyntaxNode>,
    self: NodeKind,
    before: PathSegment
  ): PathSegment | undefined {
    const max = own.parameters.length
    if (args.length > max || args.length < (own.least ?? max)) return undefined
    const operands = args.map((arg) => this.start(arg, self))
    if (!operands.every((operand) => operand?.kind.is === "elements")) return undefined
    const { kind, walk } = before
    const given = valuesOf(operands as ReadonlyArray<PathSegment>)
    if (own.body !== undefined) {
      return kind.is === "elements" ? undefined : this.#body(own.parameters, own.body, given, before)
    }
    if (own.chooses === true && kind.is !== "elements") {
      const choose = (found: WalkResult, values: ReadonlyArray<Elements>, ground: Ground): WalkResult =>
        foundIn(own.call(Array.isArray(found) ? found : [found], values, variablesOf(ground)))
      return {
        walk: (here, ground) => {
          const found = walk(here, ground)
          return found === undefined ? undefined : choose(found, given(here, ground), ground)
        },
        kind
      }
    }
    if (kind.is === "elements" || own.reads === "values") {
      return {
        walk: (here, ground) =>
          foundIn(own.call(walkListOf(walk(here, ground), kind), given(here, ground), variablesOf(ground))),
        kind: elements
      }
    }
    if (own.reads !== "records" || kind.is === "loose") return undefined
    return {
      walk: (here, ground) => {
        const found = walk(here, ground)
        if (found === undefined) return foundIn(own.call(nothing, given(here, ground), variablesOf(ground)))
        if (!ground.alone) throw fallback
        return foundIn(
          own.call(walkListOf(found, kind), given(here, ground), variablesOf(ground), recordOf(ground.node))
        )
      },
      kind: elements
    }
  }

  /** Inlines a function that is an expression into the walk. */
  #body(
    parameters: ReadonlyArray<string>,
    { over, text }: NonNullable<PathFunction["body"]>,
    given: (self: WalkResult, ground: Ground) => ReadonlyArray<Elements>,
    before: PathSegment
  ): PathSegment | undefined {
    const compile = (kind: NodeKind): PathSegment | undefined => {
      if (this.#calls === maxCalls) return undefined
      this.#calls++
      const body = this.start(syntaxTree(text), kind)
      this.#calls--
      return body
    }
    const groundOf = (self: WalkResult, ground: Ground): Ground => {
      if (parameters.length === 0) return ground
      const values = given(self, ground)
      let { argument } = ground
      parameters.forEach((name, at) => {
        argument = { name, value: values[at] ?? nothing, next: argument } satisfies Argument
      })
      return { ...ground, argument }
    }
    const { choice, kind, walk } = before
    if (over === "item" && choice !== undefined) {
      const each = this.#byRank(choice, (of) => compile(of))
      return { ...each, walk: (here, ground) => each.walk(here, groundOf(here, ground)) }
    }
    const body = compile(kind)
    if (body === undefined) return undefined
    const through = (inner: Walk): Walk =>
      over === "collection"
        ? (here, ground) => inner(walk(here, ground), groundOf(here, ground))
        : (here, ground) => {
          const input = walk(here, ground)
          if (input === undefined) return undefined
          const own = groundOf(here, ground)
          return gather(input, (one) => inner(one, own))
        }
    return {
      walk: through(body.walk),
      kind: body.kind,
      ...(body.choice === undefined ? {} : { choice: { of: body.choice.of, parents: through(body.choice.parents) } })
    }
  }

  #onEach(name: Parameters<typeof walkEach>[0], argument: SyntaxNode, before: PathSegment): PathSegment | undefined {
    const { choice, kind } = before
    const body = kind.is === "elements" || choice !== undefined ? undefined : this.start(argument, kind)
    return body && walkEach(name, body, before)
  }

  #iif(args: ReadonlyArray<SyntaxNode>, { choice, kind, walk }: PathSegment): PathSegment | undefined {
    if (choice !== undefined || kind.is === "elements" || args.length < 2 || args.length > 3) return undefined
    const condition = this.start(args[0]!, kind)
    if (condition?.isOfType !== undefined) {
      // For values of one kind the branch is known at compile time.
      const way = condition.isOfType ? args[1] : args[2]
      const taken = way === undefined ? constant(nothing) : this.start(way, kind)
      return taken && {
        walk: (here, ground) => {
          const input = oneOf(walk(here, ground))
          return input === undefined ? lost(here, ground) : taken.walk(input, ground)
        },
        kind: taken.kind
      }
    }
    const [then, otherwise] = [args[1]!, args[2]].map((one) =>
      one === undefined ? constant(nothing) : this.start(one, kind) ?? nowhere
    ) as [PathSegment, PathSegment]
    if (condition === undefined || (then === nowhere && otherwise === nowhere)) return undefined
    const when = condition.kind.is === "elements"
      ? (found: WalkResult) => holds(walkListOf(found, elements))
      : holdsIn
    const both = together(then, otherwise)
    const asFound = (piece: PathSegment): Walk =>
      both.is === "loose" && piece.kind.is === "elements" ? asValues(piece.walk) : piece.walk
    const first = asFound(then)
    const second = asFound(otherwise)
    return {
      walk: (here, ground) => {
        const input = walk(here, ground)
        return when(condition.walk(input, ground)) ? first(input, ground) : second(input, ground)
      },
      kind: both
    }
  }

  #plain(name: string, args: ReadonlyArray<SyntaxNode>, self: NodeKind, before: PathSegment): PathSegment | undefined {
    const plain = plainFunctions.get(name)
    if (plain === undefined || !plain.arities.includes(args.length)) return undefined
    const { kind, walk } = before
    if (args.length === 0) {
      switch (name) {
        case "exists":
          return { walk: (here, ground) => walk(here, ground) !== undefined, kind: elements }
        case "empty":
          return { walk: (here, ground) => walk(here, ground) === undefined, kind: elements }
        case "first":
        case "last":
          return {
            walk: (here, ground) => {
              const found = walk(here, ground)
              return Array.isArray(found) ? found[name === "first" ? 0 : found.length - 1] : found
            },
            kind: kind.is === "choice" ? loose : kind
          }
        case "single":
          return { walk: (here, ground) => oneOf(walk(here, ground)), kind: kind.is === "choice" ? loose : kind }
        default:
          break
      }
    }
    const operands = args.map((arg) => this.start(arg, self))
    if (name === "combine") return combination(before, operands[0])
    if (!operands.every((operand) => operand?.kind.is === "elements")) return undefined
    const given = valuesOf(operands as ReadonlyArray<PathSegment>)
    const { plainly } = plain
    if (kind.is === "elements") {
      const slowly = askedFunction(name, args.length)
      return {
        walk: (here, ground) => {
          const input = walkListOf(walk(here, ground), kind)
          const values = given(here, ground)
          return foundIn(plainly?.(input, values) ?? slowly(input, values))
        },
        kind: elements
      }
    }
    if (plainly === undefined || !ofTexts.has(name) || isTimedKind(kind) && name === "distinct") return undefined
    return {
      walk: (here, ground) => {
        const found = plainly(walkListOf(walk(here, ground), kind), given(here, ground))
        if (found === undefined) throw fallback
        return foundIn(found)
      },
      kind: elements
    }
  }
}

/** Functions with the same result for texts and for nodes of texts. */
const ofTexts: ReadonlySet<string> = new Set(
  ("count not toString join substring matches replaceMatches startsWith endsWith contains indexOf length upper lower trim unescape")
    .split(" ")
)

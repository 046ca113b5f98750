import type { Diagnostic, Label, Severity } from "../../diagnostic/Diagnostic.ts"
import type { ProblemCode } from "../../diagnostic/Problem.ts"
import type { Span } from "../../diagnostic/Span.ts"
import { didYouMean, suggest } from "../../diagnostic/suggest.ts"
import { withoutAbsent } from "../../objects.ts"
import type { Assumption, Remark } from "../MappingPlan.ts"
import { keysOf } from "./grammar/Kind.ts"
import { pathRemarkKeys } from "./grammar/mappingGrammar.ts"
import type { Syntax, SyntaxEntry, SyntaxMap, SyntaxScalar } from "./MappingSyntax.ts"
import { isAddition, isNull, itemsOf, withoutNulls } from "./MappingSyntax.ts"

/** The details of a problem, in addition to its title. */
interface ProblemDetails {
  /** Shown next to the marked text. */
  readonly label?: string | undefined
  /** What to do, each on a line. */
  readonly help?: ReadonlyArray<string>
  /** Other marked places. */
  readonly labels?: ReadonlyArray<Label>
}

/** An expression as written, and what it reports when it takes effect. */
export interface Expression extends Remark {
  readonly path: SyntaxScalar
}

/**
 * Reads a syntax tree and collects its problems. Each method returns `undefined` after reporting, so that a check
 * continues and finds every problem of a file at once.
 */
export class SyntaxReader {
  readonly problems: Array<Diagnostic> = []
  /** The assumptions that the mapping declares; empty until they are read. */
  assumptions: ReadonlyMap<string, Assumption> = new Map()
  #errors = 0
  #reported = 0

  /** The number of problems that make the mapping invalid. */
  get errors(): number {
    return this.#errors
  }

  /** How often something was reported, also what was reported before. */
  get reported(): number {
    return this.#reported
  }

  report(code: ProblemCode, span: Span, title: string, more: ProblemDetails = {}): undefined {
    this.#errors++
    return this.#add("error", code, span, title, more)
  }

  /** Reports a likely mistake that does not make the mapping invalid. */
  warn(code: ProblemCode, span: Span, title: string, more: ProblemDetails = {}): undefined {
    return this.#add("warning", code, span, title, more)
  }

  #add(
    severity: Severity,
    code: ProblemCode,
    mapping: Span,
    title: string,
    { help = [], label, labels = [] }: ProblemDetails
  ): undefined {
    this.#reported++
    // A line that holds for several sections is wrong once.
    if (this.problems.slice(-100).some((one) => one.mapping === mapping && one.title === title)) return undefined
    this.problems.push({
      code,
      severity,
      title,
      mapping,
      ...(label === undefined ? {} : { label }),
      ...(labels.length === 0 ? {} : { labels }),
      ...(help.length === 0 ? {} : { help })
    })
    return undefined
  }

  get hasErrors(): boolean {
    return this.problems.some(({ severity }) => severity === "error")
  }

  /** Reads a map; `known`, if given, lists its allowed keys. */
  map(syntax: SyntaxMap, what: string, known?: ReadonlyArray<string>): SyntaxMap
  map(syntax: Syntax, what: string, known?: ReadonlyArray<string>): SyntaxMap | undefined
  map(syntax: Syntax, what: string, known?: ReadonlyArray<string>): SyntaxMap | undefined {
    if (syntax.kind !== "map") {
      return this.report("invalid-value", syntax.span, `${what} must be a map of names and values`, {
        help: [known === undefined ? "put each key on its own line:  name: value" : `keys: ${known.join(", ")}`]
      })
    }
    if (known !== undefined) {
      for (const [key, entry] of syntax.entries) if (!known.includes(key)) this.unknownKey(key, entry.key, what, known)
    }
    return syntax
  }

  /** Reads a map of keys or names, each of which `null` removes. */
  names(syntax: SyntaxMap, what: string, known?: ReadonlyArray<string>): SyntaxMap
  names(syntax: Syntax, what: string, known?: ReadonlyArray<string>): SyntaxMap | undefined
  names(syntax: Syntax, what: string, known?: ReadonlyArray<string>): SyntaxMap | undefined {
    const map = this.map(syntax, what, known)
    return map === undefined ? undefined : withoutNulls(map)
  }

  unknownKey(key: string, span: Span, what: string, known: ReadonlyArray<string>): void {
    const near = suggest(key, known)
    this.report("unknown-key", span, `${what} has no key \`${key}\``, {
      label: didYouMean(near),
      help: [`keys: ${known.join(", ")}`]
    })
  }

  text(entry: SyntaxEntry | undefined, what: string): string | undefined {
    if (entry === undefined) return undefined
    const { value } = entry
    this.#warnOfComment(value)
    if (value.kind === "scalar" && typeof value.value === "string" && value.value !== "") return value.value
    if (value.kind === "scalar" && typeof value.value === "number") return value.written ?? String(value.value)
    const help = value.kind !== "scalar"
      ? "write one text, without brackets and without lines below it"
      : typeof value.value === "boolean"
      ? `put a text in quotes:  "${value.value}"`
      : "write a text that is not empty"
    return this.report("invalid-value", value.span, `${what} must be a text`, { help: [help] })
  }

  oneOf<const T extends string>(entry: SyntaxEntry | undefined, what: string, words: ReadonlyArray<T>): T | undefined {
    if (entry?.value.kind !== "scalar" || typeof entry.value.value === "boolean") {
      const help = [`one of: ${words.join(", ")}`]
      return entry === undefined
        ? undefined
        : this.report("invalid-value", entry.value.span, `${what} must be one word`, { help })
    }
    const word = this.text(entry, what)
    if (word === undefined) return undefined
    const known = words.find((one) => one === word)
    if (known !== undefined) return known
    const near = suggest(word, words)
    return this.report("invalid-value", entry.value.span, `${what} cannot be \`${word}\``, {
      label: didYouMean(near),
      help: [`one of: ${words.join(", ")}`]
    })
  }

  boolean(entry: SyntaxEntry | undefined, what: string): boolean | undefined {
    if (entry === undefined) return undefined
    const { value } = entry
    if (value.kind === "scalar" && typeof value.value === "boolean") return value.value
    const word = value.kind === "scalar" ? String(value.value).toLowerCase() : ""
    const intended = /^(?:yes|on|y|true|1)$/u.test(word)
      ? "true"
      : /^(?:no|off|n|false|0)$/u.test(word)
      ? "false"
      : undefined
    return this.report("invalid-value", value.span, `${what} must be true or false`, {
      help: [intended === undefined ? "write  true  or  false" : `write  ${intended}, without quotes`]
    })
  }

  /** Reads expressions: one text, a list of texts, or a map of named texts (so that an overlay can merge by name). */
  texts(syntax: Syntax | undefined, what: string): ReadonlyArray<SyntaxScalar> {
    if (syntax === undefined) return []
    if (syntax.kind === "scalar") {
      if (syntax.value === null) return []
      if (typeof syntax.value === "string") return [syntax]
      this.report("invalid-value", syntax.span, `${what} must be a text`, {
        help: [`put a path in quotes; a fixed value is  {value: ${syntax.value}}`]
      })
      return []
    }
    if (this.#isLost(syntax, what)) return []
    return itemsOf(syntax).flatMap((item) => this.texts(item, what))
  }

  /** Reads one expression, where further ones would not be evaluated. */
  path(syntax: Syntax | undefined, what: string, advice: string): SyntaxScalar | undefined {
    if (syntax === undefined || isNull(syntax)) return undefined
    if (syntax.kind === "scalar" && typeof syntax.value === "string") return syntax
    return this.report("invalid-value", syntax.span, `${what} must be one path`, { help: [advice] })
  }

  /** Reads what a map reports when it takes effect: `warn: TEXT`, or `assume: NAME`. */
  remark(map: SyntaxMap): Remark {
    const [warn, assume] = [map.entries.get("warn"), map.entries.get("assume")]
    if (warn !== undefined && assume !== undefined) {
      this.report("invalid-value", warn.key, "`warn` and `assume` cannot be combined", {
        help: ["an assumption is reported in the words of its declaration: remove `warn`"]
      })
    }
    const words = this.text(warn, "`warn`")
    const name = this.text(assume, "`assume`")
    // A name that is not declared is reported with all of its lines.
    const assumption = name === undefined ? undefined : this.assumptions.get(name)
    return {
      ...withoutAbsent({ warn: words, assume: assumption })
    }
  }

  /** Reads expressions, as `texts` does. One with a remark is written `{path: …, warn: TEXT}` or `{path: …, assume: NAME}`. */
  expressions(syntax: Syntax | undefined, what: string): ReadonlyArray<Expression> {
    if (syntax === undefined || syntax.kind === "scalar") return this.texts(syntax, what).map((path) => ({ path }))
    if (syntax.kind === "map" && (syntax.entries.has("warn") || syntax.entries.has("assume"))) {
      const map = this.map(syntax, what, keysOf(pathRemarkKeys))
      const path = map.entries.get("path")
      if (path === undefined) this.report("missing-key", map.span, `the remark on ${what} needs its \`path\``)
      const remark = this.remark(map)
      return this.texts(path?.value, what).map((path) => ({ path, ...remark }))
    }
    if (this.#isLost(syntax, what)) return []
    return itemsOf(syntax).flatMap((item) => this.expressions(item, what))
  }

  /** Reports an addition that is left after the merge: the mapping below has no list there. */
  #isLost(syntax: Syntax, what: string): boolean {
    if (!isAddition(syntax)) return false
    this.report("invalid-value", syntax.span, `there is no list to add to: the mapping below has none for ${what}`, {
      help: ["write the list itself:  [first, second]"]
    })
    return true
  }

  literal(entry: SyntaxEntry | undefined, what: string): string | number | boolean | undefined {
    if (entry === undefined) return undefined
    const { value } = entry
    this.#warnOfComment(value)
    if (value.kind === "scalar" && value.value !== null) {
      this.warnOfQuotes(value.value, value.span)
      return value.value
    }
    return this.report("invalid-value", value.span, `${what} must be a text, a number, true or false`, {
      help: ["write one value, without brackets and without lines below it"]
    })
  }

  /** Warns about a value with the quotes that only a text in a path has. */
  warnOfQuotes(value: string | number | boolean, span: Span): void {
    const [, text] = typeof value === "string" ? /^'([^']+)'$/u.exec(value) ?? [] : []
    if (text === undefined) return
    this.warn("invalid-value", span, `the single quotes are part of this value: \`${value}\``, {
      label: `write  ${text}`,
      help: ["only a text in a path has single quotes"]
    })
  }

  /** Warns about a text that ends before ` #3`: a comment that is meant has a space after its sign. */
  #warnOfComment(value: Syntax): void {
    if (value.kind !== "scalar" || value.comment === undefined || !/^#[^#]/u.test(value.comment)) return
    this.warn(
      "invalid-value",
      value.span,
      `\` #\` begins a comment of YAML: the text ends before \`${value.comment}\``,
      {
        help: [
          "if it belongs to the text, write all of it in double quotes; if it is a comment, put a space after  #"
        ]
      }
    )
  }
}

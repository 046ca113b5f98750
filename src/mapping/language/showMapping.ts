import type { Span } from "../../diagnostic/Span.ts"
import type { Syntax } from "./MappingSyntax.ts"

/**
 * Returns the effective mapping as YAML, every line with its source file and line, to show which overlay takes effect. The result can
 * be read back as a mapping.
 */
export const showMapping = (syntax: Syntax, nameOf: (file: string) => string): string => {
  const lines: Array<{ readonly text: string; readonly from: string }> = []
  const from = (span: Span): string => `${nameOf(span.file)}:${span.line}`
  // A block has the line of its key; its content begins on another line.
  const write = (node: Syntax, indent: string, lead: string, block: Span = node.span): void => {
    if (node.kind === "scalar") {
      lines.push({ text: `${lead}${scalarText(node.value)}`, from: from(node.span) })
      return
    }
    if (node.kind === "list") {
      if (node.items.length === 0) lines.push({ text: `${lead}[]`, from: from(block) })
      else if (node.items.every((item) => item.kind === "scalar")) {
        lines.push({ text: lead.trimEnd(), from: from(block) })
        for (const item of node.items) write(item, `${indent}  `, `${indent}- `)
      } else {
        lines.push({ text: lead.trimEnd(), from: from(block) })
        for (const item of node.items) writeItem(item, indent)
      }
      return
    }
    if (node.entries.size === 0) {
      lines.push({ text: `${lead}{}`, from: from(block) })
      return
    }
    if (lead !== "") lines.push({ text: lead.trimEnd(), from: from(block) })
    for (const [name, { key, value }] of node.entries) {
      write(value, `${indent}  `, `${indent}${scalarText(name)}: `, key)
    }
  }
  const writeItem = (item: Syntax, indent: string): void => {
    if (item.kind !== "map") return write(item, `${indent}  `, `${indent}- `)
    let first = true
    for (const [name, { key, value }] of item.entries) {
      write(value, `${indent}    `, `${indent}${first ? "- " : "  "}${scalarText(name)}: `, key)
      first = false
    }
  }
  write(syntax, "", "")
  const width = Math.min(96, Math.max(...lines.map(({ text }) => text.length)))
  return lines.map(({ text, from }) => `${text.padEnd(width)}  # ${from}\n`).join("")
}

/** Returns text that YAML reads back as the same value. */
const scalarText = (value: string | number | boolean | null): string =>
  typeof value !== "string"
    ? String(value)
    : /^[A-Za-z_][A-Za-z0-9_. -]*$/u.test(value) && !/^(true|false|null|yes|no|on|off|y|n)$/iu.test(value) &&
        !value.endsWith(" ")
    ? value
    : JSON.stringify(value)

/** The keys of an expression with the warning or the assumption that it reports. */
export const pathRemarkKeys = ["path", "warn", "assume"] as const

/** Every key that can be used together with `warn` or `assume`: those of a path, of a value, and of a policy for unmapped codes. */
export const remarkedKeys: ReadonlySet<string> = new Set([...pathRemarkKeys, "value", "fixed", "table", "policy"])

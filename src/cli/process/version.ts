import packageJson from "../../../package.json" with { type: "json" }

/** The version of this program, as its package states it. */
export const version: string = packageJson.version

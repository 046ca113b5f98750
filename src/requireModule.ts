import { createRequire } from "node:module"

/**
 * Loads a module of this program when it is needed, without making the caller asynchronous. `url` is the `import.meta.url` of a module next
 * to it. The module is an entry of the bundle (`rolldown.config.mjs`).
 */
export const requireModule = (url: string, name: string): unknown =>
  createRequire(url)(url.endsWith(".ts") ? `./${name}.ts` : `./${name}.mjs`)

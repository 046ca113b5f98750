import { entriesOf, type Rule } from "./Rule.ts"

/** Checks that the service can reach the images: not in a file of this machine, nor on a host that only this network resolves. */
export const imagesCanBeReached: Rule = (visit, _settings, report) => {
  entriesOf(visit, "imageries").forEach((imagery, index) => {
    entriesOf(imagery, "results").forEach(({ images }, at) => {
      if (!Array.isArray(images)) return
      images.forEach((location: unknown, image) => {
        const where = typeof location === "string" ? privatePlace(location) : undefined
        if (where === undefined) return
        report({
          code: "odd-value",
          severity: "warning",
          path: ["imageries", index, "results", at, "images", image],
          title: `\`images\` has a location ${where}`,
          help: "the service cannot fetch it from there"
        })
      })
    })
  })
}

const hostOf = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/iu

/** Returns why a location is private; `undefined` if it can be reached from outside. */
const privatePlace = (location: string): string | undefined => {
  if (/^file:/iu.test(location) || /^(?:[a-z]:)?\\/iu.test(location)) return "in a file of one machine"
  const host = hostOf.exec(location)?.[1]?.toLowerCase()
  return host !== undefined && host !== "" && isPrivate(host) ? "on a host of a private network" : undefined
}

const isPrivate = (host: string): boolean => {
  if (host.startsWith("[")) return /^\[(?:::1\]|f[cd]|fe[89ab])/u.test(host)
  const parts = /^(\d{1,3})\.(\d{1,3})\.\d{1,3}\.\d{1,3}$/u.exec(host)
  if (parts === null) {
    return !host.includes(".") || /\.(?:local|localhost|internal|intranet|lan|home\.arpa)$/u.test(host)
  }
  const [first, second] = [Number(parts[1]), Number(parts[2])]
  return first === 10 || first === 127 || first === 0 || (first === 172 && second >= 16 && second <= 31) ||
    (first === 192 && second === 168) || (first === 169 && second === 254)
}

/**
 * Puts the process into the zone of a facility. `fhirpath` compares a time without an offset with one that has one by the zone of the
 * process; with the machine's the same input would give other visits on another machine. It holds for all threads, and is said by the main one.
 */
export const setProcessZone = (zone: string): void => {
  const name = nameOf(zone)
  if (process.env["TZ"] !== name) process.env["TZ"] = name
}

/** Offsets of whole hours have names in the IANA database, with the sign of POSIX: `+07:00` is `Etc/GMT-7`. */
const nameOf = (zone: string): string => {
  const [, sign, hours] = /^([+-])(\d{2}):?00$/u.exec(zone) ?? []
  return hours === undefined ? zone : `Etc/GMT${sign === "+" ? "-" : "+"}${Number(hours)}`
}

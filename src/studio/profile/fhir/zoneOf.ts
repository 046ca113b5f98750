import type { Frequencies } from "../Profile.ts"

/** A zone that fits the offsets of a sample, and other zones that fit as well: the choice among them is a guess. */
interface LikelyZone {
  readonly zone: string
  /** The offsets that it is guessed from. */
  readonly offsets: string
  readonly others: ReadonlyArray<string>
}

/** Zones without summer time by their offset, the most populous first. */
const zones: Readonly<Record<string, ReadonlyArray<string>>> = {
  "-05:00": ["America/Bogota", "America/Lima", "America/Panama"],
  "-04:00": ["America/La_Paz", "America/Caracas", "America/Santo_Domingo"],
  "-03:00": ["America/Sao_Paulo", "America/Argentina/Buenos_Aires"],
  "+01:00": ["Africa/Lagos", "Africa/Kinshasa", "Africa/Algiers"],
  "+02:00": ["Africa/Maputo", "Africa/Johannesburg", "Africa/Lubumbashi"],
  "+03:00": ["Africa/Nairobi", "Asia/Riyadh", "Europe/Istanbul"],
  "+04:00": ["Asia/Dubai", "Asia/Tbilisi", "Indian/Mauritius"],
  "+04:30": ["Asia/Kabul"],
  "+05:00": ["Asia/Karachi", "Asia/Tashkent"],
  "+05:30": ["Asia/Kolkata", "Asia/Colombo"],
  "+05:45": ["Asia/Kathmandu"],
  "+06:00": ["Asia/Dhaka", "Asia/Thimphu"],
  "+06:30": ["Asia/Yangon"],
  "+07:00": ["Asia/Phnom_Penh", "Asia/Bangkok", "Asia/Ho_Chi_Minh", "Asia/Jakarta"],
  "+08:00": ["Asia/Manila", "Asia/Shanghai", "Asia/Kuala_Lumpur", "Australia/Perth"],
  "+09:00": ["Asia/Tokyo", "Asia/Seoul", "Asia/Dili"],
  "+10:00": ["Australia/Brisbane", "Pacific/Port_Moresby"]
}

/** Zones with summer time by their two offsets, the smaller one first. */
const summerZones: Readonly<Record<string, ReadonlyArray<string>>> = {
  "-08:00 -07:00": ["America/Los_Angeles", "America/Vancouver"],
  "-07:00 -06:00": ["America/Denver", "America/Edmonton"],
  "-06:00 -05:00": ["America/Chicago", "America/Winnipeg"],
  "-05:00 -04:00": ["America/New_York", "America/Toronto", "America/Havana"],
  "-04:00 -03:00": ["America/Santiago", "America/Asuncion", "America/Halifax"],
  "+01:00 +02:00": ["Europe/Paris", "Europe/Berlin", "Europe/Madrid", "Europe/Rome"],
  "+02:00 +03:00": ["Europe/Kyiv", "Europe/Athens", "Africa/Cairo", "Asia/Beirut"],
  "+09:30 +10:30": ["Australia/Adelaide"],
  "+10:00 +11:00": ["Australia/Sydney", "Australia/Melbourne"],
  "+12:00 +13:00": ["Pacific/Auckland"]
}

/**
 * Returns the zone of the most frequent offset, or of two frequent offsets of summer and winter. `Z` and `+00:00` do not count, because
 * servers write them anywhere. Offsets that no single place has, such as those of hospitals in several zones, give no zone.
 */
export const zoneOf = (offsets: Frequencies): LikelyZone | undefined => {
  const local = offsets.filter(([offset]) => offset !== "Z" && offset !== "+00:00" && offset !== "-00:00")
  const all = local.reduce((sum, [, count]) => sum + count, 0)
  const frequent = local.filter(([, count]) => count * 20 > all).map(([offset]) => offset).toSorted(byMinutes)
  const key = frequent.join(" ")
  const found = frequent.length === 1 ? zones[key] : summerZones[key]
  const [zone, ...others] = found ?? []
  return zone === undefined ? undefined : { zone, offsets: frequent.join(" and "), others }
}

const byMinutes = (one: string, other: string): number => minutesOf(one) - minutesOf(other)

const minutesOf = (offset: string): number => {
  const [hours = "0", minutes = "0"] = offset.slice(1).split(":")
  return (offset.startsWith("-") ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

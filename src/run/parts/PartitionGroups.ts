import { hash } from "node:crypto"
import { at, numberAt } from "../../at.ts"
import { getOrMake } from "../../maps.ts"
import type { OpenFiles } from "../../source/read/OpenFiles.ts"
import { Buckets } from "../records/Buckets.ts"

const buckets = 64
/** A bucket holds triples of 64 bits of a code's hash, and a partition. */
const triple = 3

/** Groups the partitions of a run that hold visits with a code in common, and distributes them over parts. */
export class PartitionGroups {
  readonly #codes: Buckets
  readonly #parents: Uint32Array

  constructor(files: OpenFiles, partitions: number) {
    this.#codes = new Buckets(files, buckets)
    this.#parents = new Uint32Array(partitions).map((_, partition) => partition)
  }

  /** Adds a partition, and the codes by which its visits are compared with others. */
  add(partition: number, codes: ReadonlyArray<string>): void {
    for (const code of codes) {
      const found = hash("sha256", code, "buffer")
      const first = found.readUInt32LE(0)
      const bucket = first % buckets
      this.#codes.push(bucket, first)
      this.#codes.push(bucket, found.readUInt32LE(4))
      this.#codes.push(bucket, partition)
    }
  }

  /**
   * Returns the part of each partition, from 0. Partitions with a code in common share a part, and parts are as equal in size as that allows. Each
   * group goes to the smallest part, the largest groups first.
   */
  spread(bytes: ReadonlyArray<number>, count: number): ReadonlyArray<number> {
    this.#join()
    const groups = new Map<number, { readonly partitions: Array<number>; bytes: number }>()
    for (const [partition, size] of bytes.entries()) {
      const group = getOrMake(groups, this.#find(partition), () => ({ partitions: [], bytes: 0 }))
      group.partitions.push(partition)
      group.bytes += size
    }
    const sizes = new Float64Array(count)
    const partOf = Array.from(bytes, () => 0)
    // Among groups of equal size the first is taken first.
    for (const group of [...groups.values()].toSorted((one, other) => other.bytes - one.bytes)) {
      const part = sizes.indexOf(sizes.reduce((one, other) => Math.min(one, other)))
      sizes[part] = at(sizes, part) + group.bytes
      for (const partition of group.partitions) partOf[partition] = part
    }
    return partOf
  }

  #join(): void {
    for (let bucket = 0; bucket < buckets; bucket++) {
      const triples = this.#codes.read(bucket)
      const firsts = new Map<bigint, number>()
      for (let start = 0; start < triples.length; start += triple) {
        const code = BigInt(at(triples, start)) << 32n | BigInt(at(triples, start + 1))
        const partition = at(triples, start + 2)
        const first = firsts.get(code)
        if (first === undefined) firsts.set(code, partition)
        else this.#union(first, partition)
      }
    }
    this.#codes.close()
  }

  #find(partition: number): number {
    const parents = this.#parents
    let found = partition
    for (let parent = numberAt(parents, found); parent !== found; parent = numberAt(parents, found)) {
      found = parents[found] = numberAt(parents, parent)
    }
    return found
  }

  #union(one: number, other: number): void {
    const [first, second] = [this.#find(one), this.#find(other)]
    this.#parents[Math.max(first, second)] = Math.min(first, second)
  }
}

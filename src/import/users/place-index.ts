import { sha256 } from '../../platform/kit/digest.ts'

/** The places of records by their values. Of each value, the first place is stored. */
export interface PlaceIndex {
  find(value: string): number | null
  add(value: string, place: number): void
}

/** Words of an entry: two of the hash, and the place after its increment. 0 is no entry. */
const entryWords = 3
const firstCapacity = 16
const shardCount = 256

/**
 * Creates an index of 12 bytes per entry, of which at least three eighths are in use: 16 to 32
 * bytes per value, outside the heap. A value is stored as 72 bits of its SHA-256: among ten million
 * values, two have equal bits with a probability of one in 90 million. The index grows in 256
 * parts, so that it never blocks the thread for long.
 */
export function createPlaceIndex(): PlaceIndex {
  const shards = Array.from({ length: shardCount }, createShard)
  const locate = (value: string) => {
    const hash = sha256(value)
    const shard = shards[hash.readUInt8(8)] as Shard
    return { shard, high: hash.readUInt32LE(0), low: hash.readUInt32LE(4) }
  }
  return {
    find: (value) => {
      const { shard, high, low } = locate(value)
      return shard.find(high, low)
    },
    add: (value, place) => {
      const { shard, high, low } = locate(value)
      shard.add(high, low, place)
    },
  }
}

interface Shard {
  find(high: number, low: number): number | null
  add(high: number, low: number, place: number): void
}

/** Creates an open-addressed hash table. */
function createShard(): Shard {
  let words = new Uint32Array(firstCapacity * entryWords)
  let size = 0

  /** Returns the offset of the entry with this hash, or of the free entry for it. */
  const offsetOf = (table: Uint32Array, high: number, low: number): number => {
    const capacity = table.length / entryWords
    for (let slot = low % capacity; ; slot = (slot + 1) % capacity) {
      const offset = slot * entryWords
      const isFree = table[offset + 2] === 0
      if (isFree || (table[offset] === high && table[offset + 1] === low)) return offset
    }
  }

  const grow = () => {
    const grown = new Uint32Array(2 * words.length)
    for (let offset = 0; offset < words.length; offset += entryWords) {
      const [high = 0, low = 0, next = 0] = words.subarray(offset, offset + entryWords)
      if (next > 0) grown.set([high, low, next], offsetOf(grown, high, low))
    }
    words = grown
  }

  return {
    find: (high, low) => {
      const next = words[offsetOf(words, high, low) + 2] ?? 0
      return next === 0 ? null : next - 1
    },
    add: (high, low, place) => {
      const offset = offsetOf(words, high, low)
      if (words[offset + 2] !== 0) return
      words.set([high, low, place + 1], offset)
      size += 1
      if (size * entryWords * 4 > words.length * 3) grow()
    },
  }
}

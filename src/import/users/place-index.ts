import { sha256 } from '../../platform/kit/digest.ts'

/** The places of records by their values. Of each value, the first place is stored. */
export interface PlaceIndex {
  find(value: string): number | null
  add(value: string, place: number): void
}

/** One bucket for each value of 16 bits. */
const bucketCount = 65_536

/** Words of an entry: two of the hash, and the place. */
const entryWords = 3
const entriesPerBlock = 16

/** The entries of a block, and the number of the block before it in the bucket; 0 is none. */
const blockWords = entriesPerBlock * entryWords + 1
const blocksPerSlab = 4096

/**
 * Creates an index of 12 bytes per value, outside the heap. A value is stored as 80 bits of its
 * SHA-256: among a hundred million values, two have equal bits with a probability of one in 240
 * million. Memory is allocated in pieces that are never copied, so that growth neither blocks the
 * thread nor fragments the memory; a search reads all entries of one bucket.
 */
export function createPlaceIndex(): PlaceIndex {
  const sizes = new Uint32Array(bucketCount)
  const lastBlocks = new Uint32Array(bucketCount)
  const slabs: Uint32Array[] = []
  let blockCount = 0

  const slabOf = (block: number) => slabs[Math.floor((block - 1) / blocksPerSlab)] as Uint32Array
  const offsetOf = (block: number) => ((block - 1) % blocksPerSlab) * blockWords

  const locate = (value: string) => {
    const hash = sha256(value)
    return {
      bucket: hash.readUInt16LE(8),
      high: hash.readUInt32LE(0),
      low: hash.readUInt32LE(4),
    }
  }

  const find = ({ bucket, high, low }: ReturnType<typeof locate>): number | null => {
    const size = sizes[bucket] ?? 0
    let entries = size % entriesPerBlock || entriesPerBlock
    for (let block = lastBlocks[bucket] ?? 0; block !== 0; entries = entriesPerBlock) {
      const slab = slabOf(block)
      const start = offsetOf(block)
      const end = start + entries * entryWords
      for (let at = start; at < end; at += entryWords) {
        if (slab[at] === high && slab[at + 1] === low) return slab[at + 2] ?? null
      }
      block = slab[start + blockWords - 1] ?? 0
    }
    return null
  }

  const appendBlock = (bucket: number) => {
    if (blockCount % blocksPerSlab === 0) slabs.push(new Uint32Array(blocksPerSlab * blockWords))
    blockCount += 1
    slabOf(blockCount)[offsetOf(blockCount) + blockWords - 1] = lastBlocks[bucket] ?? 0
    lastBlocks[bucket] = blockCount
  }

  return {
    find: (value) => find(locate(value)),
    add: (value, place) => {
      const located = locate(value)
      if (find(located) !== null) return
      const { bucket, high, low } = located
      const entries = (sizes[bucket] ?? 0) % entriesPerBlock
      if (entries === 0) appendBlock(bucket)
      const block = lastBlocks[bucket] ?? 0
      slabOf(block).set([high, low, place], offsetOf(block) + entries * entryWords)
      sizes[bucket] = (sizes[bucket] ?? 0) + 1
    },
  }
}

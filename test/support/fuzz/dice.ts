/** Reproducible random numbers: the same seed returns the same sequence. */
export interface Dice {
  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number
  /** Returns true in `percent` of 100 calls. */
  chance(percent: number): boolean
  pick<T>(choices: readonly T[]): T
}

/**
 * Creates the random numbers of one case of a run.
 *
 * @param seed of the run.
 * @param name of the case, so that its sequence does not depend on earlier cases.
 */
export function createDice(seed: number, name: string): Dice {
  let state = hash(`${seed}/${name}`)
  const below = (limit: number): number => {
    state = (state + 0x9e3779b9) | 0
    return Math.floor((mix(state) / 2 ** 32) * limit)
  }
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: <T>(choices: readonly T[]): T => choices[below(choices.length)] as T,
  }
}

/** Returns the seed in `FUZZ_SEED`, else a new one. */
export function chooseSeed(): number {
  const given = process.env.FUZZ_SEED
  return given ? Number(given) : Math.floor(Math.random() * 2 ** 31)
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value | 0
}

/** Spreads each bit over all 32: the finaliser of MurmurHash3. */
function mix(value: number): number {
  let bits = value
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

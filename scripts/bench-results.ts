/** Reads figures from bench/RESULTS.md, so that the documentation states each of them once. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const results = readFileSync(join(import.meta.dirname, '../bench/RESULTS.md'), 'utf8')

/** The date of the measurement. */
export const measuredOn = /Measured on ([\d-]+)/.exec(results)?.[1] ?? ''

/**
 * Returns the measured value and the limit of a bar, each with its unit.
 *
 * @throws Error when there is no such bar.
 */
export function barOf(what: string): { measured: string; limit: string } {
  const row = results.split('\n').find((line) => line.startsWith(`| ${what} `))
  const [, , measured, limit] = row?.split('|').map((cell) => cell.trim()) ?? []
  if (!measured || !limit) throw new Error(`bench/RESULTS.md has no bar "${what}"`)
  return { measured, limit }
}

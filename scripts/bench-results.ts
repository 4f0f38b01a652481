/** Reads figures from bench/RESULTS.md, so that the documentation states each of them once. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const results = readFileSync(join(import.meta.dirname, '../bench/RESULTS.md'), 'utf8')

const [, missed = ''] = /^## Missed bars([\s\S]*?)^## /m.exec(results) ?? []

/** The date of the measurement. */
export const measuredOn = /Measured on ([\d-]+)/.exec(results)?.[1] ?? ''

/**
 * Returns the measured value and the limit of a bar, each with its unit, and whether the bar is
 * missed.
 *
 * @throws Error when there is no such bar.
 */
export function barOf(what: string): { measured: string; limit: string; isMissed: boolean } {
  const row = results.split('\n').find((line) => line.startsWith(`| ${what} `))
  const [, , measured, limit] = row?.split('|').map((cell) => cell.trim()) ?? []
  if (!measured || !limit) throw new Error(`bench/RESULTS.md has no bar "${what}"`)
  return { measured, limit, isMissed: missed.includes(`\n| ${what} `) }
}

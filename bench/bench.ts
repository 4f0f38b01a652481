import type { PostgresServer } from '../test/support/start-postgres.ts'
import type { Child } from './kit/child-process.ts'
import type { Site } from './kit/site.ts'
import type { Plan } from './plan.ts'
import type { Operation, Target } from './targets/target.ts'

/** The parameters that measures share. */
export interface Bench {
  plan: Plan
  /** The only endpoints whose timing is measured; undefined for all. */
  endpoints?: readonly string[] | undefined
  postgres: PostgresServer
  /** The process that sends all load. */
  generator: Child
  /** Every target, running on its own database, with users in it. */
  sites: Site[]
}

export const operations: readonly Operation[] = [
  'sign-up',
  'sign-in',
  'refresh',
  'get-user',
  'sign-out',
]

export const isHashing = (operation: Operation): boolean =>
  operation === 'sign-up' || operation === 'sign-in'

export const volumeOf = (
  operation: Operation,
  volume: { hashing: number; other: number },
): number => (isHashing(operation) ? volume.hashing : volume.other)

export const siteOf = ({ sites }: Pick<Bench, 'sites'>, { name }: Target): Site => {
  const site = sites.find(({ target }) => target.name === name)
  if (!site) throw new Error(`${name} does not run`)
  return site
}

/**
 * Returns the items in another order in each round, so that none always runs after the same one.
 */
export const rotated = <T>(items: readonly T[], round: number): T[] => {
  const first = round % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

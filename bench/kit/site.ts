import { runSql } from '../../test/support/sql.ts'
import type { Load, LoadFigures } from '../load/generator.ts'
import type { Usage } from '../targets/serve.ts'
import type { Operation, Target } from '../targets/target.ts'
import { type Child, startChildWith } from './child-process.ts'
import type { Population, Visit } from './population.ts'

/** A target's server on its database, with users in it. */
export interface Site {
  target: Target
  server: Child
  url: string
  databaseUrl: string
  people: Population
}

/** The figures of a run of one operation. */
export interface Figures extends LoadFigures {
  cpuMicrosPerRequest: number
}

/**
 * Starts a target's server, which creates its tables.
 *
 * @param env further variables of its process.
 */
export async function openSite(
  target: Target,
  databaseUrl: string,
  people: Population,
  env: Record<string, string> = {},
): Promise<Site> {
  const [script, ...args] = target.server
  const server = await startChildWith(env, script, databaseUrl, ...args)
  return { target, server, url: await server.ask<string>('url'), databaseUrl, people }
}

export interface Run {
  operation: Operation
  connections: number
  count: number
}

/**
 * Makes the generator send requests to a site, and returns the figures with the server's resources.
 */
export async function run(generator: Child, site: Site, given: Run): Promise<Figures> {
  return send(generator, site, given, await visitsOf(site, given))
}

/** Returns the users of the requests, prepared for the operation. */
export const visitsOf = (site: Site, { operation, count }: Run): Promise<Visit[]> =>
  site.people.visits(site, operation, count)

export async function send(
  generator: Child,
  { target, server, url }: Site,
  { operation, connections }: Run,
  visits: Visit[],
): Promise<Figures> {
  const load: Load = { target: target.name, operation, url, connections, visits }
  const before = await server.ask<Usage>('usage')
  const figures = await generator.ask<LoadFigures>('send', load)
  const after = await server.ask<Usage>('usage')
  return { ...figures, cpuMicrosPerRequest: (after.cpuMicros - before.cpuMicros) / visits.length }
}

export async function vacuum({ databaseUrl }: Pick<Site, 'databaseUrl'>): Promise<void> {
  await runSql(databaseUrl, 'vacuum analyze')
  // The statistics that it replaced: otherwise the measured statements remove them.
  await runSql(databaseUrl, 'vacuum pg_catalog.pg_statistic')
}

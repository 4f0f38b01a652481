import { runSql } from '../../test/support/sql.ts'
import { type Bench, rotated } from '../bench.ts'
import { createDatabase } from '../kit/database.ts'
import { Population, populate } from '../kit/population.ts'
import { type Figures, openSite, run, type Site, vacuum } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Bar, Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import { clientRows, oauthClient } from '../targets/latchkey/oauth-client.ts'
import { latchkey } from '../targets/latchkey/target.ts'
import type { Target } from '../targets/target.ts'

const operation = 'refresh'
const connections = 8

/** The figures of an ordinary session and of one of a client, in direct sequence. */
interface Round {
  ordinary: Figures
  ofClient: Figures
}

/** Measures the refresh of an OAuth client's session beside that of an ordinary one. */
export async function measureOauthRefresh(bench: Bench): Promise<Section> {
  const sites = await openBoth(bench)
  const rounds = await playRounds(bench, sites)
  await sites.ordinary.server.stop()
  const middle = (kind: keyof Round, pick: (figures: Figures) => number) =>
    digits(median(rounds.map((round) => pick(round[kind]))))
  const row = (name: string, kind: keyof Round) => [
    name,
    middle(kind, ({ throughput }) => throughput),
    middle(kind, ({ p50 }) => p50),
    middle(kind, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
  ]
  const bar = (what: string, pick: (figures: Figures) => number): Bar => ({
    what: `refresh of an OAuth session: ${what}, against an ordinary one`,
    measured: median(rounds.map(({ ordinary, ofClient }) => pick(ofClient) / pick(ordinary))),
    unit: '×',
    limit: { atMost: 1.15 },
  })
  return {
    title: 'Refresh of OAuth clients',
    note: `\`POST /token\` of a user beside \`POST /oauth/token\` of a client with a secret, by one server; ${connections} connections. The ratios are medians of ${rounds.length} rounds.`,
    table: [
      ['session', 'req/s', 'p50 ms', 'CPU µs'],
      row('ordinary', 'ordinary'),
      row('of a client', 'ofClient'),
    ],
    bars: [
      bar('CPU', ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
      bar('time', ({ throughput }) => 1 / throughput),
    ],
  }
}

type Sites = Record<keyof Round, Site>

/** Opens one server with sessions of both kinds. */
async function openBoth({ postgres, plan }: Bench): Promise<Sites> {
  const databaseUrl = await createDatabase(postgres, 'oauth_clients')
  const target: Target = { ...latchkey, server: ['targets/latchkey/server.ts', '', '', 'oauth'] }
  const people = new Population(plan.people)
  const first = await openSite(target, databaseUrl, people)
  await populate(first)
  for (const text of clientRows) await runSql(databaseUrl, text)
  await first.server.stop()
  const ordinary = await openSite(target, databaseUrl, people)
  await vacuum(ordinary)
  return {
    ordinary,
    ofClient: { ...ordinary, target: oauthClient, people: new Population(plan.people) },
  }
}

async function playRounds({ generator, plan }: Bench, sites: Sites): Promise<Round[]> {
  const play = (kind: keyof Round, count: number) =>
    run(generator, sites[kind], { operation, connections, count })
  for (let warming = 0; warming < 2; warming += 1) {
    for (const kind of ['ordinary', 'ofClient'] as const) await play(kind, plan.warmUp.other)
  }
  const rounds: Round[] = []
  for (let round = 0; round < 2 * plan.rounds; round += 1) {
    const figures: Partial<Round> = {}
    for (const kind of rotated(['ordinary', 'ofClient'] as const, round)) {
      figures[kind] = await play(kind, plan.run.other)
    }
    rounds.push(figures as Round)
  }
  return rounds
}

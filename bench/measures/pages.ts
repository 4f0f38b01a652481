import { type Bench, rotated } from '../bench.ts'
import { createDatabase } from '../kit/database.ts'
import { Population } from '../kit/population.ts'
import { type Figures, openSite, run, type Site } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import type { RecordedPage } from '../targets/bare-page.ts'
import { barePage, signInPage } from '../targets/latchkey/pages.ts'

const operation = 'sign-in-page'

/** One request at a time: the time of a response is then that of the server alone. */
const connections = 1

/** The figures of both servers, in direct sequence. */
interface Round {
  ours: Figures
  bare: Figures
}

/** Measures the sign-in page beside a handler that sends the same bytes. */
export async function measurePages(bench: Bench): Promise<Section> {
  const sites = await openSites(bench)
  const page = await recordPage(sites.ours)
  await sites.bare.server.ask('record', page)
  const rounds = await playRounds(bench, sites)
  for (const { server } of Object.values(sites)) await server.stop()
  const middle = (pick: (round: Round) => number) => median(rounds.map(pick))
  const row = ({ target }: Site, kind: keyof Round) => [
    target.name,
    digits(middle((round) => round[kind].p50)),
    digits(middle((round) => round[kind].p99)),
    digits(middle((round) => round[kind].cpuMicrosPerRequest)),
  ]
  return {
    title: 'Sign-in page',
    note: `\`GET /sign-in\` without cookies, with password, passkeys and a provider, beside a bare handler of \`node:http\` that sends the same ${Buffer.byteLength(page.body).toLocaleString('en')} bytes; one request at a time.`,
    table: [
      ['server', 'p50 ms', 'p99 ms', 'CPU µs'],
      row(sites.ours, 'ours'),
      row(sites.bare, 'bare'),
    ],
    bars: [
      {
        what: 'sign-in page: p50, over that of a bare handler',
        measured: middle(({ ours, bare }) => ours.p50 - bare.p50),
        unit: 'ms',
        limit: { atMost: 3 },
      },
    ],
  }
}

type Sites = Record<keyof Round, Site>

async function openSites({ postgres }: Bench): Promise<Sites> {
  const database = await createDatabase(postgres, 'pages')
  const open = (target: typeof signInPage) => openSite(target, database, new Population(1))
  return { ours: await open(signInPage), bare: await open(barePage) }
}

/** Requests the page, and returns what a bare handler has to send. */
async function recordPage({ url }: Site): Promise<RecordedPage> {
  const answer = await fetch(`${url}/sign-in`, { headers: { 'accept-encoding': 'identity' } })
  const body = await answer.text()
  if (answer.status !== 200 || !body.includes('</form>')) {
    throw new Error(`no sign-in page: ${answer.status} ${body}`)
  }
  const { date: _date, connection: _connection, ...headers } = Object.fromEntries(answer.headers)
  return { headers: { ...headers, 'set-cookie': answer.headers.getSetCookie() }, body }
}

async function playRounds({ generator, plan }: Bench, sites: Sites): Promise<Round[]> {
  const kinds = ['ours', 'bare'] as const
  const play = (kind: keyof Round, count: number) =>
    run(generator, sites[kind], { operation, connections, count })
  for (const kind of kinds) await play(kind, plan.warmUp.other)
  const rounds: Round[] = []
  for (let round = 0; round < plan.rounds; round += 1) {
    const figures: Partial<Round> = {}
    for (const kind of rotated(kinds, round)) figures[kind] = await play(kind, plan.run.other)
    rounds.push(figures as Round)
  }
  return rounds
}

import type { Bench } from '../bench.ts'
import { startChild } from '../kit/child-process.ts'
import { createDatabase } from '../kit/database.ts'
import { median } from '../kit/statistics.ts'
import type { Section } from '../report/section.ts'
import { digits } from '../report/table.ts'
import type { PageFigures } from '../targets/latchkey/pages.ts'

/** Measures the sign-in page beside a bare handler that sends the same bytes. */
export async function measurePages({ plan, postgres }: Bench): Promise<Section> {
  const database = await createDatabase(postgres, 'pages')
  const child = await startChild('targets/latchkey/pages.ts', database)
  const rounds: PageFigures[] = []
  for (let round = -1; round < plan.rounds; round += 1) {
    const figures = await child.ask<PageFigures>('time', { count: plan.run.other })
    if (round >= 0) rounds.push(figures)
  }
  await child.stop()

  const of = (pick: (figures: PageFigures) => number) => median(rounds.map(pick))
  const more = of(({ page, bare }) => page - bare)
  return {
    title: 'Sign-in page',
    note: '`GET /sign-in` of a new visitor beside a handler of node:http that sends the same bytes, one request at a time, in turns: milliseconds until the response has ended. First load: the document and its files, uncompressed.',
    table: [
      ['page', 'ms', 'bare handler, ms', 'more, ms', 'first load, bytes', 'files'],
      [
        '/sign-in',
        digits(of(({ page }) => page)),
        digits(of(({ bare }) => bare)),
        digits(more),
        String(of(({ bytes }) => bytes)),
        String(of(({ files }) => files)),
      ],
    ],
    bars: [
      {
        what: '/sign-in: time, above a bare handler',
        measured: more,
        unit: 'ms',
        limit: { atMost: 3 },
      },
    ],
  }
}

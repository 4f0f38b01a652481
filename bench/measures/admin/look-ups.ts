import { type Bench, rotated } from '../../bench.ts'
import { type Look, looks } from '../../kit/admin-looks.ts'
import { filterPlan } from '../../kit/filter-plan.ts'
import { type Office, sizeOf } from '../../kit/office.ts'
import { median } from '../../kit/statistics.ts'
import type { Bar, Section } from '../../report/section.ts'
import { digits } from '../../report/table.ts'

const names = Object.keys(looks) as Look[]

/**
 * The maximum ratio of the time with many users to that with few. A filter reads more where more
 * users match.
 */
const maxGrowth = 3
const isBounded = (look: Look): boolean => look !== 'filter'

/** The times of a round, in milliseconds. */
type Round = Map<Office, Record<Look, number>>

/** Measures whether look-ups are as fast with many users as with few. */
export async function measureLookUps(bench: Bench, offices: Office[]): Promise<Section> {
  const rounds: Round[] = []
  for (let round = -1; round < bench.plan.rounds; round += 1) {
    const times = await timeAll(rotated(offices, Math.max(round, 0)), bench.plan.admin.run)
    if (round >= 0) rounds.push(times)
  }
  const timesOf = (look: Look, office: Office) =>
    rounds.map((times) => times.get(office)?.[look] ?? Number.NaN)
  const [few, many] = [offices[0] as Office, offices.at(-1) as Office]
  const growthOf = (look: Look) => {
    const fewTimes = timesOf(look, few)
    return median(timesOf(look, many).map((ms, round) => ms / (fewTimes[round] ?? Number.NaN)))
  }
  return {
    title: 'Finding users',
    note: 'The median time of a call of `auth.admin`, in ms, one at a time.',
    table: [
      ['call', ...offices.map((office) => `${sizeOf(office)} users`), 'growth'],
      ...names.map((look) => [
        looks[look],
        ...offices.map((office) => digits(median(timesOf(look, office)))),
        digits(growthOf(look)),
      ]),
    ],
    bars: [
      ...names.filter(isBounded).map(
        (look): Bar => ({
          what: `${looks[look]}: ${sizeOf(many)} against ${sizeOf(few)} users`,
          measured: growthOf(look),
          unit: '×',
          limit: { atMost: maxGrowth },
        }),
      ),
      await trigramBar(many),
    ],
  }
}

async function timeAll(offices: Office[], count: number): Promise<Round> {
  const times: Round = new Map(offices.map((office) => [office, {} as Record<Look, number>]))
  for (const look of names) {
    for (const [office, ofOffice] of times) {
      ofOffice[look] = await office.worker.ask<number>('time', { look, count })
    }
  }
  return times
}

async function trigramBar({ databaseUrl }: Office): Promise<Bar> {
  const scans = (await filterPlan(databaseUrl)).match(/Bitmap Index Scan on users_trigrams/g)
  return {
    what: `${looks.filter}: scans of the trigram index in its plan`,
    measured: scans?.length ?? 0,
    unit: '',
    limit: { atLeast: 1 },
  }
}

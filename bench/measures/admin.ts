import { runSql } from '../../test/support/sql.ts'
import { type Bench, rotated } from '../bench.ts'
import {
  type ImportFigures,
  type ListFigures,
  type Look,
  lists,
  looks,
} from '../kit/admin-looks.ts'
import { type Child, startChild } from '../kit/child-process.ts'
import { createDatabase } from '../kit/database.ts'
import { filterPlan } from '../kit/filter-plan.ts'
import { vacuum } from '../kit/site.ts'
import { median } from '../kit/statistics.ts'
import type { Bar, Section } from '../report/section.ts'
import { digits } from '../report/table.ts'

/** So many users in a database of their own, and the process that works on it. */
interface Office {
  size: number
  databaseUrl: string
  worker: Child
  imported: ImportFigures
}

const names = Object.keys(looks) as Look[]

const aMillion = 1_000_000

/** How much longer an answer may take among many users. What no index serves without `pg_trgm` has no bar. */
const maxGrowth = 3
const isBounded = (look: Look): boolean => look !== 'filter'

/** What operators do: imports, look-ups and lists, where few and where many users are. */
export async function measureAdmin(bench: Bench): Promise<Section[]> {
  const offices: Office[] = []
  for (const size of bench.plan.admin.sizes) offices.push(await openOffice(bench, size))
  const sections = [
    describeImport(offices),
    await measureLooks(bench, offices),
    await measureLists(bench, offices),
  ]
  for (const { worker } of offices) await worker.stop()
  return sections
}

async function openOffice({ postgres }: Bench, size: number): Promise<Office> {
  const databaseUrl = await createDatabase(postgres, `admin_${size}`)
  await runSql(databaseUrl, 'create extension pg_trgm')
  const worker = await startChild('targets/latchkey/admin.ts', databaseUrl)
  const imported = await worker.ask<ImportFigures>('import', size)
  await vacuum({ databaseUrl })
  return { size, databaseUrl, worker, imported }
}

function describeImport(offices: Office[]): Section {
  const largest = offices.at(-1)?.imported
  return {
    title: 'Importing users',
    note: 'Users with hash, address, number and two identities each, by `auth.admin.importUsers` from a generator, into a database with `pg_trgm`. Resident memory at its peak until a tenth was stored, and until all was.',
    table: [
      ['users', 'a minute', 'MB until a tenth', 'MB'],
      ...offices.map(({ size, imported: { usersPerMinute, earlyPeakBytes, peakBytes } }) => [
        ...[size.toLocaleString('en'), Math.round(usersPerMinute).toLocaleString('en')],
        ...[digits(earlyPeakBytes / 1e6), digits(peakBytes / 1e6)],
      ]),
    ],
    bars: [
      {
        what: 'import: users a minute',
        measured: Math.round(largest?.usersPerMinute ?? Number.NaN),
        ...{ unit: '', limit: { atLeast: 20_000 } },
      },
      {
        what: 'import: memory, all against the first tenth',
        measured: (largest?.peakBytes ?? Number.NaN) / (largest?.earlyPeakBytes ?? Number.NaN),
        ...{ unit: '×', limit: { atMost: 1.2 } },
      },
    ],
  }
}

async function measureLooks({ plan }: Bench, offices: Office[]): Promise<Section> {
  const times = new Map<string, number[]>()
  for (let round = -1; round < plan.rounds; round += 1) {
    for (const look of names) {
      for (const office of rotated(offices, Math.max(round, 0))) {
        const count = plan.admin.run
        const ms = await office.worker.ask<number>('time', { look, count })
        if (round < 0) continue
        const key = keyOf(look, office)
        times.set(key, [...(times.get(key) ?? []), ms])
      }
    }
  }
  const timesOf = (look: Look, office: Office | undefined) =>
    (office && times.get(keyOf(look, office))) ?? []
  const [few, many] = [offices[0], offices.at(-1)]
  const growthOf = (look: Look) => {
    const small = timesOf(look, few)
    return median(timesOf(look, many).map((ms, round) => ms / (small[round] ?? Number.NaN)))
  }
  const plans = await Promise.all(offices.map(({ databaseUrl }) => filterPlan(databaseUrl)))
  return {
    title: 'Finding users',
    note: 'The median time of a call of `auth.admin`, in ms, one at a time.',
    table: [
      ['call', ...offices.map(({ size }) => `${size.toLocaleString('en')} users`), 'growth'],
      ...names.map((look) => [
        looks[look],
        ...offices.map((office) => digits(median(timesOf(look, office)))),
        digits(growthOf(look)),
      ]),
    ],
    bars: [
      ...names.filter(isBounded).map(
        (look): Bar => ({
          what: `${looks[look]}: ${many?.size.toLocaleString('en')} against ${few?.size.toLocaleString('en')} users`,
          measured: growthOf(look),
          ...{ unit: '×', limit: { atMost: maxGrowth } },
        }),
      ),
      {
        what: 'filter on a part of the address: scans of the trigram index in its plan',
        measured: plans.at(-1)?.match(/Bitmap Index Scan on users_trigrams/g)?.length ?? 0,
        ...{ unit: '', limit: { atLeast: 1 } },
      },
    ],
  }
}

async function measureLists({ plan }: Bench, offices: Office[]): Promise<Section> {
  const rows: string[][] = []
  const bars: Bar[] = []
  for (const office of offices) {
    for (const list of lists) {
      const rounds: ListFigures[] = []
      for (let round = -1; round < plan.rounds; round += 1) {
        const given = { list, count: plan.admin.lists }
        const figures = await office.worker.ask<ListFigures>('list', given)
        if (round >= 0) rounds.push(figures)
      }
      const ratio = median(rounds.map(({ wire, bare }) => wire / bare))
      const size = office.size.toLocaleString('en')
      rows.push([
        ...[`${list} page`, size, digits(median(rounds.map(({ wire }) => wire)))],
        ...[digits(median(rounds.map(({ bare }) => bare))), digits(ratio)],
      ])
      // Among few users it is the fifty records that take the time, not where they are.
      if (office.size < aMillion) continue
      bars.push({
        what: `GET /admin/users, ${list} page of ${size}: time, against bare SQL`,
        measured: ratio,
        ...{ unit: '×', limit: { atMost: 1.3 } },
      })
    }
  }
  return {
    title: 'Listing users on the wire',
    note: 'A page of 50 by `GET /admin/users`, and beside it two statements that do the least: `count(*)`, and the rows by `offset`; in turn, median times in ms.',
    table: [['page', 'users', 'wire', 'bare SQL', 'ratio'], ...rows],
    bars,
  }
}

const keyOf = (look: Look, { size }: Office): string => `${look} ${size}`

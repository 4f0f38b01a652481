import { createAuth } from 'latchkey'
import pg from 'pg'
import { serviceToken } from '../../kit/access-token.ts'
import type { ImportFigures, List, ListFigures, Look } from '../../kit/admin-looks.ts'
import { perPage } from '../../kit/admin-looks.ts'
import { answerQuestions } from '../../kit/answer-questions.ts'
import { emailOf, md5, secret, userIdOf } from '../../kit/people.ts'
import { median } from '../../kit/statistics.ts'
import { databaseUrl } from '../serve.ts'

// The work of operators in a process of its own, through `auth.admin` and the wire's list.

const auth = createAuth({
  siteUrl: 'https://app.example.test',
  database: { url: databaseUrl, maxPoolSize: 10 },
  jwt: { secret },
  email: { autoconfirm: true },
})
await auth.ready()

/** Look-ups of neighbouring rows are avoided. */
const stride = 7919

let size = 0

answerQuestions({ import: importPeople, time, list: timeList })

async function importPeople(count: number): Promise<ImportFigures> {
  size = count
  const peaks = { early: Number.NaN, all: 0 }
  const startedAt = performance.now()
  const report = await auth.admin.importUsers(people(count), {
    onProgress: ({ imported }) => {
      peaks.all = Math.max(peaks.all, process.memoryUsage.rss())
      if (imported <= count / 10) peaks.early = peaks.all
    },
  })
  const minutes = (performance.now() - startedAt) / 60_000
  if (report.imported !== count) throw new Error(JSON.stringify(report.refusals.slice(0, 3)))
  return {
    usersPerMinute: count / minutes,
    earlyPeakBytes: peaks.early,
    peakBytes: peaks.all,
  }
}

const phoneOf = (n: number): string => `4915${String(n).padStart(9, '0')}`
const begin = Date.UTC(2020, 0, 1)

function* people(count: number) {
  for (let n = 1; n <= count; n += 1) {
    yield {
      id: userIdOf(n),
      email: emailOf(n),
      phone: phoneOf(n),
      emailConfirm: true,
      passwordHash: `$2b$10$${(md5(`salt ${n}`) + md5(`hash ${n}`)).slice(0, 53)}`,
      createdAt: new Date(begin + n * 100_000),
      userMetadata: { full_name: `Person ${n}` },
      identities: [{ provider: 'email' }, { provider: 'github', subject: String(n) }],
    }
  }
}

/** Returns the found users of each query. */
const asks: Record<Look, (n: number) => Promise<unknown[]>> = {
  id: async (n) => found(await auth.admin.findUser({ id: userIdOf(n) })),
  email: async (n) => found(await auth.admin.findUser({ email: emailOf(n) })),
  phone: async (n) => found(await auth.admin.findUser({ phone: phoneOf(n) })),
  identity: async (n) =>
    found(await auth.admin.findUser({ identity: { provider: 'github', subject: String(n) } })),
  prefix: (n) => list({ emailPrefix: `person${1 + (n % 9)}`, limit: 10 }),
  rarePrefix: (n) => list({ emailPrefix: `person${n}@` }),
  firstPage: () => list({ limit: perPage }),
  deepPage: async () => list({ limit: perPage, cursor: await middleCursor() }),
  filter: (n) => list({ filter: `rson${n}@` }),
}

const found = <T>(user: T | null): T[] => (user ? [user] : [])

const list = async (input: Parameters<typeof auth.admin.listUsers>[0]) =>
  (await auth.admin.listUsers(input)).users

let middle: Promise<string> | undefined

/** Returns a cursor after half of all users. */
function middleCursor(): Promise<string> {
  middle ??= walk()
  return middle

  async function walk(): Promise<string> {
    let cursor: string | null = null
    for (let left = Math.floor(size / 2); left > 0; left -= 1000) {
      const page = await auth.admin.listUsers({ limit: Math.min(left, 1000), cursor })
      cursor = page.nextCursor
    }
    return cursor ?? ''
  }
}

/** Returns the median time of one query, in milliseconds. */
async function time({ look, count }: { look: Look; count: number }): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const n = 1 + ((turn * stride) % size)
    const startedAt = performance.now()
    const users = await asks[look](n)
    times.push(performance.now() - startedAt)
    if (users.length === 0) throw new Error(`${look}: no user was found`)
  }
  return median(times)
}

const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()

/** Measures the wire's list and plain SQL alternately. */
async function timeList({ list, count }: { list: List; count: number }): Promise<ListFigures> {
  const page = list === 'first' ? 1 : Math.floor(size / 2 / perPage)
  const times: Record<keyof ListFigures, number[]> = { wire: [], bare: [] }
  for (let turn = 0; turn < count; turn += 1) {
    times.wire.push(await timed(() => askWire(page)))
    times.bare.push(await timed(() => askBare(page)))
  }
  return { wire: median(times.wire), bare: median(times.bare) }
}

async function timed(act: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

async function askWire(page: number): Promise<void> {
  const url = `http://bench.test/admin/users?page=${page}&per_page=${perPage}`
  const headers = { authorization: `Bearer ${serviceToken()}` }
  const answer = await auth.fetch(new Request(url, { headers }))
  const { users } = (await answer.json()) as { users: unknown[] }
  if (users.length !== perPage) throw new Error(`${answer.status}: ${users.length} users`)
}

async function askBare(page: number): Promise<void> {
  const audience = 'authenticated'
  await client.query('select count(*) from auth.users where audience = $1', [audience])
  const { rows } = await client.query(
    `select * from auth.users where audience = $1
      order by created_at desc, id desc limit $2 offset $3`,
    [audience, perPage, (page - 1) * perPage],
  )
  if (rows.length !== perPage) throw new Error(`${rows.length} rows`)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { memoryMib } from '../../test/floods/small-server.ts'
import type { ServerProcess } from '../../test/support/server-process.ts'
import { type Connection, encodeRequest, openConnection } from '../load/connection.ts'

/** The requests of one phase. */
export interface Reading {
  sent: number
  seconds: number
  /** The response times. With a rate they begin at the time of the schedule. */
  ms: number[]
  statuses: Record<number, number>
  /** The resident memory of the server, once a second. */
  memoryMib: number[]
}

export interface Phase {
  seconds: number
  /** Requests per second. Default: each connection sends the next one after a response. */
  rate?: number
}

export interface Clients {
  users: User[]
  /** Twenty `GET /user`, four refreshes and a fifth of a sign-in, by the users of `docs/scale.md`. */
  mixed(phase: Phase): Promise<Reading>
  signIns(phase: Phase): Promise<Reading>
  /** Forty refreshes and `GET /user` a second. */
  light(phase: Phase): Promise<Reading>
}

export interface User {
  email: string
  accessToken: string
  refreshToken: string
}
type Kind = 'user' | 'refresh' | 'sign-in'

const password = 'correct horse battery staple'
const usersPerConnection = 16
/** The addresses of clients. None reaches a limit, and the memory of a limit holds them all. */
const addresses = 20_000
/** Sign-ins that wait need connections of their own. */
const waiting = 300
const lightRate = 40
const turns: Kind[] = Array.from({ length: 121 }, (_, at) =>
  at === 120 ? 'sign-in' : at % 6 === 5 ? 'refresh' : 'user',
)

/** A server that another process may have started. */
export type Target = Pick<ServerProcess, 'url' | 'pid'>

interface Options {
  /** The users of another process's clients, which are not signed up again. */
  users?: User[]
  /** The first byte of the clients' addresses. */
  network?: number
}

/** Signs up the users, each of which has one connection at a time. */
export async function openClients(
  server: Target,
  count: number,
  { users = [], network = 10 }: Options = {},
): Promise<Clients> {
  let sent = 0
  const host = new URL(server.url).host
  const open = (length: number) =>
    Promise.all(Array.from({ length }, () => openConnection(server.url)))
  const send = async (connection: Connection, path: string, body?: object, token?: string) => {
    sent = (sent + 1) % addresses
    const headers = {
      host,
      'x-client': `${network}.0.${sent >> 8}.${sent & 255}`,
      ...(token && { authorization: `Bearer ${token}` }),
    }
    const bytes = encodeRequest(body ? 'POST' : 'GET', path, headers, body)
    const { status, text } = await connection.send(bytes)
    return { status, body: () => JSON.parse(text().split('\r\n\r\n')[1] ?? '') }
  }
  const requests: Record<Kind, (connection: Connection, user: User) => Promise<number>> = {
    user: async (connection, { accessToken }) =>
      (await send(connection, '/user', undefined, accessToken)).status,
    refresh: async (connection, user) => {
      const answer = await send(connection, '/token?grant_type=refresh_token', {
        refresh_token: user.refreshToken,
      })
      if (answer.status === 200) user.refreshToken = answer.body().refresh_token
      return answer.status
    },
    'sign-in': async (connection, { email }) =>
      (await send(connection, '/token?grant_type=password', { email, password })).status,
  }

  const [first] = await open(1)
  for (let at = users.length; at < count * usersPerConnection; at += 1) {
    const email = `user-${at}@load.test`
    const { status, body } = await send(first as Connection, '/signup', {
      email,
      password,
    })
    if (status !== 200) throw new Error(`sign-up: ${status}`)
    const { access_token: accessToken, refresh_token: refreshToken } = body()
    users.push({ email, accessToken, refreshToken })
  }
  first?.close()
  const usersOf = (index: number) =>
    users.slice(index * usersPerConnection, (index + 1) * usersPerConnection)

  /** Opens connections, since the server closes idle ones, and sends requests until the end. */
  const run = async (
    width: number,
    { seconds, rate }: Phase,
    one: (connection: Connection, index: number, turn: number) => Promise<number>,
  ): Promise<Reading> => {
    const using = await open(width)
    const reading: Reading = { sent: 0, seconds, ms: [], statuses: {}, memoryMib: [] }
    const startedAt = performance.now()
    const endsAt = startedAt + seconds * 1000
    const periodMs = rate ? (using.length * 1000) / rate : 0
    const watching = (async () => {
      while (performance.now() < endsAt) {
        reading.memoryMib.push((await memoryMib(server)) ?? 0)
        await sleep(1_000)
      }
    })()
    await Promise.all(
      using.map(async (connection, index) => {
        let dueAt = startedAt + (periodMs * index) / using.length
        for (let turn = index; ; turn += 1) {
          if (rate) await sleep(Math.max(0, dueAt - performance.now()))
          const since = rate ? dueAt : performance.now()
          if (performance.now() >= endsAt) return
          const status = await one(connection, index, turn)
          reading.ms.push(performance.now() - since)
          reading.sent += 1
          reading.statuses[status] = (reading.statuses[status] ?? 0) + 1
          dueAt += periodMs
        }
      }),
    )
    reading.seconds = (performance.now() - startedAt) / 1000
    await watching
    for (const connection of using) connection.close()
    return reading
  }
  const userOf = (index: number, turn: number) => usersOf(index)[turn % usersPerConnection] as User

  return {
    users,
    mixed: (phase) =>
      run(count, phase, (connection, index, turn) =>
        requests[turns[turn % turns.length] ?? 'user'](connection, userOf(index, turn)),
      ),
    signIns: (phase) =>
      run(phase.rate ? waiting : 16, phase, (connection, index, turn) =>
        requests['sign-in'](connection, users[(index + turn * 17) % users.length] as User),
      ),
    light: (phase) =>
      run(8, { ...phase, rate: lightRate }, (connection, index, turn) =>
        requests[turn % 2 ? 'user' : 'refresh'](connection, userOf(index, turn >> 1)),
      ),
  }
}

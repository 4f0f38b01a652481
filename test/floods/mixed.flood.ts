import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createTestDatabase } from '../support/database.ts'
import { newHookSecret } from '../support/hooks.ts'
import { startSmtpServer } from '../support/smtp-server.ts'
import type { Answer, RequestOptions } from '../support/test-auth.ts'
import { startWebServer } from '../support/web-server.ts'
import { serviceToken } from './service-token.ts'
import { peakMemoryMib, startSmallServer } from './small-server.ts'

/** To run longer: `FLOOD_MINUTES=10 npm run test:floods -- test/floods/mixed`. */
const seconds = Number(process.env['FLOOD_MINUTES'] ?? 1 / 3) * 60
/**
 * The additional time for the floods to reach their limits: a busy machine sends few requests a
 * second.
 */
const graceSeconds = 60
/** Floods that must reach a limit of their client. */
const limitedFloods = ['H23 recoveries of nobody', 'H25 a list of addresses before the own one']
/**
 * The hourly budgets of mails, a fifth of which is reserved for clients without one, and of SMS.
 */
const mailsAnHour = 300
const smsAnHour = 5
const heapMib = 256
const password = 'correct horse'
/** The attacker's networks: one client, an IPv6 /48 and an IPv4 /24. */
const attacker = '198.51.100.66'
const networks: Record<string, (index: number) => string> = {
  client: () => attacker,
  '48': (index) => `2001:db8:66:${(index & 0xffff).toString(16)}::1`,
  '24': (index) => `192.0.2.${index & 255}`,
}
/** `FLOOD_FROM=48` selects one. By default all attack at once. */
const chosen = process.env['FLOOD_FROM'] ?? Object.keys(networks).join()
const attackers = chosen.split(',').map((name) => {
  const network = networks[name]
  if (!network) throw new Error(`FLOOD_FROM: ${name} is unknown`)
  return network
})
const attackerAt = (index: number): string =>
  attackers[index % attackers.length]?.(Math.floor(index / attackers.length)) ?? attacker
/** Each user has an own network. */
const honestAt = (index: number): string => `203.0.${index}.1`
const from = (ip: string) => ({ 'x-client': ip })

it(
  `every flood at once for ${seconds} s, beside honest users, in ${heapMib} MiB`,
  async () => {
    const database = await createTestDatabase()
    const login = { user: 'latchkey', pass: 'a password' }
    const smtp = await startSmtpServer({ auth: login })
    const carrier = await startWebServer((response) => response.end('{}'))
    const server = await startSmallServer(database.url, {
      heapMib,
      nodeOptions: `--import ${fileURLToPath(new URL('./loop-watch.mjs', import.meta.url))}`,
      env: {
        AUTH_RATE_LIMIT_HEADER: 'X-Client',
        // A long wait is no failure: a busy machine is slow without a flood, too.
        AUTH_API_MAX_REQUEST_DURATION: '30s',
        AUTH_MAILER_AUTOCONFIRM: 'false',
        AUTH_RATE_LIMIT_EMAIL_SENT: String(mailsAnHour),
        AUTH_SMTP_HOST: '127.0.0.1',
        AUTH_SMTP_PORT: String(smtp.port),
        AUTH_SMTP_USER: login.user,
        AUTH_SMTP_PASS: login.pass,
        AUTH_SMTP_ADMIN_EMAIL: 'no-reply@example.test',
        AUTH_MFA_PHONE_ENROLL_ENABLED: 'true',
        AUTH_PASSKEY_ENABLED: 'true',
        AUTH_MFA_PHONE_VERIFY_ENABLED: 'true',
        AUTH_RATE_LIMIT_SMS_SENT: String(smsAnHour),
        AUTH_HOOK_SEND_SMS_ENABLED: 'true',
        AUTH_HOOK_SEND_SMS_URI: carrier.url,
        AUTH_HOOK_SEND_SMS_SECRETS: newHookSecret(),
        // The default cost of hashes, since floods of them are tested.
        AUTH_PASSWORD_HASH_MEMORY_KIB: '19456',
        AUTH_PASSWORD_HASH_ITERATIONS: '2',
      },
    })
    const phones = await phonesOfAttackers(server.url)
    let until = Number.POSITIVE_INFINITY
    const isOver = () => {
      const lateMs = performance.now() - until
      const isLimited = limitedFloods.every((name) => counts[name]?.[429])
      return lateMs > (isLimited ? 0 : graceSeconds * 1000)
    }
    const send = (method: string, path: string, options: RequestOptions) =>
      ask(server.url, method, path, options)
    const counts: Record<string, Record<number, number>> = {}

    /**
     * Runs an attack with a number of concurrent requests until the end. Its responses are only
     * counted.
     */
    const flood = (name: string, width: number, one: (index: number) => Promise<number>) => {
      const statuses: Record<number, number> = {}
      counts[name] = statuses
      let index = 0
      const attack = async () => {
        while (!isOver()) {
          index += 1
          const status = await one(index).catch(() => 0)
          statuses[status] = (statuses[status] ?? 0) + 1
          if (status === 0) await sleep(20)
        }
      }
      return Promise.all(Array.from({ length: width }, attack))
    }
    let attacks = 0
    const attack = async (method: string, path: string, body: unknown) => {
      attacks += 1
      return (await send(method, path, { body, headers: from(attackerAt(attacks)) })).status
    }

    const bigMetadata = { filler: 'x'.repeat(60_000) }
    const manyKeys = Object.fromEntries(Array.from({ length: 6_000 }, (_, key) => [`k${key}`, 1]))
    const rotating = (index: number) => `198.51.${(index >> 8) & 255}.${index & 255}`
    const port = Number(new URL(server.url).port)
    const floods = () => [
      flood('H16 large metadata', 2, (index) =>
        attack('POST', '/signup', { email: `big${index}@x.test`, password, data: bigMetadata }),
      ),
      flood('H17 lists of users', 2, async (index) => {
        const path = `/admin/users?per_page=1000&page=${(index % 3) + 1}`
        return (await send('GET', path, { token: serviceToken() })).status
      }),
      flood('H18 many keys in metadata', 1, (index) =>
        attack('POST', '/signup', { email: `k${index}@x.test`, password, data: manyKeys }),
      ),
      flood('H18 many keys', 2, () => attack('POST', '/token?grant_type=password', manyKeys)),
      flood('H18 a long token', 2, () =>
        attack('POST', '/token?grant_type=refresh_token', { refresh_token: 'x'.repeat(60_000) }),
      ),
      flood('H19 bodies without a length', 5, (index) => pour(port, attackerAt(index))),
      flood('H20 bodies in drops', 100, () => drip(port)),
      flood('H21 sign-ups of one address', 10, () =>
        attack('POST', '/signup', { email: 'one@x.test', password }),
      ),
      flood('H22 wrong passwords', 25, (index) =>
        attack('POST', '/token?grant_type=password', {
          email: `n${index}@x.test`,
          password: 'wrong',
        }),
      ),
      flood('H23 recoveries of nobody', 5, (index) =>
        attack('POST', '/recover', { email: `r${index}@x.test` }),
      ),
      flood('H24 codes for factors', 5, async (index) => {
        const { path, token } = phones[index % phones.length] ?? { path: '', token: '' }
        return (await send('POST', path, { body: {}, token, headers: from(attackerAt(index)) }))
          .status
      }),
      flood('H27 challenges that expire', 5, () =>
        attack('POST', '/passkeys/authentication/options', {}),
      ),
      flood('H25 a list of addresses before the own one', 5, async (index) => {
        const headers = { ...from(attacker), 'x-forwarded-for': `${rotating(index)}, ${attacker}` }
        const body = { email: `f${index}@x.test` }
        return (await send('POST', '/otp', { body, headers })).status
      }),
    ]

    const refreshTimes: number[] = []
    const lost: string[] = []
    let mailsAwaited = 0
    /** Returns the oldest unread mail to an address; fails the test if there is none. */
    const mailTo = async (email: string, what: string): Promise<string | null> => {
      mailsAwaited += 1
      for (const deadline = performance.now() + 90_000; performance.now() < deadline; ) {
        const at = smtp.mails.findIndex(({ envelope }) => envelope.to[0] === email)
        if (at >= 0) return smtp.mails.splice(at, 1)[0]?.text ?? ''
        await sleep(100)
      }
      lost.push(`${what}: no mail`)
      return null
    }

    const expectOk = (what: string, answer: Answer) => {
      if (answer.status !== 200) lost.push(`${what}: ${answer.status} ${answer.text.slice(0, 80)}`)
      return answer.body
    }
    /** Signs up a user, who opens the link of the mail. */
    const join = async (index: number) => {
      const headers = from(honestAt(index))
      const email = `honest${index}@example.test`
      const signUp = { body: { email, password }, headers }
      expectOk('sign-up', await send('POST', '/signup', signUp))
      const [, tokenHash] = /[?&]token=(\w+)/.exec((await mailTo(email, 'sign-up')) ?? '') ?? []
      const proof = { type: 'signup', token_hash: tokenHash }
      const session = expectOk('proof', await send('POST', '/verify', { body: proof, headers }))
      return { index, email, headers, session }
    }
    /** Refreshes the session of a user and reads the user, well within all limits. */
    const live = async ({ index, email, headers, session }: Awaited<ReturnType<typeof join>>) => {
      for (let turn = 1; !isOver() && session?.refresh_token; turn += 1) {
        await sleep(2_500)
        const since = performance.now()
        const answer = await send('POST', '/token?grant_type=refresh_token', {
          body: { refresh_token: session.refresh_token },
          headers,
        })
        refreshTimes.push(performance.now() - since)
        session = expectOk('refresh', answer)
        expectOk('user', await send('GET', '/user', { token: session?.access_token, headers }))
        // A higher rate would exceed the limit of token requests per client.
        if (turn % 5 === 0 && index % 5 === 0) {
          const body = { email, password }
          const path = '/token?grant_type=password'
          session = expectOk('sign-in', await send('POST', path, { body, headers }))
        }
      }
    }
    /** Once a minute, another user recovers a forgotten password from another network. */
    const deleteRows = async () => {
      for (let index = 0; !isOver(); index += 1) {
        await sleep(10_000)
        const email = `honest${index % joined.length}@example.test`
        const headers = from(honestAt(100 + index))
        const answer = await send('POST', '/recover', { body: { email }, headers })
        if (answer.status !== 200)
          lost.push(`recover: ${answer.status} ${answer.text.slice(0, 80)}`)
        else await mailTo(email, 'recover')
        for (const next = performance.now() + 50_000; !isOver() && performance.now() < next; )
          await sleep(500)
      }
    }
    // Half of them sign up before the flood.
    const joined = await Promise.all(Array.from({ length: 10 }, (_, index) => join(index)))
    const logged = server.log().length
    const begunAt = performance.now()
    until = begunAt + seconds * 1000
    await Promise.all([
      ...floods(),
      deleteRows(),
      ...joined.map(live),
      ...Array.from({ length: 10 }, (_, index) => join(10 + index).then(live)),
    ])

    const hours = (performance.now() - begunAt) / 3_600_000
    const sorted = refreshTimes.toSorted((one, other) => one - other)
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0)
    const peak = await peakMemoryMib(server)
    const heldMs = server
      .log()
      .slice(logged)
      .reduce((longest, line) => Math.max(longest, Number(line['heldMs'] ?? 0)), 0)
    console.info(
      `loop held for ${heldMs} ms; refresh: ${sorted.length}, median ${at(0.5)} ms, p99 ${at(0.99)} ms; peak ${peak} MiB; ` +
        `lost: ${JSON.stringify(lost.slice(0, 5))} of ${lost.length}\n${JSON.stringify(counts, null, 1)}`,
    )
    const mailsOfAttacker = smtp.mails.length
    console.info(
      `mails: ${mailsAwaited} awaited, ${mailsOfAttacker} of the attacker; ${carrier.heard.length} SMS`,
    )
    const alive = await send('GET', '/health', {})
    await server.stop()
    await Promise.all([database.drop(), smtp.close(), carrier.close()])
    expect(alive.status).toBe(200)
    expect(lost).toEqual([])
    expect(mailsAwaited).toBeGreaterThan(20)
    expect(mailsOfAttacker).toBeLessThanOrEqual((0.8 + hours) * mailsAnHour)
    // A budget refills evenly.
    expect(carrier.heard.length).toBeGreaterThan(0)
    expect(carrier.heard.length).toBeLessThanOrEqual(smsAnHour + Math.ceil(hours * smsAnHour))
    for (const what of limitedFloods) expect(counts[what]?.[429], what).toBeGreaterThan(0)
  },
  (seconds + graceSeconds + 240) * 1000,
)

/** Enrolls phone factors in accounts of an attacker, to request codes for. */
async function phonesOfAttackers(url: string): Promise<{ path: string; token: string }[]> {
  const headers = from(attacker)
  return Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const body = { email: `attacker${index}@x.test`, password }
      const made = { ...body, email_confirm: true }
      await ask(url, 'POST', '/admin/users', { body: made, token: serviceToken() })
      const signIn = await ask(url, 'POST', '/token?grant_type=password', { body, headers })
      const token = signIn.body.access_token
      const factor = { factor_type: 'phone', phone: `+1500555000${index}` }
      const enrolled = await ask(url, 'POST', '/factors', { body: factor, token, headers })
      expect(enrolled.status).toBe(200)
      return { path: `/factors/${enrolled.body.id}/challenge`, token }
    }),
  )
}

/**
 * Sends a sign-up with a body of unknown and excessive length; returns the status, 0 if the
 * connection ends before.
 */
const pour = (port: number, client: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
    let status = 0
    socket
      .on('error', () => {})
      .on('data', (answer) => {
        status = Number(String(answer).slice(9, 12))
        socket.destroy()
      })
      .on('close', () => resolve(status))
    const head = `POST /signup HTTP/1.1\r\nhost: a\r\nx-client: ${client}\r\ntransfer-encoding: chunked\r\n\r\n`
    socket.write(head + chunk.repeat(17))
  })

/**
 * Sends a body one letter at a time until the response; returns 0 if the connection ends before.
 */
const drip = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const dripping = setInterval(() => socket.write('x'), 500)
    let status = 0
    socket
      .on('error', () => {})
      .on('data', (answer) => {
        status = Number(String(answer).slice(9, 12))
      })
    socket.on('close', () => {
      clearInterval(dripping)
      resolve(status)
    })
    socket.write('POST /signup HTTP/1.1\r\nhost: a\r\ncontent-length: 60000\r\n\r\n{"email":"')
  })

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GivenPerson, givenPerson, placesOf, wordsOf } from '../../../test/support/people.ts'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import { nonPersonalTraits } from '../../accounts/audit/audit-row.ts'
import { limitKeysOf } from '../../accounts/lifecycle/limit-keys-of.ts'
import { personalTables } from '../../accounts/lifecycle/personal-tables.ts'
import { builtInTables } from '../../service/capabilities.ts'

let auth: TestAuth
let person: GivenPerson
let other: GivenPerson

beforeAll(async () => {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    email: { autoconfirm: false, maxFrequencySeconds: 60 },
  })
  person = await givenPerson(auth)
  other = await givenPerson(auth)
})
afterAll(() => auth.close())

/** Values that are the same in both exports. */
const exportOf = async ({ user }: GivenPerson) => {
  const { exportedAt: _now, ...stored } = await (await auth.auth.admin.exportUser(user.id)).read()
  return stored
}

describe('an export', () => {
  it('contains rows of every table with personal data', async () => {
    const { user, companions, ...stored } = await exportOf(person)

    expect(companions).toBeUndefined()
    const counts = Object.entries({ ...stored, users: [user] }).map(
      ([name, rows]) => [name, rows.length > 0] as const,
    )
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(
        Object.keys({ ...personalTables, ...builtInTables }).map((name) => [name, true]),
      ),
    )
  })

  it('contains each row of the user, and none of other users', async () => {
    const stored = await exportOf(person)
    const { id } = person.user

    const rowsOf = async (table: string, condition: string) =>
      (await auth.rows(`select 1 from auth.${table} where ${condition}`, [id])).length
    expect(stored.sessions).toHaveLength(await rowsOf('sessions', 'user_id = $1'))
    expect(stored.messages).toHaveLength(await rowsOf('outbox_messages', 'user_id = $1'))
    expect(stored.auditEntries).toHaveLength(
      await rowsOf('audit_entries', 'actor_id = $1 or user_id = $1'),
    )
    for (const word of wordsOf(other)) expect(JSON.stringify(stored)).not.toContain(word)
  })

  it('contains all identifying data of the user, in plain JSON', async () => {
    const stored = await exportOf(person)

    expect(JSON.parse(JSON.stringify(stored))).toEqual(stored)
    for (const word of wordsOf(person)) expect(JSON.stringify(stored)).toContain(word)
    expect(stored.user).toMatchObject({
      id: person.user.id,
      email: person.email,
      newEmail: person.newEmail,
      role: 'member',
      userMetadata: { full_name: person.name },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect(stored.sessions[0]).toMatchObject({ ip: person.ip, userAgent: person.userAgent })
    expect(stored.auditEntries.map(({ action }) => action)).toContain('token_refreshed')
  })

  it('contains no hash of a secret, and no content of messages', async () => {
    const stored = JSON.stringify(await exportOf(person))

    const [secrets] = await auth.rows<{ all: string[] }>(
      `select jsonb_agg(secret) as all from (
        select password_hash as secret from auth.users where id = $1
        union all select token_hash from auth.one_time_tokens where user_id = $1
        union all select code_hash from auth.one_time_tokens where user_id = $1
        union all select code_hash from auth.authorization_codes where user_id = $1
        union all select body from auth.outbox_messages where user_id = $1 and body is not null) s`,
      [person.user.id],
    )
    expect(secrets?.all.length).toBeGreaterThan(4)
    for (const secret of secrets?.all ?? []) expect(stored).not.toContain(secret)
  })

  it('contains no address of an operator', async () => {
    const token = await auth.given.serviceToken()
    const { user } = await givenPerson(auth)
    await auth.put(`/admin/users/${user.id}`, { role: 'x' }, { token, ip: '192.0.2.99' })

    const { auditEntries } = await (await auth.auth.admin.exportUser(user.id)).read()

    const byOperator = auditEntries.filter(({ actorRole }) => actorRole === 'service_role')
    expect(byOperator).toMatchObject([{ action: 'user_modified', ip: null }])
  })

  it.each([
    ['nobody', '00000000-0b57-4a39-9c39-0d3f1f7c1e0b', 'user_not_found'],
    ['an invalid UUID', 'ada', 'validation_failed'],
  ])('is rejected for %s, as is an erasure', async (_case, id, code) => {
    const { admin } = auth.auth

    await expect(admin.exportUser(id)).rejects.toMatchObject({ code, status: 404 })
    await expect(admin.eraseUser(id)).rejects.toMatchObject({ code, status: 404 })
  })
})

interface Entry {
  actor_id: string | null
  actor_role: string | null
  user_id: string | null
  traits: Record<string, unknown> | null
}

const harmless = (traits: Entry['traits']) => {
  const left = Object.entries(traits ?? {}).filter(([name]) => nonPersonalTraits.includes(name))
  return left.length > 0 ? Object.fromEntries(left) : null
}

/** An export itself is recorded. */
const withoutExports = <Stored extends { auditEntries: { action: string | null }[] }>(
  stored: Stored,
) => ({
  ...stored,
  auditEntries: stored.auditEntries.filter(({ action }) => action !== 'user_exported'),
})

const entriesSince = (from: Date) =>
  auth.rows<Entry>(
    `select action, actor_id, actor_role, user_id, traits, host(ip) as ip, request_id, created_at
      from auth.audit_entries where created_at >= $1 order by id`,
    [from.toISOString()],
  )

describe('an erasure', () => {
  it('leaves no data of the user in any column, and all of other users', async () => {
    const before = withoutExports(await exportOf(other))
    const marks = wordsOf(person)
    expect(await placesOf(auth, marks)).not.toEqual([])

    await auth.auth.admin.eraseUser(person.user.id)

    expect(await placesOf(auth, marks)).toEqual([])
    expect(withoutExports(await exportOf(other))).toEqual(before)
    await expect(auth.auth.admin.exportUser(person.user.id)).rejects.toMatchObject({
      code: 'user_not_found',
    })
  })

  it('keeps actions and times in the audit log, without the user', async () => {
    auth.clock.advance(60)
    const from = auth.clock.now()
    const { user } = await givenPerson(auth)
    const before = await entriesSince(from)
    auth.clock.advance(1)

    await auth.auth.admin.eraseUser(user.id, { ip: '192.0.2.7', requestId: 'an erasure' })

    const after = await entriesSince(from)
    const otherId = after.at(-1)?.user_id
    const inPlace = (id: string | null) => (id === null ? null : otherId)
    expect(otherId).toMatch(/^[0-9a-f-]{36}$/)
    expect(after.slice(0, -1)).toEqual(
      before.map((entry) => ({
        ...entry,
        actor_id: inPlace(entry.actor_id),
        user_id: inPlace(entry.user_id),
        traits: harmless(entry.traits),
        ...(entry.actor_role === null && { ip: null, request_id: null }),
      })),
    )
    expect(after.at(-1)).toEqual({
      action: 13,
      actor_id: null,
      actor_role: 'host',
      user_id: otherId,
      traits: { erased: true },
      ip: '192.0.2.7',
      request_id: 'an erasure',
      created_at: expect.anything(),
    })
  })

  it('includes a user that was deleted before, and who is in the audit log', async () => {
    const { user, ...rest } = await givenPerson(auth)
    await auth.auth.admin.deleteUser(user.id)
    const exported = await (await auth.auth.admin.exportUser(user.id)).read()
    expect([exported.user, exported.auditEntries.length > 0]).toEqual([null, true])
    expect(JSON.stringify(exported.auditEntries)).toContain(rest.email)

    await auth.auth.admin.eraseUser(user.id)

    // Counters for the addresses of a deleted user expire.
    expect(await placesOf(auth, wordsOf({ user, ...rest }))).toEqual([])
  })

  it('includes a user that was soft-deleted', async () => {
    const deleted = await givenPerson(auth)
    await auth.auth.admin.deleteUser(deleted.user.id, { soft: true })

    await auth.auth.admin.eraseUser(deleted.user.id)

    expect(await placesOf(auth, wordsOf(deleted))).toEqual([])
  })

  it('deletes the password attempts, and keeps the limits that protect the addresses', async () => {
    const deleted = await givenPerson(auth)
    const keys = limitKeysOf({
      id: deleted.user.id,
      audience: deleted.user.audience,
      ips: [deleted.ip],
      emails: [deleted.email],
      phones: [deleted.phone],
      usernames: [],
    })
    const counted = async (table: string) =>
      (
        await auth.rows(`select 1 from auth.${table} where key = any($1::text[])`, [
          `{${keys.join()}}`,
        ])
      ).length
    const buckets = await counted('rate_limit_buckets')
    expect(await counted('password_attempts')).toBeGreaterThan(0)
    expect(buckets).toBeGreaterThan(0)

    await auth.auth.admin.eraseUser(deleted.user.id)

    expect(await counted('password_attempts')).toBe(0)
    expect(await counted('rate_limit_buckets')).toBe(buckets)
  })

  it('frees the addresses', async () => {
    const deleted = await givenPerson(auth)
    await auth.auth.admin.eraseUser(deleted.user.id)

    const again = await auth.auth.admin.createUser({ email: deleted.email, phone: deleted.phone })

    expect(again.id).not.toBe(deleted.user.id)
  })
})

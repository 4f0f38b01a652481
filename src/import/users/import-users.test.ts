import { randomUUID } from 'node:crypto'
import { hash as bcryptHash } from '@node-rs/bcrypt'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AdminApi } from '../../service/api/admin-api.ts'
import type { ImportProgress, ImportRefusal, UserToImport } from './import-input.ts'

let auth: TestAuth
let admin: AdminApi

beforeAll(async () => {
  auth = await startTestAuth()
  admin = auth.auth.admin
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `import-${++made}@example.test`
const newPhone = () => `49160${String(++made).padStart(8, '0')}`
const passwordHash = `$2b$10$${'a'.repeat(53)}`

const counts = (imported: number, alreadyThere = 0, refused = 0) => ({
  imported,
  alreadyThere,
  refused,
  signUpsReplaced: 0,
})

/** Returns place, code and field of rejections. */
const summaryOf = (refusals: ImportRefusal[]) =>
  refusals.map(({ place, code, field }) => [place, code, field])

const importOne = async (record: object) =>
  summaryOf((await admin.importUsers([record as UserToImport])).refusals)[0]?.slice(1)

describe('an imported user', () => {
  it('signs in with the former password', async () => {
    const email = newEmail()
    const hash = await bcryptHash(testPassword, 4)

    const report = await admin.importUsers([{ email, passwordHash: hash, emailConfirm: true }])
    const { user } = await auth.auth.api.signInWithPassword({ email, password: testPassword })

    expect(report).toEqual({ ...counts(1), refusals: [] })
    expect(user).toMatchObject({ email, emailConfirmedAt: auth.clock.now() })
  })

  it('keeps id, dates, metadata, role, ban and identities', async () => {
    const [id, identityId] = [randomUUID(), randomUUID()]
    const [email, phone] = [newEmail(), newPhone()]
    const at = (text: string) => new Date(text)

    await admin.importUsers([
      {
        id: id.toUpperCase(),
        email: email.toUpperCase(),
        phone: `+${phone}`,
        audience: 'elsewhere',
        role: ' staff ',
        passwordHash,
        emailConfirmedAt: '2020-01-02T03:04:05Z',
        phoneConfirmedAt: at('2020-02-02T00:00:00Z'),
        userMetadata: { full_name: 'Ada' },
        appMetadata: { plan: 'pro' },
        bannedUntil: '2999-01-01 00:00:00+00',
        invitedAt: '2019-12-31T00:00:00+01:00',
        lastSignInAt: '2025-05-05T05:05:05Z',
        createdAt: '2019-12-30T00:00:00Z',
        updatedAt: '2025-06-06T00:00:00Z',
        identities: [
          {
            provider: 'github',
            subject: '583231',
            id: identityId,
            identityData: { user_name: 'ada' },
            createdAt: '2020-03-03T00:00:00Z',
          },
          { provider: 'email' },
        ],
      },
    ])

    const user = await admin.getUser(id)
    expect(user).toEqual({
      ...user,
      email,
      phone,
      audience: 'elsewhere',
      role: 'staff',
      emailConfirmedAt: at('2020-01-02T03:04:05Z'),
      phoneConfirmedAt: at('2020-02-02T00:00:00Z'),
      userMetadata: { full_name: 'Ada', email_verified: true },
      appMetadata: { provider: 'github', providers: ['github', 'email'], plan: 'pro' },
      bannedUntil: at('2999-01-01T00:00:00Z'),
      invitedAt: at('2019-12-30T23:00:00Z'),
      lastSignInAt: at('2025-05-05T05:05:05Z'),
      createdAt: at('2019-12-30T00:00:00Z'),
      updatedAt: at('2025-06-06T00:00:00Z'),
      deletedAt: null,
    })
    expect(user.identities).toMatchObject([
      { provider: 'email', subject: id, identityData: { email, email_verified: true } },
      {
        provider: 'github',
        subject: '583231',
        id: identityId,
        identityData: { sub: '583231', user_name: 'ada' },
        createdAt: at('2020-03-03T00:00:00Z'),
      },
    ])
  })

  it('has an identity for each address by default, and no confirmation that is not stated', async () => {
    const [email, phone] = [newEmail(), newPhone()]

    await admin.importUsers([{ email, phone }])

    const user = await admin.findUser({ email })
    expect(user?.identities.map(({ provider }) => provider).sort()).toEqual(['email', 'phone'])
    expect(user).toMatchObject({
      emailConfirmedAt: null,
      phoneConfirmedAt: null,
      createdAt: auth.clock.now(),
      appMetadata: { provider: 'email', providers: ['email', 'phone'] },
    })
  })

  it('may have no address, but an account at a provider', async () => {
    const identity = { provider: 'twitter', subject: 'nobody-knows' }

    const report = await admin.importUsers([{ identities: [identity] }])

    expect(report).toMatchObject(counts(1))
    expect(await admin.findUser({ identity })).toMatchObject({ email: null, phone: null })
  })

  it('is in the audit log as a user that the host created', async () => {
    const email = newEmail()
    await admin.importUsers([{ email }])

    const { entries } = await admin.listAudit({ limit: 1000 })

    expect(entries.filter(({ user }) => user?.email === email)).toMatchObject([
      {
        action: 'user_signedup',
        actorRole: 'host',
        user: { email },
        traits: { provider: 'email' },
      },
    ])
  })
})

describe('a record', () => {
  const sub = 'x'
  const invalid: [string, object, string | null, string?][] = [
    ['that is empty', {}, 'email'],
    ['with a malformed address', { email: 'ada@@example.test' }, 'email'],
    ['with a malformed number', { phone: '0049' }, 'phone'],
    ['with an address of another type', { email: 5 }, 'email', 'bad_json'],
    ['with an id that is no UUID', { id: 'auth0|5f', email: 'x@example.test' }, 'id'],
    [
      'with a hash of no known form',
      { email: 'x@example.test', passwordHash: 'md5' },
      'passwordHash',
    ],
    [
      'with a hash that takes minutes to check',
      { email: 'x@example.test', passwordHash: `$2b$31$${'a'.repeat(53)}` },
      'passwordHash',
    ],
    ['with a password', { email: 'x@example.test', password: 'secret' }, 'password'],
    ['of a deleted user', { email: 'x@example.test', deletedAt: new Date() }, 'deletedAt'],
    [
      'with metadata that is a list',
      { email: 'x@example.test', userMetadata: [] },
      'userMetadata',
      'bad_json',
    ],
    [
      'with metadata beyond reason',
      { email: 'x@example.test', userMetadata: { a: 'x'.repeat(2 ** 20) } },
      'userMetadata',
    ],
    [
      'with what cannot be stored',
      { email: 'x@example.test', userMetadata: { a: '\0' } },
      'userMetadata',
    ],
    ['with a role beyond reason', { email: 'x@example.test', role: 'x'.repeat(256) }, 'role'],
    [
      'with an audience that no index holds',
      { email: 'x@example.test', audience: 'x'.repeat(3000) },
      'audience',
    ],
    [
      'with a day that there is not',
      { email: 'x@example.test', createdAt: '2021-02-30T00:00:00Z' },
      'createdAt',
    ],
    [
      'with a number for a time',
      { email: 'x@example.test', createdAt: 1614834367 },
      'createdAt',
      'bad_json',
    ],
    ['with a ban of no duration', { email: 'x@example.test', banDuration: 'long' }, 'banDuration'],
    ['with an identity of nobody', { identities: [{ subject: sub }] }, 'identities.0.provider'],
    [
      'with an identity without a subject',
      { identities: [{ provider: 'github' }] },
      'identities.0.subject',
    ],
    [
      'with an identity of another type',
      { identities: [{ provider: 1 }] },
      'identities.0.provider',
      'bad_json',
    ],
    ['with identities of another type', { identities: {} }, 'identities', 'bad_json'],
    [
      'with an identity for an address that it has not',
      { email: 'x@example.test', identities: [{ provider: 'phone' }] },
      'identities.0.provider',
    ],
    [
      'with a subject that no index holds',
      { identities: [{ provider: 'github', subject: 'x'.repeat(3000) }] },
      'identities.0.subject',
    ],
    [
      'S97: with more identities than a user has otherwise',
      {
        identities: Array.from({ length: 51 }, (_, index) => ({
          provider: 'github',
          subject: `${sub}-${index}`,
        })),
      },
      'identities',
    ],
    [
      'with an identity twice',
      {
        identities: [
          { provider: 'github', subject: sub },
          { provider: 'github', subject: sub },
        ],
      },
      'identities',
    ],
  ]

  it.each(invalid)('%s is rejected', async (_case, record, field, code = 'validation_failed') => {
    expect(await importOne(record)).toEqual([code, field])
  })

  it.each([[null], ['ada@example.test'], [5], [[]]])(
    'is rejected if it is not an object: %j',
    async (record) => {
      expect(await importOne(record as object)).toEqual(['bad_json', null])
    },
  )

  it('is named in messages as in code', async () => {
    const password = { email: 'x@example.test', password: 'secret' } as never
    const created = { email: 'x@example.test', createdAt: 'now' }

    const { refusals } = await admin.importUsers([password, created])

    expect(refusals.map(({ message }) => message)).toEqual([
      'password: cannot be imported, only its hash, as passwordHash',
      'createdAt: has to be a time such as 2021-03-04T05:06:07Z',
    ])
  })

  it('that is rejected is reported by its place, without its content', async () => {
    const hash = 'a secret of somebody'
    const seen: ImportRefusal[] = []
    const records = [{ email: newEmail() }, { email: 'ada@@example.test', passwordHash: hash }, {}]

    const report = await admin.importUsers(records, {
      onRefused: (rejection) => seen.push(rejection),
    })

    expect(report).toMatchObject(counts(1, 0, 2))
    expect(summaryOf(report.refusals)).toEqual([
      [1, 'validation_failed', 'email'],
      [2, 'validation_failed', 'email'],
    ])
    expect(seen).toEqual(report.refusals)
    expect(JSON.stringify(report)).not.toMatch(/ada|secret/)
  })

  it('that conflicts with another user is rejected, and affects no other record', async () => {
    const [email, phone, identity] = [
      newEmail(),
      newPhone(),
      { provider: 'github', subject: 'own' },
    ]
    const [id, identityId] = [randomUUID(), randomUUID()]
    await admin.importUsers([{ id, email, phone, identities: [{ ...identity, id: identityId }] }])
    const free = newEmail()

    const { refusals, imported } = await admin.importUsers([
      { id, email: newEmail() },
      { id: randomUUID(), email },
      { id: randomUUID(), phone },
      { email: newEmail(), identities: [identity] },
      { email: newEmail(), identities: [{ provider: 'email', id: identityId }] },
      { email: free },
      { email, phone: newPhone() },
    ])

    expect(imported).toBe(1)
    expect(summaryOf(refusals)).toEqual([
      [0, 'user_already_exists', 'id'],
      [1, 'email_exists', 'email'],
      [2, 'phone_exists', 'phone'],
      [3, 'identity_already_exists', 'identities'],
      [4, 'identity_already_exists', 'identities'],
      [6, 'email_exists', 'email'],
    ])
    expect(await admin.findUser({ email: free })).not.toBeNull()
  })

  it('that conflicts with an earlier record of the same batch is rejected', async () => {
    const email = newEmail()
    const identity = { provider: 'github', subject: 'twice' }

    const { refusals, imported } = await admin.importUsers([
      { id: randomUUID(), email },
      { id: randomUUID(), email },
      { email: newEmail(), identities: [identity] },
      { email: newEmail(), identities: [identity] },
    ])

    expect(imported).toBe(2)
    expect(summaryOf(refusals)).toEqual([
      [1, 'email_exists', 'email'],
      [3, 'identity_already_exists', 'identities'],
    ])
  })

  describe.each([
    ['in the same batch', 0],
    ['in a later batch', 1000],
  ])('with a value of an earlier record, %s,', (_case, between) => {
    const filler = () => Array.from({ length: between }, () => ({ email: newEmail() }))

    /** Returns the rejections of the second record in an import, and in a dry run before it. */
    const rejectionsOf = async (first: UserToImport, second: UserToImport) => {
      const records = [first, ...filler(), second]
      const tried = await admin.importUsers(records, { dryRun: true })
      const report = await admin.importUsers(records)
      expect(tried).toEqual(report)
      expect(report).toMatchObject(counts(between + 1, 0, 1))
      return report.refusals.map(({ place, code, message }) => [place - between, code, message])
    }

    it.each<[string, () => [UserToImport, UserToImport], string, string]>([
      [
        'address',
        () => {
          const email = newEmail()
          return [{ email }, { email: email.toUpperCase(), passwordHash }]
        },
        'email_exists',
        'email: the record at position 0 has the same address',
      ],
      [
        'number',
        () => {
          const phone = newPhone()
          return [{ phone }, { phone: `+${phone}`, email: newEmail() }]
        },
        'phone_exists',
        'phone: the record at position 0 has the same number',
      ],
      [
        'id',
        () => {
          const record = { id: randomUUID(), email: newEmail() }
          return [record, record]
        },
        'user_already_exists',
        'id: the record at position 0 has the same id',
      ],
      [
        'identity',
        () => {
          const identities = [{ provider: 'github', subject: newEmail() }]
          return [{ identities }, { identities }]
        },
        'identity_already_exists',
        'identities: the record at position 0 has the same identity',
      ],
      [
        'id of an identity',
        () => {
          const one = () => ({ provider: 'github', subject: newEmail(), id })
          const id = randomUUID()
          return [{ identities: [one()] }, { identities: [one()] }]
        },
        'identity_already_exists',
        'identities: the record at position 0 has an identity with the same id',
      ],
    ])('is rejected: %s', async (_value, records, code, message) => {
      expect(await rejectionsOf(...records())).toEqual([[1, code, message]])
    })
  })

  it('with the user name of an earlier one is rejected, and that is similar', async () => {
    const named = await startTestAuth({ usernames: { enabled: true } })
    const withName = (username: string) => ({ email: newEmail(), username })

    const { imported, refusals } = await named.auth.admin.importUsers([
      withName('paula'),
      withName('pau1a'),
    ])
    await named.close()

    expect(imported).toBe(1)
    expect(refusals).toMatchObject([
      {
        code: 'username_exists',
        message: 'username: the record at position 0 has the same or a similar user name',
      },
    ])
  })

  it('with a value of an earlier one is rejected in each run, and the earlier is not', async () => {
    const email = newEmail()
    const records = [{ email, passwordHash }, { email }]
    await admin.importUsers(records)

    const again = await admin.importUsers(records)

    expect(again).toMatchObject(counts(0, 1, 1))
    expect(summaryOf(again.refusals)).toEqual([[1, 'email_exists', 'email']])
  })

  it('with the id of an earlier one and other data is rejected as a whole', async () => {
    const [id, takenId] = [randomUUID(), randomUUID()]
    const [email, taken] = [newEmail(), newEmail()]
    const identity = { provider: 'github', subject: newEmail() }
    await admin.importUsers([{ email: taken }])

    const { refusals, imported } = await admin.importUsers([
      { id, email },
      { id, email: newEmail(), identities: [identity] },
      { id: takenId, email: taken },
      { id: takenId, email: newEmail() },
    ])

    expect(imported).toBe(2)
    expect(summaryOf(refusals)).toEqual([
      [1, 'user_already_exists', 'id'],
      [2, 'email_exists', 'email'],
    ])
    expect(await admin.findUser({ identity })).toBeNull()
    expect((await admin.getUser(id)).identities).toMatchObject([{ provider: 'email' }])
  })

  it('whose identity has the id of an earlier one is rejected, and affects no other record', async () => {
    const id = randomUUID()
    const withIdentity = (subject: string) => ({
      email: newEmail(),
      identities: [{ provider: 'github', subject, id }],
    })

    const { refusals, imported } = await admin.importUsers([
      withIdentity('first of the id'),
      withIdentity('second of the id'),
      { email: newEmail() },
    ])

    expect(imported).toBe(2)
    expect(summaryOf(refusals)).toEqual([[1, 'identity_already_exists', 'identities']])
  })

  it('is stored if the competing record of the batch conflicts with another user', async () => {
    const [taken, free] = [newEmail(), newEmail()]
    await admin.importUsers([{ email: taken }])
    const identities = [{ provider: 'github', subject: 'rival' }]

    const report = await admin.importUsers([
      { id: randomUUID(), email: taken, identities },
      { email: free, identities },
    ])

    expect(report).toMatchObject(counts(1, 0, 1))
    expect(await admin.findUser({ email: free })).not.toBeNull()
  })
})

describe('a repeated import', () => {
  it('finds all users, whatever their state, and changes none', async () => {
    const records = Array.from({ length: 3 }, () => ({ email: newEmail(), phone: newPhone() }))
    const identified = { id: randomUUID(), email: newEmail(), phone: newPhone() }
    await admin.importUsers([...records, identified])
    await admin.updateUser(identified.id, { email: newEmail(), role: 'staff' })
    const before = await admin.getUser(identified.id)

    const again = await admin.importUsers(
      [...records, identified].map((one) => ({ ...one, role: 'x' })),
    )

    expect(again).toMatchObject(counts(0, 4))
    expect(await admin.getUser(identified.id)).toEqual(before)
    const users = await auth.rows('select 1 from auth.users where phone = $1', [records[0]?.phone])
    expect(users).toHaveLength(1)
  })

  it('recognizes users by their id here and at a provider', async () => {
    const id = randomUUID()
    const record = { id, identities: [{ provider: 'keycloak', subject: id }] }
    await admin.importUsers([record])

    expect(await admin.importUsers([record])).toMatchObject(counts(0, 1))
  })

  it('stores missing users', async () => {
    const records = Array.from({ length: 1500 }, () => ({ email: newEmail() }))
    const broken = async function* () {
      yield* records.slice(0, 1200)
      throw new Error('the source broke')
    }

    await expect(admin.importUsers(broken())).rejects.toThrow('the source broke')
    const report = await admin.importUsers(records)

    expect(report).toMatchObject(counts(500, 1000))
  })

  it('concurrently with another one stores each user once', async () => {
    const records = Array.from({ length: 2000 }, () => ({ email: newEmail() }))

    const reports = await Promise.all([
      admin.importUsers(records),
      admin.importUsers(records.toReversed()),
    ])

    const sum = (pick: (each: ImportProgress) => number) =>
      reports.reduce((total, report) => total + pick(report), 0)
    expect(sum(({ imported }) => imported)).toBe(2000)
    expect(sum(({ alreadyThere }) => alreadyThere)).toBe(2000)
  })
})

describe('importing', () => {
  it('accepts an asynchronous source, and reports its progress', async () => {
    const reports: ImportProgress[] = []
    let ahead = 0
    let stored = 0
    const source = async function* () {
      for (let n = 0; n < 2500; n += 1) {
        ahead = Math.max(ahead, n - stored)
        yield { email: newEmail() }
      }
    }

    await admin.importUsers(source(), {
      onProgress: (progress) => {
        reports.push(progress)
        stored = progress.imported
      },
    })

    expect(reports).toEqual([counts(1000), counts(2000), counts(2500)])
    expect(ahead).toBeLessThanOrEqual(1000)
  })

  it('stores nothing in a dry run, and reports the result', async () => {
    const email = newEmail()
    await admin.importUsers([{ email }])
    const free = newEmail()
    const records = [{ email }, { email: free }, { email: 'x' }, { id: randomUUID(), email }]

    const report = await admin.importUsers(records, { dryRun: true })

    expect(report).toMatchObject(counts(1, 1, 2))
    expect(await admin.findUser({ email: free })).toBeNull()
  })

  it('keeps the first thousand rejections, and reports all', async () => {
    const reports: ImportRefusal[] = []
    const records = Array.from({ length: 1100 }, () => ({ email: 'x' }))

    const report = await admin.importUsers(records, {
      onRefused: (rejection) => reports.push(rejection),
    })

    expect(report.refused).toBe(1100)
    expect(report.refusals).toHaveLength(1000)
    expect(reports).toHaveLength(1100)
  })

  it('stores large records a few at a time', async () => {
    const reports: number[] = []
    const record = () => ({ email: newEmail(), identities: [identity()] })
    const identity = () => ({
      provider: 'github',
      subject: newEmail(),
      identityData: { text: 'x'.repeat(900_000) },
    })

    await admin.importUsers(Array.from({ length: 7 }, record), {
      onProgress: ({ imported }) => reports.push(imported),
    })

    expect(reports).toEqual([5, 7])
  })

  it('does not block other work', async () => {
    const records = Array.from({ length: 1000 }, () => ({ email: newEmail() }))
    let turns = 0
    const timer = setInterval(() => {
      turns += 1
    }, 1)

    await admin.importUsers(records, { dryRun: true })
    clearInterval(timer)

    expect(turns).toBeGreaterThan(5)
  })
})

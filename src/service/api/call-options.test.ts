import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { pathNames } from '../../endpoints/http/endpoint.ts'
import { guardsOf } from '../../endpoints/http/guards.ts'
import { endpoints } from '../endpoints.ts'
import { adminMethods } from './admin-api.ts'
import { authMethods } from './auth-api.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const email = 'nobody@example.test'
const id = '00000000-0000-4000-8000-000000000000'

/** The arguments of the methods that only code has, without the options. */
const inCodeAlone: Readonly<Record<string, unknown[]>> = {
  'auth.api.getProviderToken': [{}],
  'auth.admin.findUser': [{ email }],
  'auth.admin.exportUser': [id],
  'auth.admin.eraseUser': [id],
  'auth.admin.banUser': [id, {}],
  'auth.admin.unbanUser': [id],
  'auth.admin.getProviderToken': [{}],
  'auth.admin.explain': ['request-1'],
  'auth.admin.importUsers': [[{ email }], {}],
  'auth.admin.oauth.listGrants': [id],
  'auth.admin.oauth.revokeGrant': [id, id],
}

/**
 * Returns the arguments of a method, without the options: for an endpoint, the ids of operators and
 * an input.
 */
function argumentsOf(name: string): unknown[] {
  const endpoint = endpoints.find(({ inCode }) => inCode === name)
  const own = inCodeAlone[name]
  if (own) return own
  if (!endpoint) throw new Error(`${name} is in neither list`)
  const { caller } = guardsOf(endpoint)
  const ids = pathNames(endpoint.path).map(() => id)
  const hasFields = endpoint.body !== undefined || endpoint.query !== undefined
  if (caller === 'operator') return [...ids, ...(hasFields ? [{}] : [])]
  return caller === 'user' || hasFields ? [{}] : []
}

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>

const oauthNames = [
  'getAuthorizationDetails',
  'approveAuthorization',
  'denyAuthorization',
  'getDevice',
  'listGrants',
  'revokeGrant',
]

/** The methods of `auth.api` that have options. */
const apiNames = [
  ...Object.keys(authMethods).filter((name) => name !== 'explainRedirect'),
  ...oauthNames.map((name) => `oauth.${name}`),
]

/** Calls a method of `auth.api`. */
const callApi = async (name: string, options: object) => {
  const api = auth.auth.api as unknown as Methods
  const oauth = auth.auth.api.oauth as unknown as Methods
  const [, ofOauth] = name.split('oauth.')
  if (ofOauth !== undefined) return oauth[ofOauth]?.({}, options)
  return api[name]?.(...argumentsOf(`auth.api.${name}`), options)
}

// An ignored option may be a transaction, outside which all would be stored.
describe('an unknown option', () => {
  const unknown = { transaction: {} }
  const error = new TypeError('unknown option transaction')

  it.each(apiNames)('is rejected by auth.api.%s', async (name) => {
    await expect(callApi(name, unknown)).rejects.toThrow(error)
  })

  it.each(Object.keys(adminMethods))('is rejected by auth.admin.%s', async (name) => {
    const given = [...argumentsOf(`auth.admin.${name}`), unknown]
    const method = name
      .split('.')
      .reduce<unknown>((holder, part) => (holder as Methods)[part], auth.auth.admin)

    await expect((method as Methods[string])(...given)).rejects.toThrow(error)
  })
})

describe('a transaction', () => {
  it.each([
    [{ tx: {} }, 'tx must have a method query'],
    [
      { tx: { query: async () => [] }, em: { getTransactionContext: () => ({}) } },
      'em and tx are two transactions',
    ],
  ])('that cannot be joined is rejected, without an effect: %j', async (options, expected) => {
    const creating = auth.auth.admin.createUser({ email }, options as object)

    await expect(creating).rejects.toThrow(expected)
    expect(await auth.auth.admin.findUser({ email })).toBeNull()
  })
})

describe('an actor', () => {
  const lastEntry = async () => (await auth.auth.admin.listAudit({ limit: 1 })).entries[0]

  it('is the actor of the audit entry, with the role', async () => {
    const { id } = await auth.given.user('operator@example.test')
    const { user } = await auth.given.session('affected@example.test')
    auth.clock.advance(1)
    await auth.auth.admin.banUser(user.id, { reason: 'spam' }, { actor: { id, role: 'support' } })

    expect(await lastEntry()).toMatchObject({
      action: 'user_modified',
      actorId: id,
      actorRole: 'support',
      userId: user.id,
      traits: { ban_reason: 'spam' },
    })
    auth.clock.advance(1)
    await auth.auth.admin.unbanUser(user.id, { actor: { id } })
    expect(await lastEntry()).toMatchObject({ actorId: id, actorRole: 'host' })
    auth.clock.advance(1)
    await auth.auth.admin.signOut(user.id, { actor: { id, role: 'support' } })
    expect(await lastEntry()).toMatchObject({ actorId: id, actorRole: 'support' })
  })

  it('leaves an erased reason out of the log lines and the audit log', async () => {
    const user = await auth.given.user('erased@example.test')
    await auth.auth.admin.banUser(user.id, { reason: 'name of a person' })
    expect(JSON.stringify(auth.log)).not.toContain('name of a person')
    await auth.auth.admin.eraseUser(user.id)
    expect(JSON.stringify(await auth.auth.admin.listAudit())).not.toContain('name of a person')
  })

  it.each([[{}], [{ id: 'ada' }], [{ id, role: '' }], [{ id, role: 7 }], [null], ['ada']])(
    'that is no user is rejected: %j',
    async (actor) => {
      const options = { actor } as object
      await expect(auth.auth.admin.signOut(id, options)).rejects.toThrow(TypeError)
    },
  )

  it.each(apiNames)('is rejected by auth.api.%s, which is called for users', async (name) => {
    const error = new TypeError('actor is an option of auth.admin')
    await expect(callApi(name, { actor: { id } })).rejects.toThrow(error)
  })

  it('rejects a reason of more than 500 characters', async () => {
    const user = await auth.given.user('reason@example.test')
    const banning = auth.auth.admin.banUser(user.id, { reason: 'x'.repeat(501) })
    await expect(banning).rejects.toMatchObject({ code: 'validation_failed' })
  })
})

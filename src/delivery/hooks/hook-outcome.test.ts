import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hookCall, hookNeeds, inProcess, overHttp } from '../../../test/support/hooks.ts'
import { runSql } from '../../../test/support/sql.ts'
import { answerJson, startWebServer, type WebServer } from '../../../test/support/web-server.ts'
import type { HookPoint, ResolvedHook } from '../../platform/config/sections/hooks.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type OpenDatabase, openDatabase } from '../../service/persistence/open-database.ts'
import { postgresDriver } from '../../service/persistence/postgres.ts'
import { requestHook } from './call-hook.ts'

let place: TestDatabase
let database: OpenDatabase
let server: WebServer
let answer: unknown

beforeAll(async () => {
  place = await createTestDatabase()
  const driver = postgresDriver({ url: place.url, maxPoolSize: 2, preparedStatements: true })
  database = await openDatabase(driver, { schema: 'auth', namespace: '' })
  await runSql(place.url, 'create table answers (answer jsonb)')
  await runSql(
    place.url,
    `create function public.hook(event jsonb) returns jsonb language sql
     as $$ select answer from public.answers $$`,
  )
  server = await startWebServer((response) => answerJson(response, 200, answer))
})
afterAll(async () => {
  await database.close()
  await Promise.all([place.drop(), server.close()])
})

type Transport = 'http' | 'sql' | 'process'

async function hookAnswering(transport: Transport, given: unknown): Promise<ResolvedHook> {
  if (transport === 'process') return inProcess(() => given as never)
  if (transport === 'http') {
    answer = given
    return overHttp(server.url)
  }
  const text = JSON.stringify(given).replaceAll("'", "''")
  await runSql(place.url, `delete from answers; insert into answers values ('${text}')`)
  return overHttp('pg-functions://postgres/public/hook')
}

/** Returns `approved`, or the status and message of the error. */
async function outcomeOf(transport: Transport, point: HookPoint, given: unknown) {
  const hook = await hookAnswering(transport, given)
  const outcome = await requestHook({ ...hookNeeds, database }, hook, hookCall({ point }))
  if (!('error' in outcome)) return 'approved'
  if (!(outcome.error instanceof AuthError)) throw outcome.error
  return `${outcome.error.status} ${outcome.error.message}`
}

const rejected = 'The request was rejected by a hook'
const unmarshaled = '500 Error unmarshaling JSON output.'
const unknown = '500 output has an unknown member'
const decisionFault = '500 output decision must be "continue" or "reject"'
const missing = '500 output decision is missing'

const nearMisses: [HookPoint, unknown, string][] = [
  // Any form of `error` is a rejection.
  ['beforeUserCreated', { error: { http_code: 403, message: 'No' } }, '403 No'],
  ['beforeUserCreated', { error: { http_code: 403, message: '' } }, `403 ${rejected}`],
  ['beforeUserCreated', { error: { http_code: 403 } }, `403 ${rejected}`],
  ['beforeUserCreated', { error: { http_code: 403, message: null } }, `403 ${rejected}`],
  ['beforeUserCreated', { error: { http_code: 403, message: { en: 'No' } } }, `403 ${rejected}`],
  ['beforeUserCreated', { error: { http_code: '403', message: 'No' } }, '500 No'],
  ['beforeUserCreated', { error: { http_code: 200, message: 'No' } }, '500 No'],
  ['beforeUserCreated', { error: {} }, `500 ${rejected}`],
  ['beforeUserCreated', { error: [] }, `500 ${rejected}`],
  ['beforeUserCreated', { error: 'denied' }, '500 denied'],
  ['beforeUserCreated', { error: '' }, `500 ${rejected}`],
  ['beforeUserCreated', { error: true }, `500 ${rejected}`],
  ['beforeUserCreated', { error: false }, `500 ${rejected}`],
  ['beforeUserCreated', { error: 0 }, `500 ${rejected}`],
  ['beforeUserCreated', { error: { message: 'No' }, decision: 'continue' }, '500 No'],
  // Unknown members are a fault.
  ['beforeUserCreated', { decision: 'reject' }, unknown],
  ['beforeUserCreated', { decision: 'continue' }, unknown],
  ['beforeUserCreated', { Error: { message: 'No' } }, unknown],
  ['beforeUserCreated', { errors: [{ message: 'No' }] }, unknown],
  ['beforeUserCreated', { message: 'No' }, unknown],
  ['beforeUserCreated', { allowed: false }, unknown],
  ['beforeUserCreated', { constructor: 1 }, unknown],
  ['beforeUserCreated', [{ error: 'No' }], unmarshaled],
  ['beforeUserCreated', 'denied', unmarshaled],
  ['beforeUserCreated', false, unmarshaled],
  ['beforeUserCreated', 0, unmarshaled],
  ['beforeUserCreated', {}, 'approved'],
  ['beforeUserCreated', { error: null }, 'approved'],
  ...(['mfaVerificationAttempt', 'passwordVerificationAttempt'] as const).flatMap(
    (point): [HookPoint, unknown, string][] => [
      [point, {}, 'approved'],
      [point, { decision: 'continue' }, 'approved'],
      [point, { decision: 'continue', message: null, error: null }, 'approved'],
      [point, { decision: 'deny' }, decisionFault],
      [point, { decision: 'Reject' }, decisionFault],
      [point, { decision: 'continue ' }, decisionFault],
      [point, { decision: '' }, decisionFault],
      [point, { decision: true }, decisionFault],
      [point, { decision: ['reject'] }, decisionFault],
      [point, { decision: null }, missing],
      [point, { message: 'No' }, missing],
      [point, { decision: 'continue', message: {} }, '500 output message is of the wrong type'],
      [point, { desicion: 'reject' }, unknown],
      [point, { decision: 'continue', reason: 'x' }, unknown],
      [point, { error: { http_code: 429 } }, `429 ${rejected}`],
    ],
  ),
  ['mfaVerificationAttempt', { decision: 'continue', should_logout_user: true }, unknown],
  ['passwordVerificationAttempt', { should_logout_user: true }, missing],
  [
    'passwordVerificationAttempt',
    { decision: 'continue', should_logout_user: 'yes' },
    '500 output should_logout_user is of the wrong type',
  ],
  ['customAccessToken', { claims: { a: 1 } }, 'approved'],
  [
    'customAccessToken',
    { claims: {}, metadata: {}, user_id: 'u', authentication_method: 'otp' },
    'approved',
  ],
  ['customAccessToken', { claims: [] }, '500 output claims is of the wrong type'],
  ['customAccessToken', { claims: 'a' }, '500 output claims is of the wrong type'],
  ['customAccessToken', { claims: {}, claim: {} }, unknown],
  ['customAccessToken', { claims: {}, error: 'denied' }, '500 denied'],
  // Hooks that protect nothing: an error is a rejection, further members are ignored.
  ['sendEmail', { success: true }, 'approved'],
  ['sendEmail', { error: 'denied' }, '500 denied'],
  ['sendSms', { error: {} }, `500 ${rejected}`],
  ['events', { ok: true }, 'approved'],
]

describe.each<Transport>(['http', 'sql', 'process'])('S15: an answer by %s', (transport) => {
  it.each(nearMisses)('of %s, %j, is read as: %s', async (point, given, expected) => {
    expect(await outcomeOf(transport, point, given)).toBe(expected)
  })
})

describe('S15: a response of a function in the process', () => {
  const inheriting: unknown = Object.create({ error: 'denied' })

  it.each<[string, unknown, string]>([
    ['an error that is returned', new Error('No'), unmarshaled],
    ['an AuthError that is returned', new AuthError('signup_disabled', 403, 'No'), unmarshaled],
    ['a response', new Response('No', { status: 403 }), unmarshaled],
    ['a map', new Map([['error', 'No']]), unmarshaled],
    ['an error by inheritance', inheriting, unmarshaled],
    ['a member that is undefined', { decision: undefined, error: undefined }, 'approved'],
    [
      'an object without a prototype',
      Object.assign(Object.create(null), { error: 'No' }),
      '500 No',
    ],
    ['nothing', undefined, 'approved'],
    ['null', null, 'approved'],
  ])('is read closed: %s', async (_case, given, expected) => {
    expect(await outcomeOf('process', 'beforeUserCreated', given)).toBe(expected)
  })
})

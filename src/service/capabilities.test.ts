import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../test/support/test-auth.ts'
import { auditActions } from '../accounts/audit/actions.ts'
import { endGrantsOf } from '../accounts/lifecycle/end-parts.sql.ts'
import type { Capability } from '../capabilities/capability.ts'
import { subscribePages } from '../capabilities/subscribe-pages/capability.ts'
import { capabilityTables, factorSubstitutes } from '../platform/capability-terms.ts'
import { settings as allSettings } from '../platform/config/settings.ts'
import { authErrorCodes } from '../platform/errors/auth-error.ts'
import { notificationMails } from '../platform/mails/mails.ts'
import { statement } from '../platform/sql/statement.ts'
import { builtInCapabilities } from './capabilities.ts'
import { prefixedNaming } from './persistence/naming.ts'
import { tableNames } from './persistence/table-names.ts'

const all: readonly Capability[] = [...builtInCapabilities, subscribePages]
const naming = new (prefixedNaming(''))()

const tablesOf = ({ personalTables, otherTables }: Capability): string[] =>
  [...Object.values(personalTables).map(({ name }) => name), ...Object.keys(otherTables)].toSorted()

describe('the descriptors', () => {
  it('have separate names and steps of the schema', () => {
    const names = all.map(({ name }) => name)
    const steps = all.flatMap(({ migrations }) => migrations.map(({ name }) => name))

    expect(new Set(names).size).toBe(names.length)
    expect(new Set(steps).size).toBe(steps.length)
  })

  it.each(all.map((one) => [one.name, one] as const))(
    'list each table of %s that has an entity',
    async (_, one) => {
      const stored = (await one.entities()).map(({ name }) => naming.classToTableName(name))

      expect(tablesOf(one)).toEqual(stored.toSorted())
    },
  )

  it('list the tables that hosts with MikroORM ignore', () => {
    expect(capabilityTables.toSorted()).toEqual(all.flatMap(tablesOf).toSorted())
  })

  it.each(all.map((one) => [one.name, one] as const))(
    'name terms and settings of %s that lists of the platform contain',
    (_, { terms, settings }) => {
      expect(capabilityTables).toEqual(expect.arrayContaining([...terms.tables]))
      expect(authErrorCodes).toEqual(expect.arrayContaining([...(terms.errorCodes ?? [])]))
      expect(auditActions).toMatchObject(terms.auditActions ?? {})
      expect(notificationMails).toMatchObject(terms.notificationMails ?? {})
      expect(factorSubstitutes).toEqual(
        expect.arrayContaining([terms.factorSubstitute].filter((one) => one !== undefined)),
      )
      expect(allSettings).toEqual(expect.arrayContaining([...settings]))
    },
  )
})

describe('the end of grants', () => {
  const act = statement<{ isSo: boolean }>(
    'test',
    (sql, $) => `with ${endGrantsOf(sql, 'u', $.isSo)}, a as (select 1) select 1`,
  )
  const keys = {
    name: 'api-keys',
    endGrants: (_: unknown, users: string) => `delete from keys using ${users}`,
  }
  const textWith = (capabilities: (typeof keys)[]) => {
    const names = tableNames({ schema: 'auth', namespace: '' }, capabilities)
    return names.built(act, { isSo: true }).text.replaceAll(/\s+/g, ' ')
  }

  it('is a part of the statement of an act, for each capability', () => {
    expect(textWith([keys])).toBe(
      'with without_grants as ( select owner.id from u owner where $1 ),' +
        ' ended_by_api_keys as ( delete from keys using without_grants ), a as (select 1) select 1',
    )
  })

  it('adds nothing without a capability', () => {
    expect(textWith([])).toBe(
      'with without_grants as ( select owner.id from u owner where $1 ), a as (select 1) select 1',
    )
  })
})

describe('a service with the default configuration', () => {
  let auth: TestAuth

  beforeAll(async () => {
    auth = await startTestAuth()
    await auth.auth.ready()
  })
  afterAll(() => auth.close())

  it('signs up, signs in, refreshes and identifies users without reading tables of capabilities', async () => {
    for (const table of builtInCapabilities.flatMap(tablesOf)) {
      await auth.rows(`alter table auth.${table} rename to hidden_${table}`)
    }
    const credentials = { email: 'ada@example.test', password: 'correct horse' }

    const signUp = await auth.post('/signup', credentials)
    const signIn = await auth.post('/token?grant_type=password', credentials)
    const refreshed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: signIn.body.refresh_token,
    })
    const user = await auth.get('/user', { token: String(refreshed.body.access_token) })

    expect([signUp, signIn, refreshed, user].map(({ status }) => status)).toEqual([
      200, 200, 200, 200,
    ])
  })
})

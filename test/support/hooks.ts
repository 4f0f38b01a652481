import { randomBytes, randomUUID } from 'node:crypto'
import { type HookCall, type HookNeeds, requestHook } from '../../src/delivery/hooks/call-hook.ts'
import type { HookFunction, ResolvedHook } from '../../src/platform/config/sections/hooks.ts'
import { AuthError } from '../../src/platform/errors/auth-error.ts'
import { systemClock } from '../../src/platform/kit/clock.ts'
import { silentLogger } from '../../src/platform/observability/logger.ts'
import { noDatabase } from './no-database.ts'
import { type ServerAnswer, startWebServer } from './web-server.ts'

/** Dependencies of hook calls with shorter times. */
export const hookNeeds: HookNeeds = {
  clock: systemClock,
  database: noDatabase,
  logger: silentLogger,
  request: { id: 'request-1' },
  hookTimeoutMs: 1000,
  hookPauseMs: 20,
}

export const hookCall = (given: Partial<HookCall> = {}): HookCall => ({
  point: 'beforeUserCreated',
  payload: { user: { id: 'u1', name: 'Zoë' } },
  id: randomUUID(),
  at: new Date('2026-03-01T12:00:00.000Z'),
  ip: '203.0.113.7',
  ...given,
})

export const newHookSecret = (): string => `v1,whsec_${randomBytes(32).toString('base64')}`

export const overHttp = (uri: string, ...secrets: string[]): ResolvedHook => ({
  enabled: true,
  uri,
  secrets,
  run: null,
})

export const inProcess = (run: HookFunction): ResolvedHook => ({
  enabled: true,
  uri: null,
  secrets: [],
  run,
})

/** Returns the exception of a hook call with this response, and the number of requests. */
export async function hookRejection(answer: ServerAnswer, needs: HookNeeds = hookNeeds) {
  await using server = await startWebServer(answer)
  const requested = await requestHook(needs, overHttp(`${server.url}/hook?key=s3cret`), hookCall())
  if (!('error' in requested && requested.error instanceof AuthError))
    throw new Error('the hook was not rejected')
  const { status, code, message } = requested.error
  return {
    described: `${status} ${code}: ${message}`,
    isFinal: requested.isFinal,
    times: server.heard.length,
  }
}

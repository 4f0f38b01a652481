import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ResolvedServer } from '../../platform/config/sections/server.ts'
import { reloadOnChange, stateOf } from './reload-on-change.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-reload-'))
  vi.useFakeTimers({ toFake: ['setTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

it('reloads after a change of the files while the service started', async () => {
  const sources = { own: {}, folder }
  const state = stateOf(sources)
  writeFileSync(join(folder, 'a.env'), 'AUTH_LOG_LEVEL=warn')
  const reload = vi.fn(async () => {})

  const settings = { watchEnabled: true, watchIntervalSeconds: 10, watchQuietSeconds: 5 }
  reloadOnChange({
    sources,
    state,
    settings: settings as ResolvedServer,
    hangUps: { follow: () => {} },
    reload,
    stop: () => {},
  })
  await vi.advanceTimersByTimeAsync(15_000)
  const afterStart = reload.mock.calls.length
  await vi.advanceTimersByTimeAsync(60_000)

  expect([afterStart, reload.mock.calls.length]).toEqual([1, 1])
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitFor } from '../../test/support/wait-for.ts'
import { stderrLogger } from '../platform/observability/logger.ts'
import { createLogger } from './logger.ts'

/** A user agent whose control characters clear the screen of a terminal. */
const userAgent = 'curl\u001b[2J\u009b2J\u007f'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are expected
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-log-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

it('S98: a line of the log contains no control character, and the same value', async () => {
  const file = join(folder, 'service.log')

  createLogger({ level: 'info', file }).info({ userAgent }, 'request completed')
  const text = await waitFor(async () => {
    const written = await readFile(file, 'utf8')
    expect(written).toContain('request completed')
    return written
  })

  expect(text).not.toMatch(controls)
  expect(JSON.parse(text)).toMatchObject({ userAgent })
})

it('S98: nor does a line of the default log of hosts', () => {
  const written: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)

  stderrLogger.warn({ userAgent }, 'request failed')

  expect(written.join('')).toContain('request failed')
  expect(written.join('')).not.toMatch(controls)
})

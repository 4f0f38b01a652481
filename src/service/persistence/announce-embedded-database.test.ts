import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../platform/observability/logger.ts'
import { announceEmbeddedDatabase } from './announce-embedded-database.ts'

const missing = join(tmpdir(), 'latchkey-that-nobody-made')
const embedded = { url: null }

afterEach(() => vi.restoreAllMocks())

function listen() {
  const printed: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  return printed
}

it('prints the reason for the long first start', () => {
  const printed = listen()
  announceEmbeddedDatabase({ database: embedded, logger: null }, missing)

  expect(printed).toEqual([
    'Latchkey creates an embedded database in .latchkey/. This takes a few seconds, once …\n',
  ])
})

it('writes to the logger where there is one', () => {
  const printed = listen()
  const info = vi.fn()
  announceEmbeddedDatabase({ database: embedded, logger: { ...silentLogger, info } }, missing)

  expect(info).toHaveBeenCalledOnce()
  expect(printed).toEqual([])
})

it('prints nothing for an existing database or a server', () => {
  const printed = listen()
  announceEmbeddedDatabase({ database: embedded, logger: null }, tmpdir())
  announceEmbeddedDatabase({ database: { url: 'postgres://db.test/app' }, logger: null }, missing)

  expect(printed).toEqual([])
})

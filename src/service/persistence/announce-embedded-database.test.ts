import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { silentLogger } from '../../platform/observability/logger.ts'
import { announceEmbeddedDatabase } from './announce-embedded-database.ts'

const missing = join(tmpdir(), 'latchkey-that-nobody-made')
const embedded = { url: null }

afterEach(() => vi.restoreAllMocks())

function listen() {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  return said
}

it('prints the reason for the long first start', () => {
  const said = listen()
  announceEmbeddedDatabase({ database: embedded, logger: null }, missing)

  expect(said).toEqual([
    'Latchkey creates an embedded database in .latchkey/. This takes a few seconds, once …\n',
  ])
})

it('writes to the logger where there is one', () => {
  const said = listen()
  const info = vi.fn()
  announceEmbeddedDatabase({ database: embedded, logger: { ...silentLogger, info } }, missing)

  expect(info).toHaveBeenCalledOnce()
  expect(said).toEqual([])
})

it('prints nothing for an existing database or a server', () => {
  const said = listen()
  announceEmbeddedDatabase({ database: embedded, logger: null }, tmpdir())
  announceEmbeddedDatabase({ database: { url: 'postgres://db.test/app' }, logger: null }, missing)

  expect(said).toEqual([])
})

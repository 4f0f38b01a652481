import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { hasEmbeddedDatabase } from '../../../test/support/embedded.ts'
import { runText } from '../../../test/support/statements.ts'
import { embeddedPostgresDriver } from './embedded-postgres.ts'
import { openDatabase } from './open-database.ts'

const isInstalled = await hasEmbeddedDatabase('the embedded database')
const files = '@electric-sql/pglite-prepopulatedfs'

let folder: string
afterEach(() => {
  vi.doUnmock(files)
  rmSync(folder, { recursive: true, force: true })
})

// npm omits the package where an application pins another version of PGlite.
it.runIf(isInstalled).each(['with', 'without'])(
  'creates a database %s the package that contains its files (N08)',
  async (how) => {
    folder = mkdtempSync(join(tmpdir(), 'latchkey-embedded-'))
    const dataDir = vi.fn(async () => (await vi.importActual<Files>(files)).dataDir())
    vi.doMock(files, () => {
      if (how === 'without') throw new Error('not installed')
      return { dataDir }
    })
    const open = () =>
      openDatabase(embeddedPostgresDriver(folder), { schema: 'auth', namespace: '' })

    const created = await open()
    await runText(created.sql, 'create table kept (id int)')
    await created.close()
    const again = await open()
    const rows = await runText(again.sql, 'select * from kept').finally(again.close)

    expect(rows).toEqual([])
    expect(dataDir).toHaveBeenCalledTimes(how === 'with' ? 1 : 0)
  },
  60_000,
)

type Files = typeof import('@electric-sql/pglite-prepopulatedfs')

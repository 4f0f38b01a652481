import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getActiveResourcesInfo } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { SqlFormatterConfig } from '../../capabilities/formatter-config/formatter-config.ts'
import { formatFile } from './sql.ts'

/** A configuration that is formatted in a thread, which takes some time after the file was read. */
const config: SqlFormatterConfig = {
  language: 'postgresql',
  paramTypes: {
    custom: Array.from({ length: 2_000 }, (_, at) => ({ regex: `\\{p${at}\\}` })),
  },
}

const countPorts = () => getActiveResourcesInfo().filter((name) => name === 'MessagePort').length

it('does not overwrite a file that changed meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-format-'))
  const file = join(folder, 'a.sql')
  await writeFile(file, 'select  1')
  const before = countPorts()

  const formatting = formatFile(file, config, 'write')
  while (countPorts() === before) await sleep(1)
  await writeFile(file, 'select  2')

  expect(await formatting).toBe(false)
  expect(await readFile(file, 'utf8')).toBe('select  2')
  expect(await formatFile(file, { language: 'postgresql' }, 'write')).toBe(true)
  expect(await readFile(file, 'utf8')).toBe('select\n  2\n')
  await rm(folder, { recursive: true })
})

it('S30 does not write through a symbolic link', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-format-'))
  const link = join(folder, 'link.sql')
  await writeFile(join(folder, 'a.sql'), 'select  1')
  await symlink(join(folder, 'a.sql'), link)

  expect(await formatFile(link, { language: 'postgresql' }, 'write')).toBe(false)
  expect(await readFile(link, 'utf8')).toBe('select  1')
  await rm(folder, { recursive: true })
})

it('S107 names files without sequences that control the terminal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-format-'))
  const file = join(folder, 'a\u001b]0;title\u0007\u202e.sql')
  await writeFile(file, 'select  1')
  const written: string[] = []
  const write = process.stdout.write
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write
  try {
    expect(await formatFile(file, { language: 'postgresql' }, 'check')).toBe(false)
  } finally {
    process.stdout.write = write
  }

  expect(written.join('')).toBe(`${join(folder, 'a ]0;title  .sql')}\n`)
  await rm(folder, { recursive: true })
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getActiveResourcesInfo } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { SqlFormatterConfig } from '../../companions/formatter-config/formatter-config.ts'
import { formatFile } from './format-file.ts'

/** Tried in a thread, which takes its time after the file was read. */
const config: SqlFormatterConfig = {
  language: 'postgresql',
  paramTypes: {
    custom: Array.from({ length: 2_000 }, (_, at) => ({ regex: `\\{p${at}\\}` })),
  },
}

const countPorts = () => getActiveResourcesInfo().filter((name) => name === 'MessagePort').length

it('does not write over what somebody else wrote meanwhile', async () => {
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

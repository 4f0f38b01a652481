import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { requireNode } from '../src/platform/kit/require-node.ts'

const dist = join(import.meta.dirname, '../dist')
const cli = join(dist, 'standalone/cli.js')

const run = (node: string, args: string[]) =>
  spawnSync(node, args, { encoding: 'utf8', timeout: 20_000, env: { NODE_ENV: 'test' } })

/** A module that makes this Node report an older version. */
const pretence = `data:text/javascript,Object.defineProperty(process, 'versions', {
  value: { ...process.versions, node: '20.20.2' } })`

/** A Node of this machine that is too old. */
const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter(existsSync)
  .find((node) => /^v(1\d|20|21)\./.test(run(node, ['--version']).stdout))

const nodes: { what: string; node: string | undefined; flags: string[] }[] = [
  { what: 'that pretends to be', node: process.execPath, flags: ['--import', pretence] },
  { what: 'that is', node: oldNode, flags: [] },
]

describe.each(nodes)('H29: a Node $what too old', ({ node, flags }) => {
  it.skipIf(!node).each([['serve'], ['doctor'], ['migrate'], ['version'], []])(
    'is refused by `latchkey %s` in one sentence',
    (...args) => {
      const { stdout, stderr, status } = run(node ?? '', [...flags, cli, ...args])

      expect(stderr).toMatch(/^Latchkey needs Node 22\.17 or newer; this is Node [\d.]+\n$/)
      expect([stdout, status]).toEqual(['', 1])
    },
  )

  it.skipIf(!node)('is rejected by createAuth, before it reads anything', () => {
    const program = `
      import { createAuth } from ${JSON.stringify(pathToFileURL(join(dist, 'index.js')))}
      try { createAuth({}) } catch (error) { console.log(error.name + ': ' + error.message) }`

    const { stdout } = run(node ?? '', [...flags, '--input-type=module', '--eval', program])

    expect(stdout).toMatch(/^UnsupportedNodeError: Latchkey needs Node 22\.17 or newer; this is/)
  })
})

it.each(['22.17.0', '22.17.1', '22.20.0', '23.0.0', '24.21.0', '100.0.0'])('runs on %s', (node) =>
  expect(() => requireNode(node)).not.toThrow(),
)

it.each(['22.16.9', '22.2.0', '20.20.2', '9.99.0'])('H29: does not run on %s', (node) =>
  expect(() => requireNode(node)).toThrow(`this is Node ${node}`),
)

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..')
const folder = join(root, '.github/workflows')

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, { 'timeout-minutes': number; steps: { uses?: string; run?: string }[] }>
}

const read = (name: string): Workflow => parse(readFileSync(join(folder, name), 'utf8'))
const jobsOf = (name: string) => Object.values(read(name).jobs)
const stepsOf = (name: string) => jobsOf(name).flatMap(({ steps }) => steps)

describe.each(readdirSync(folder))('the workflow %s', (name) => {
  it('runs existing scripts', () => {
    const commands = stepsOf(name).flatMap(({ run }) => run ?? [])
    const scripts = commands.flatMap((line) => /^npm run ([\w:-]+)/.exec(line)?.[1] ?? [])
    const files = commands.flatMap(
      (line) => /^(?:node )?(\.ci\/\S+|\S+\.mjs)/.exec(line)?.[1] ?? [],
    )

    expect(commands).not.toEqual([])
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([])
    for (const file of files) expect(statSync(join(root, file)).isFile()).toBe(true)
  })

  it('pins actions to reviewed commits', () => {
    const actions = stepsOf(name).flatMap(({ uses }) => uses ?? [])

    expect(actions).not.toEqual([])
    expect(actions.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  })

  it('has read access to the repository unless a job declares more, and ends within half an hour', () => {
    expect(read(name).permissions).toEqual({ contents: 'read' })
    for (const job of jobsOf(name)) expect(job['timeout-minutes']).toBeLessThanOrEqual(30)
  })
})

it('publishes the tested package, with its provenance and without a secret', () => {
  const text = readFileSync(join(folder, 'release.yml'), 'utf8')

  expect(read('release.yml').jobs).toMatchObject({
    publish: { needs: 'check', permissions: { contents: 'write', 'id-token': 'write' } },
  })
  expect(stepsOf('release.yml').map(({ run }) => run)).toEqual(
    expect.arrayContaining(['.ci/run', expect.stringMatching(/^npm publish --provenance/)]),
  )
  expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/)
  expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true })
})

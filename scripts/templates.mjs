// `npm run templates [-- express next …]`: packs the build, runs `latchkey init --template` in an
// empty folder for each template, installs its packages from npm, and runs its `npm test`, which
// checks the types, builds and tests.
//
// Without names it tests all of them, as CI does. All share the cache of npm.
// LATCHKEY_TEMPLATES_FOLDER names an empty folder for the applications, which is kept.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from './pack.mjs'
import { shell } from './shell.mjs'

const { templates } = await import('../src/standalone/write-template.ts')
const given = process.argv.slice(2)
const unknown = given.filter((name) => !templates.some((one) => one === name))
if (unknown.length > 0) throw new Error(`no such template: ${unknown}; use ${templates.join(', ')}`)

const kept = process.env.LATCHKEY_TEMPLATES_FOLDER
const folder = kept ?? mkdtempSync(join(tmpdir(), 'latchkey-templates-'))
mkdirSync(folder, { recursive: true })
let failures = 0
try {
  const packed = pack(folder).path
  const tool = join(folder, 'tool')
  mkdirSync(tool)
  run(tool, 'npm', 'install', ...quietly(), packed)
  for (const name of given.length === 0 ? templates : given) {
    const startedAt = performance.now()
    const problem = tryTemplate(name, { packed, tool })
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
    console.log(`${problem ? 'FAILED' : 'ok    '} ${name}: npm test (${seconds} s)`)
    if (problem) console.log(problem)
    if (problem) failures += 1
  }
} finally {
  if (!kept) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 500 })
}
process.exitCode = failures > 0 ? 1 : 0

/**
 * @param {string} name
 * @param {{ packed: string, tool: string }} options
 */
function tryTemplate(name, { packed, tool }) {
  const project = join(folder, name)
  mkdirSync(project)
  try {
    run(project, join(tool, 'node_modules/.bin/latchkey'), 'init', '--template', name)
    // This version is not published yet.
    const manifest = join(project, 'package.json')
    const { dependencies, ...others } = JSON.parse(readFileSync(manifest, 'utf8'))
    dependencies.latchkey = `file:${packed}`
    writeFileSync(manifest, JSON.stringify({ ...others, dependencies }))
    run(project, 'npm', 'install', ...quietly())
    run(project, 'npm', 'test')
    return null
  } catch (error) {
    return error
  }
}

function quietly() {
  return ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 */
function run(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: shell,
    encoding: 'utf8',
    timeout: 600_000,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`)
}

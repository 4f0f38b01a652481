import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../paths.mjs'
import { manifestOf } from './hosts.mjs'

/** Flags for npm with little output. */
const quietly = ['--no-audit', '--no-fund', '--ignore-scripts']

/** Projects that this run has installed. Hosts with the same packages share one. */
const installed = new Map()

/**
 * Writes an application, installs its packages and Latchkey, and builds it.
 *
 * @param {string} name
 * @param {import('./hosts.mjs').Host} host
 * @param {{ folder: string, packed: string, env: NodeJS.ProcessEnv }} options
 * @returns {string} the folder of the project.
 */
export function buildHost(name, host, { folder, packed, env }) {
  const manifest = manifestOf(host)
  const key = JSON.stringify(manifest)
  const project = installed.get(key) ?? join(folder, name)
  mkdirSync(project, { recursive: true })
  writeFiles(project, host)
  if (!installed.has(key)) install(project, { manifest, packed, together: host.together })
  installed.set(key, project)
  for (const [command, ...args] of [host.check ?? [], host.build ?? []])
    if (command) run(project, join(project, 'node_modules/.bin', command), args, env)
  return project
}

/**
 * @param {string} project
 * @param {import('./hosts.mjs').Host} host
 */
function writeFiles(project, { folder, script, files = {} }) {
  const examples = join(root, 'examples')
  if (folder) cpSync(join(examples, 'apps', folder), project, { recursive: true, filter: isSource })
  if (script) cpSync(join(examples, script), join(project, script))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
}

/**
 * @param {string} project
 * @param {{ manifest: { dependencies: object }, packed: string, together?: true | undefined }}
 *   options
 */
function install(project, { manifest, packed, together }) {
  const dependencies = { ...(together && { latchkey: `file:${packed}` }), ...manifest.dependencies }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ ...manifest, dependencies }))
  // Most applications exist before they install Latchkey: their packages keep their places in
  // node_modules.
  run(project, 'npm', ['install', ...quietly], process.env)
  if (!together) run(project, 'npm', ['install', ...quietly, packed], process.env)
}

/** The package.json is that of the installation. */
const isSource = (/** @type {string} */ path) => !path.endsWith('package.json')

/**
 * Moves the build to a folder without the rest of the project.
 *
 * @param {string} project
 * @param {import('./hosts.mjs').Host['moved']} parts
 */
export function copyAway(project, parts = ['.']) {
  const away = `${project}-elsewhere`
  rmSync(away, { recursive: true, force: true })
  for (const part of parts) {
    const [from, to] = typeof part === 'string' ? [part, part] : part
    if (!existsSync(join(project, from))) throw new Error(`the build has not created ${from}`)
    mkdirSync(dirname(join(away, to)), { recursive: true })
    cpSync(join(project, from), join(away, to), { recursive: true, verbatimSymlinks: true })
  }
  return away
}

/**
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function run(cwd, command, args, env) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 600_000,
  })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`)
}

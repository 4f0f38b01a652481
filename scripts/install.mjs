import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from './npm.mjs'
import { root } from './paths.mjs'

/**
 * Installs the packages of package-lock.json unless they are installed.
 *
 * @throws Error when npm fails. npm has printed the reason.
 */
export function ensureInstalled() {
  if (!isInstalled()) {
    console.error('Installing the packages of package-lock.json …')
    // Development packages build and test, so NODE_ENV=production must not leave them out.
    const { status } = npm(['ci', '--include=dev', '--no-audit', '--no-fund'])
    if (status !== 0) throw new Error('`npm ci` failed: see above.')
  }
  addSkippedPackages()
}

/**
 * Returns whether each package of the lockfile is installed in its version. Optional ones may be
 * missing.
 */
export function isInstalled(folder = root) {
  const present = packagesIn(join(folder, 'node_modules/.package-lock.json'))
  const wanted = packagesIn(join(folder, 'package-lock.json'))
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    const found = path === '' ? wanted[path] : present[path]
    return found ? found.version === version : Boolean(optional || devOptional)
  })
}

/**
 * Installs optional packages that npm skipped. npm skips one silently when its `engines` exclude
 * the Node that runs npm. On Node 20 that is the embedded database; the pinned Node, which will run
 * it, is new enough. So npm runs once more, under that one.
 */
function addSkippedPackages() {
  if (/\boptional\b/.test(process.env.npm_config_omit ?? '')) return
  if (missingPackages().length === 0) return

  // With short timeouts: these packages are optional, and there may be no network.
  const patience = ['--prefer-offline', '--fetch-retries=0', '--fetch-timeout=20000']
  const flags = ['--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  npm(['install', ...flags, ...patience], { stdio: 'ignore' })

  const missing = missingPackages().join(', ')
  if (missing) console.error(`Continuing without ${missing}, which npm could not install.`)
}

function missingPackages() {
  const { optionalDependencies = {} } = readJson(join(root, 'package.json'))
  return Object.keys(optionalDependencies).filter(
    (name) => !existsSync(join(root, 'node_modules', name)),
  )
}

/**
 * @param {string} lockfile
 * @returns {Record<string, { version?: string, optional?: boolean, devOptional?: boolean }>}
 */
function packagesIn(lockfile) {
  return existsSync(lockfile) ? (readJson(lockfile).packages ?? {}) : {}
}

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))

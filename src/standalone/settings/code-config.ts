import { existsSync } from 'node:fs'
import module from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { examineConfig, isProductionEnv } from '../../platform/config/check-config.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { givenConfigOf } from '../../platform/config/given-config.ts'
import { createReport } from '../../platform/config/report.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { describeError } from '../../platform/observability/describe-error.ts'
import { CommandError, UsageError } from '../command-error.ts'
import {
  type CheckedEnvironment,
  problemsFor,
  readEnvironment,
  type SettingsNeeded,
} from './environment.ts'
import type { Environment } from './environment-remarks.ts'

/** Settings in code: the configuration that a file of the application exports. */
export interface CodeConfig {
  /** The path as given or found. */
  file: string
  config: AuthConfig
}

/** The files that are searched in the working folder, in this order. */
const usualConfigFiles: readonly string[] = [
  ...['ts', 'js', 'mjs'].map((extension) => `latchkey.config.${extension}`),
  ...['auth.ts', 'auth.js', 'src/auth.ts', 'src/auth.js', 'lib/auth.ts', 'server/auth.ts'],
]

/**
 * Removes `--config FILE` from the words after a command.
 *
 * @throws UsageError if the file is not named.
 */
export function takeConfigFile(args: readonly string[]): { file: string | null; rest: string[] } {
  const end = args.indexOf('--')
  const own = end === -1 ? args : args.slice(0, end)
  const at = own.findIndex((arg) => /^--config(=.*)?$/s.test(arg))
  if (at === -1) return { file: null, rest: [...args] }
  const [, joined] = /^--config=(.*)$/s.exec(args[at] ?? '') ?? []
  const file = joined ?? own[at + 1]
  if (!file) throw new UsageError('--config: which file?')
  return { file, rest: args.toSpliced(at, joined === undefined ? 2 : 1) }
}

/**
 * Returns the settings in code: of the given file, or, if no `AUTH_` name sets the database, of the
 * first usual file of the working folder. Null without a file, and for a usual file that belongs to
 * another library.
 */
export async function findCodeConfig(
  given: string | null,
  env: Environment,
): Promise<CodeConfig | null> {
  const file = given ?? (hasDatabase(env) ? undefined : usualConfigFiles.find(existsSync))
  if (file === undefined) return null
  const isNamed = given !== null || file.startsWith('latchkey.config')
  const config = await loadConfig(file, isNamed).catch(configOfError)
  if (config === null) return null
  if (given === null) process.stderr.write(`Using the settings of ${file}.\n`)
  return { file, config }
}

/**
 * Returns the configuration that `createAuth` rejected in the file: the command decides which of
 * its settings it needs.
 */
function configOfError(error: unknown): AuthConfig {
  const config = givenConfigOf(Object(error))
  if (!config) throw error
  return config
}

/** `DATABASE_URL` alone is a setting of the application, too. */
const hasDatabase = (env: Environment): boolean =>
  readEnvironment(env).given.some(
    ({ path, name }) => path === 'database.url' && /^(AUTH|GOTRUE)_/.test(name),
  )

/**
 * @param isNamed whether the file is known to contain settings. A function of another file is not
 *   called.
 */
async function loadConfig(file: string, isNamed: boolean): Promise<AuthConfig | null> {
  const exported = await importFile(file)
  const named = exported['default'] ?? exported['auth'] ?? exported['config']
  const value: unknown = isNamed && typeof named === 'function' ? await named() : named
  if (isRecord(value)) {
    const config = givenConfigOf(value)
    if (config) return config
    if (isNamed || 'database' in value) return value as AuthConfig
  }
  if (!isNamed) return null
  throw new CommandError(
    `--config: ${file} must export a service of createAuth, its configuration, or a function that ` +
      'returns one of them: as default, `auth` or `config`',
  )
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  const path = resolve(file)
  if (!existsSync(path)) throw new UsageError(`--config: ${file} does not exist`)
  resolveLikeBundlers()
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    if (error instanceof Error && error.name === 'ConfigError') throw error
    if (Object(error).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new CommandError(
        `--config: Node ${process.version} does not load ${file}. Use Node 22.18 or later, export the ` +
          'settings from a JavaScript file, or install tsx and run the command with ' +
          'NODE_OPTIONS="--import tsx"',
      )
    }
    const reason = describeError(error)
    const remedy = commonJsError.test(reason)
      ? '. Node loads the file as CommonJS. Run npm pkg set type=module, or name it .mts or .mjs'
      : ''
    throw new CommandError(`--config: ${file} cannot be loaded: ${reason}${remedy}`)
  }
}

/** Messages of Node for ES modules in a package with `"type": "commonjs"`. */
const commonJsError = /Unexpected token 'export'|Cannot use import statement/

/** Examines settings in code. `resolved` may be used only if there are no problems. */
export function examineCodeConfig({ config }: CodeConfig, env: Environment) {
  const report = createReport()
  const resolved = examineConfig(config, report, { production: isProductionEnv(env['NODE_ENV']) })
  const { warnings, problems, name: nameOf } = report
  return { config, resolved, given: [], remarks: [], warnings, nameOf, problems }
}

/**
 * Checks settings in code as `createAuth` does.
 *
 * @param needs permits that all other settings are missing.
 * @throws ConfigError with all problems, by path.
 */
export function checkCodeConfig(
  code: CodeConfig,
  env: Environment,
  needs?: SettingsNeeded,
): CheckedEnvironment {
  const { problems: all, ...checked } = examineCodeConfig(code, env)
  const problems = needs === undefined ? all : problemsFor(needs, all, (path) => path)
  if (problems.length > 0) throw new ConfigError(problems)
  return checked
}

/** The endings that bundlers add to an import without one. */
const endings = ['.ts', '.js', '/index.ts', '/index.js']

const notFound = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'])

let isRegistered = false

/**
 * Resolves imports that Node rejects and bundlers accept, such as `./database` and `next/server`:
 * files of an application that a bundler builds contain them. Has no effect in Node before 22.15.
 */
function resolveLikeBundlers(): void {
  if (isRegistered || !('registerHooks' in module)) return
  isRegistered = true
  module.registerHooks({
    resolve: (specifier, context, resolve) => {
      try {
        return resolve(specifier, context)
      } catch (error) {
        if (!notFound.has(Object(error).code) || !specifier.includes('/')) throw error
        for (const ending of endings) {
          try {
            return resolve(specifier + ending, context)
          } catch {
            // The error of the import as written is reported.
          }
        }
        throw error
      }
    },
  })
}

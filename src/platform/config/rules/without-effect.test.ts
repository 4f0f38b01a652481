import { generateKeyPairSync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examineConfig } from '../check-config.ts'
import type { AuthConfig } from '../config.ts'
import { setAt } from '../paths.ts'
import { createReport } from '../report.ts'
import type { Setting } from '../setting.ts'
import { settings } from '../settings.ts'

const minimal = {
  siteUrl: 'https://app.example.com',
  database: { url: 'postgres://user:password@db.example.com/app' },
  jwt: { secret: 'a-secret-of-more-than-thirty-two-bytes' },
  email: { autoconfirm: true },
  rateLimits: { header: 'off' },
}

/** Returns the problems and warnings about a configuration with these settings. */
function warningsOf(given: readonly [path: string, value: unknown][]) {
  const config: Record<string, unknown> = structuredClone(minimal)
  for (const [path, value] of given) setAt(config, path, value)
  const report = createReport()
  examineConfig(config as AuthConfig, report)
  return { problems: report.problems, warnings: report.warnings }
}

const samples: Record<string, unknown> = {
  text: 'text',
  template: 'text',
  list: ['one'],
  'server.subscribePagesOrigins': ['https://shop.example.com'],
  seconds: 7,
  URL: 'https://else.example.com',
  port: 4000,
  'server.workers': 2,
  connections: 3,
  limit: 7,
  map: { name: 'value' },
  JSON: { 'X-Name': ['value'] },
  secrets: `v1,whsec_${Buffer.from('thirty-two bytes of a hook’s key').toString('base64')}`,
  function: () => ({}),
  provider: { label: 'Acme', endpoints: () => ({}), readProfile: () => ({}) },
  PEM: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
}

/** Returns a value other than the default. */
function sampleOf({ parser: kind, default: usual, path }: Setting): unknown {
  if (typeof usual === 'boolean') return !usual
  const [, word] = /^`([^`]+)`/.exec(kind.name) ?? []
  const sample = samples[path] ?? word ?? samples[kind.name]
  if (sample === undefined) throw new Error(`no sample of ${kind.name} for ${path}`)
  return sample
}

/** Returns the name of a section by its type: `saml` for `SamlConfig`. */
const sectionOfType = (name: string) =>
  `${name.charAt(0).toLowerCase()}${name.slice(1)}`.replace(/Config$/, '')

const waiting = settings.filter(({ status }) => status !== 'live')

describe('diagnostics of the exporters', () => {
  const remarks = (telemetry: AuthConfig['telemetry'], log?: AuthConfig['log']) => {
    const report = createReport()
    examineConfig({ ...minimal, telemetry, log } as AuthConfig, report, { served: true })
    return report.warnings.filter((warning) => warning.startsWith('telemetry.debug '))
  }

  it('are warned about where nothing is exported, or the log leaves them out', () => {
    const debug = true
    expect(remarks({ debug })).toEqual([
      'telemetry.debug has no effect without telemetry.tracing.enabled or telemetry.metrics.enabled',
    ])
    expect(remarks({ debug, tracing: { enabled: true } })).toEqual([
      'telemetry.debug has no effect unless log.level is debug',
    ])
    expect(remarks({ debug, tracing: { enabled: true } }, { level: 'debug' })).toEqual([])
  })
})

describe('H34: a setting of a feature that is not built yet', () => {
  it.each(waiting.map((setting) => [setting.path, setting] as const))(
    'causes a warning with its path: %s',
    (path, setting) => {
      const { warnings } = warningsOf([[path, sampleOf(setting)]])
      expect(warnings.filter((one) => one.includes(path))).toHaveLength(1)
    },
  )

  it('causes one warning for each section', () => {
    const { problems, warnings } = warningsOf([
      ['saml.enabled', true],
      ['saml.privateKey', 'key'],
    ])
    expect(problems).toEqual([])
    expect(warnings).toEqual([
      'saml.enabled has no effect, and neither have saml.privateKey: the feature is not built yet in this version of Latchkey',
    ])
  })

  it('is marked so in the types, which an editor shows', () => {
    const room = join(import.meta.dirname, '..')
    const files = readdirSync(join(room, 'sections')).map((name) => join(room, 'sections', name))
    const types = [...files, join(room, 'config.ts')]
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:export )?(?:interface |type )?(\w+)/g
    const documented = [...types.matchAll(comment)]
      .filter(([, text = '']) => /not built yet/i.test(text))
      .map(([, , name = '']) => sectionOfType(name))
    // Every switch is called `enabled`: its section identifies it.
    const placesOf = (path: string) => path.split('.').filter((name) => name !== 'enabled')
    const places = waiting.map(({ path }) => placesOf(path))

    expect(places.filter((names) => !names.some((name) => documented.includes(name)))).toEqual([])
    expect(documented.filter((name) => !places.flat().includes(name))).toEqual([])
  })

  it('causes no warning with its default value', () => {
    // Naming a provider enables it.
    const off = waiting.filter(
      ({ default: usual, path }) => usual === false && !path.startsWith('providers.'),
    )
    expect(warningsOf(off.map(({ path }) => [path, false]))).toEqual({ problems: [], warnings: [] })
    expect(warningsOf([])).toEqual({ problems: [], warnings: [] })
  })
})

describe('H34: a setting that acts', () => {
  const source = join(import.meta.dirname, '../../..')
  const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    // Settings that only the standalone server reads have an effect there only. Error meanings,
    // texts and findings are prose.
    .filter(
      (name) =>
        !/^((hosts\/adapters|platform\/config|standalone|service\/doctor|capabilities\/\w+\/texts)\/|platform\/errors\/error-meanings|service\/persistence\/(database-place|describe-connect-error))/.test(
          name,
        ),
    )
    .map((name) =>
      readFileSync(join(source, name), 'utf8')
        .replace(/(?<=^|\s)\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
        // File names, titles, and attributes of spans and metrics contain such words.
        .replace(/'[\w./-]*(?:server|-host)[\w./-]*\.ts'/g, '')
        .replace(/'(http\.|OAuth )?server[\w.]*'/g, '')
        // Node and the mail library have a member of this name, too.
        .replace(/listener\.maxConnections|maxConnections: mailsAtOnce/g, ''),
    )

  const leafOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)
  const leaves = settings.map(({ resolvedPath }) => leafOf(resolvedPath))
  /** Reports whether a name of one word, such as `level`, may have other meanings. */
  const isShared = (leaf: string) =>
    !/[A-Z]/.test(leaf) || leaves.filter((one) => one === leaf).length > 1

  /**
   * Reports whether some file contains the name; with its section, if others have the same name.
   */
  const isRead = (path: string) => {
    const [leaf = '', section = 'config'] = path.split('.').reverse()
    const words = isShared(leaf) ? [leaf, section] : [leaf]
    const names = words.map((word) => new RegExp(`\\b${word}\\b`))
    return code.some((text) => names.every((name) => name.test(text)))
  }

  /** Settings that are read by a variable name, as in `config.email.subjects[kind]`. */
  const readByName: readonly [RegExp, string][] = [
    [/^email\.(subjects|templates|urlPaths|notifications)\.\w+/, 'email.$1'],
    [/^hooks\.\w+/, 'hooks'],
    [/^mfa\.(totp|phone)\./, 'mfa.'],
    [/^sms\.twilioVerify\./, 'sms.twilio.'],
    [/^providers\.\w+\.(\w+)$/, 'providers.$1'],
    [/^database\.namespace/, 'schema.namespace'],
    [/^rateLimits\.(otp|verify|web3|passkey)$/, 'LimitSettings.$1'],
    [/^rateLimits\.redis/, 'redis-limit-store.redis'],
    [/^jwt\.keyId/, 'ConfiguredKeys.keyId'],
  ]
  const placeOf = (path: string) =>
    readByName.reduce((place, [pattern, name]) => place.replace(pattern, name), path)

  it('is read outside its own folder, and outside the standalone server unless it is for that only', () => {
    const acting = settings.filter(({ status }) => status === 'live')
    const unread = acting.filter(({ resolvedPath }) => !isRead(placeOf(resolvedPath)))
    const served = settings.filter(({ serverOnly }) => serverOnly)
    expect(unread.map(({ path }) => path)).toEqual(served.map(({ path }) => path))
  })
})

const serverOnly = settings.filter(({ serverOnly }) => serverOnly)

describe('H34: a setting for `latchkey serve` only', () => {
  it.each(serverOnly.map((setting) => [setting.path, setting] as const))(
    'causes a warning in code, with its path: %s',
    (path, setting) => {
      const { warnings } = warningsOf([[path, sampleOf(setting)]])
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toMatch(`${path} has an effect under \`latchkey serve\` only`)
    },
  )

  it('causes no warning under `latchkey serve`', () => {
    const config = { ...minimal, externalUrl: 'https://auth.example.com', log: { level: 'warn' } }
    const report = createReport()
    examineConfig(config as AuthConfig, report, { explicit: true })
    expect(report.warnings).toEqual([])
  })

  it('is marked so in the types, which an editor shows', () => {
    const types = readFileSync(join(import.meta.dirname, '../sections/server.ts'), 'utf8')
    const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(\w+)\?:/g
    const documented = [...types.matchAll(comment)]
      .filter(([, text = '']) => text.includes('For `latchkey serve` only'))
      .map(([, , name = '']) => name)
    expect(documented).toEqual(serverOnly.map(({ path }) => path.slice(path.indexOf('.') + 1)))
  })
})

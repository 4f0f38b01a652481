import { existsSync } from 'node:fs'
import type { Deps } from '../../accounts/auth-context.ts'
import { issueServiceToken } from '../../credentials/access-tokens/issue-access-token.ts'
import { developerRoot } from '../../endpoints/http/local-access.ts'
import { checkConfig } from '../../platform/config/check-config.ts'
import type { AuthConfig, Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { isLoopbackHost } from '../../platform/kit/ip-address.ts'
import { createService } from '../../service/create-auth.ts'
import { startUrl } from '../../service/pages/landing/landing-page.ts'
import { mailboxUrl, shownOf } from '../../service/pages/mailbox/mailbox-address.ts'
import { databasePlaceOf } from '../../service/persistence/database-place.ts'
import {
  developmentFolder,
  embeddedDataFolder,
} from '../../service/persistence/development-folder.ts'
import { type Listening, listen, stopOnSignal } from '../server/listen.ts'
import { createLogger } from '../server/logger.ts'
import { withSubscribePages } from '../server/with-subscribe-pages.ts'
import { checkEnvironment } from '../settings/environment.ts'
import { rejectArguments } from '../terminal/parse-flags.ts'

const loopback = '127.0.0.1'
const tokenLifetimeSeconds = 12 * 60 * 60

/**
 * `latchkey dev`: a service for development, reachable from this machine only. Missing settings get
 * development values; generated keys are kept in `.latchkey/`, and data without a configured
 * database.
 */
export async function dev(args: string[]): Promise<void> {
  rejectArguments('dev', args)
  const checked = checkEnvironment(process.env, { development: true })
  const { config, resolved, remarks, nameOf } = checked
  requireLoopback(resolved.server.host)
  const logger = createLogger(resolved.log)
  for (const remark of remarks) logger.warn({}, remark)
  if (resolved.server.workers !== 1) logger.warn({}, 'AUTH_WORKERS has no effect in latchkey dev')
  const database = databaseName(resolved, nameOf)
  announceDatabaseStart(database)
  const { auth, runtime } = createService(
    { ...withConsole(config), logger },
    { nameOf, respondsThroughNode: true },
  )
  const { deps } = await runtime()
  const app = await withSubscribePages(auth, resolved)
  const listening = await listen(
    { app, close: auth.close },
    {
      ...resolved,
      server: { ...resolved.server, host: loopback },
    },
    // No client loses a request here, and a developer waits for the end.
    { limits: { lingerMs: 0 } },
  )
  const onHangUp = stopOnSignal({ stop: () => stop(listening, deps) }, logger)
  process.on('SIGHUP', onHangUp)

  const { url } = listening
  const { autoconfirm } = resolved.email
  // The token grants all administrative access, so it is shown on a terminal only and never written
  // to a log file.
  const serviceToken = process.stdout.isTTY ? await issueTokenFor(deps, resolved) : null
  process.stdout.write(
    describeStart({
      url,
      start: startOf(deps, url),
      mailbox: mailboxOf(deps, url),
      database,
      consoleUrl: consoleUrlOf(deps, url),
      autoconfirm,
      serviceToken,
    }),
  )
}

/** Returns the name of the configured database; null if the embedded one is used. */
function databaseName({ database: { url } }: Config, nameOf: (path: string) => string) {
  if (url === null) return null
  const { server, database } = databasePlaceOf(url)
  return `the database "${database}" on ${server} (${nameOf('database.url')})`
}

/**
 * Reports the configured database before it is migrated. Reports the start of the embedded one,
 * which takes seconds, or its creation, which takes longer.
 */
function announceDatabaseStart(configured: string | null): void {
  process.stdout.write(`${startOfDatabase(configured)} …\n`)
}

function startOfDatabase(configured: string | null): string {
  if (configured !== null) return `Using ${configured}: migrating it, and sending its messages`
  return existsSync(embeddedDataFolder)
    ? `Starting the embedded database in ${developmentFolder}/`
    : `Creating an embedded database in ${developmentFolder}/, once, which takes some seconds`
}

/** Closes the mailbox first: an open mailbox page would delay the shutdown. */
function stop(listening: Listening, { mailbox }: Deps): Promise<void> {
  mailbox?.close()
  return listening.stop()
}

const issueTokenFor = ({ keys, clock }: Deps, { jwt }: Config): Promise<string> =>
  issueServiceToken(keys, {
    role: jwt.adminRoles[0] ?? 'service_role',
    lifetimeSeconds: tokenLifetimeSeconds,
    now: clock.now(),
  })

const startOf = ({ config, developerToken }: Deps, url: string): string | null =>
  config.pages.enabled && developerToken !== null ? startUrl(url, developerToken) : null

function mailboxOf({ mailbox, mailboxTakes, developerToken }: Deps, url: string) {
  if (!mailbox || developerToken === null) return null
  return { url: mailboxUrl(url, developerToken), shows: shownOf(mailboxTakes) }
}

/** Enables the console, unless a setting disables it or contradicts it. */
function withConsole(config: AuthConfig): AuthConfig {
  if (config.console?.enabled !== undefined) return config
  const enabled = { ...config, console: { ...config.console, enabled: true } }
  try {
    checkConfig(enabled)
    return enabled
  } catch (error) {
    if (error instanceof ConfigError) return config
    throw error
  }
}

function consoleUrlOf({ config, developerToken }: Deps, url: string): string | null {
  if (!config.console.enabled || developerToken === null) return null
  if (config.database.url !== null) return `${url}/console`
  return `${url}${developerRoot}/console?token=${developerToken}`
}

/**
 * Rejects other addresses than loopback, since development mode discloses what production hides.
 */
function requireLoopback(host: string): void {
  if (host === '' || isLoopbackHost(host)) return
  throw new ConfigError([
    { path: 'AUTH_API_HOST', message: `latchkey dev listens on ${loopback} only` },
  ])
}

/** The data printed when a development service has started. */
interface StartDescription {
  url: string
  /**
   * Where messages are shown, and which: `mails and text messages`. Null if all are really sent.
   */
  mailbox: { url: string; shows: string } | null
  /** The configured database; null for the embedded one. */
  database: string | null
  /**
   * The console; with the embedded database, signed in as a demonstration operator. Null where it
   * is disabled.
   */
  consoleUrl: string | null
  /** The page that links to the sign-in and account pages; null where these are disabled. */
  start: string | null
  /** Whether addresses are confirmed without a message. */
  autoconfirm: boolean
  /** An operator's token, printed on a terminal; null elsewhere. */
  serviceToken: string | null
}

/** Returns the text that `latchkey dev` prints once it listens. */
function describeStart({
  url,
  start,
  mailbox,
  database,
  consoleUrl,
  autoconfirm,
  serviceToken,
}: StartDescription): string {
  const operator = database === null ? ', signed in as a demonstration operator' : ''
  const kept =
    database === null ? 'Data and keys are kept in .latchkey/' : `Data is kept in ${database}`
  const lines = [
    '',
    `Latchkey is running at ${url}`,
    ...(start === null ? [] : ['', 'Sign up and in on its pages:', `  ${start}`]),
    ...(mailbox
      ? ['', `It shows ${mailbox.shows} here instead of sending them:`, `  ${mailbox.url}`]
      : []),
    ...(consoleUrl === null ? [] : ['', `The operator console${operator}:`, `  ${consoleUrl}`]),
    '',
    ...signUpLines(url, autoconfirm),
    ...(serviceToken === null ? [] : operatorLines(url, serviceToken)),
    '',
    `${kept}. Stop with Ctrl+C.`,
    '',
  ]
  return lines.join('\n')
}

function signUpLines(url: string, autoconfirm: boolean): string[] {
  const user = `'{"email":"ada@example.com","password":"correct horse"}'`
  const proof = `'{"type":"signup","email":"ada@example.com","token":"CODE"}'`
  const signUp = `  curl ${url}/signup -d ${user}`
  const signIn = `  curl '${url}/token?grant_type=password' -d ${user}`
  if (autoconfirm) return ['Sign up, then sign in:', signUp, signIn]
  return [
    'Sign up, confirm with the code in the mail, then sign in:',
    signUp,
    `  curl ${url}/verify -d ${proof}`,
    signIn,
  ]
}

const operatorLines = (url: string, serviceToken: string): string[] => [
  '',
  'Act as an operator (this token grants full access for 12 hours):',
  `  export SERVICE_TOKEN=${serviceToken}`,
  `  curl ${url}/admin/users -H "authorization: Bearer $SERVICE_TOKEN" \\`,
  `    -d '{"email":"grace@example.com","password":"correct horse","email_confirm":true}'`,
]

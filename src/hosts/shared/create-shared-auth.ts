import type { Capability } from '../../capabilities/capability.ts'
import { type CapabilityHost, capabilityHostOf } from '../../capabilities/capability-host.ts'
import { isProduction } from '../../platform/config/check-config.ts'
import type { AuthConfig } from '../../platform/config/config.ts'
import { givenConfigOf, withGivenConfig } from '../../platform/config/given-config.ts'
import { type AnswerRequest, answering, capabilityHost } from '../../platform/http/answer.ts'
import { memoize } from '../../platform/kit/memoize.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { silentLogger, stderrLogger } from '../../platform/observability/logger.ts'
import { type AdminApi, adminMethods } from '../../service/api/admin-api.ts'
import type { Auth } from '../../service/api/auth.ts'
import { type AuthMethods, authMethods } from '../../service/api/auth-api.ts'
import { lazily } from '../../service/api/lazily.ts'
import { type OauthApi, oauthMethods } from '../../service/api/oauth-api.ts'
import { type OutboxApi, outboxMethods } from '../../service/api/outbox-api.ts'
import { createAuth } from '../../service/create-auth.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { CookieSessionOptions } from '../cookie-sessions/cookie-terms.ts'
import { createCookieSessions } from '../cookie-sessions/create-cookie-sessions.ts'
import { type ConfigData, changedPaths, dataOf, withLatestFunctions } from './shared-config.ts'

/** Options of a shared service. */
export interface SharedAuthOptions {
  /**
   * Options of the cookie sessions. Default: the origin of `siteUrl`; `development` if that has no
   * TLS, which only names of this machine may lack.
   */
  cookies?: Partial<CookieSessionOptions> | undefined
  /** Distinguishes several services of a process. Default `auth`. */
  name?: string | undefined
}

/** A service with cookie sessions, shared by all modules of a process. */
export interface SharedAuth {
  auth: Auth
  sessions: CookieSessions
}

/**
 * Creates a service with cookie sessions that all modules of a process share, for hosts that bundle
 * a module several times or reload it, such as Next and Vite. The first use of `auth` or `sessions`
 * reads the settings: a build loads the module without them.
 *
 * When a module is reloaded with other settings, a service with these replaces the former one,
 * which ends first; the log names the settings. Changed functions, such as hooks, take effect
 * without that.
 *
 * In production, modules with different settings are an error of each use.
 *
 * @example
 * export const { auth, sessions } = createSharedAuth(() => ({
 *   siteUrl: process.env.SITE_URL ?? 'http://localhost:3000',
 *   basePath: '/auth',
 * }))
 */
export function createSharedAuth(
  config: () => AuthConfig,
  { name = 'auth', cookies = {} }: SharedAuthOptions = {},
): SharedAuth {
  const slots = openSlots()
  const slot = slots.get(name) ?? createSlot(name)
  slots.set(name, slot)
  slot.offer({ config, cookies })
  return slot.shared
}

/** The settings of a module, not read so far. */
interface Offer {
  config(): AuthConfig
  cookies: Partial<CookieSessionOptions>
}

interface Slot {
  shared: SharedAuth
  /** Replaces the settings at the next use. */
  offer(offer: Offer): void
}

/**
 * The services of this process, by name. Bundles have copies of this module, so the table belongs
 * to the global object.
 */
function openSlots(): Map<string, Slot> {
  const key = Symbol.for('latchkey.shared')
  const holder = globalThis as { [key]?: Map<string, Slot> }
  holder[key] ??= new Map()
  return holder[key]
}

/** A service, and its cookie sessions once they are used. */
interface Running {
  auth: Auth
  data: ConfigData
  cookies: CookieSessionOptions
  sessions?: CookieSessions
}

/** The maximum time that a replaced service has to end its requests. */
const maxEndMs = 10_000

function createSlot(name: string): Slot {
  let offered: Offer | undefined
  let latest: AuthConfig = {}
  let current: Running | undefined
  let ended: Promise<unknown> = Promise.resolve()
  const registered = new Set<Capability>()
  const enterOf = memoize((auth: Auth) =>
    memoize((capability: Capability) => capabilityHostOf(auth).register(capability)),
  )

  const running = (): Running => {
    if (current && !offered) return current
    const { config: read, cookies } = offered as Offer
    const config = read()
    const data = dataOf({ ...config, cookies })
    const changed = current ? changedPaths(current.data, data) : []
    if (current && changed.length > 0 && isProduction()) throw differentSettings(name, changed)
    if (!current || changed.length > 0) {
      const auth = createAuth(withLatestFunctions(config, () => latest))
      if (current) {
        logReplacement(config, changed)
        ended = endOf(current.auth)
      }
      for (const capability of registered) enterOf(auth)(capability)
      current = { auth, data, cookies: { ...defaultCookies(config), ...cookies } }
    }
    latest = config
    offered = undefined
    return current
  }
  /** Returns the service once the former one has ended: both would use the embedded database. */
  const entered = async (): Promise<Auth> => {
    const { auth } = running()
    await ended
    // Another one may have replaced it meanwhile.
    return running().auth === auth ? auth : entered()
  }
  const register: CapabilityHost['register'] = (capability) => {
    registered.add(capability)
    if (current) enterOf(current.auth)(capability)
    return async (work) => enterOf(await entered())(capability)(work)
  }
  const auth = sharedService({ now: () => running().auth, entered, register })
  const sessionsNow = (): CookieSessions => {
    const now = running()
    now.sessions ??= createCookieSessions(auth, now.cookies)
    return now.sessions
  }
  const sessions: CookieSessions = {
    open: async (...args) => sessionsNow().open(...args),
    finishFlow: async (...args) => sessionsNow().finishFlow(...args),
    fetch: async (...args) => sessionsNow().fetch(...args),
    app: { fetch: async (request) => sessionsNow().fetch(request) },
    get basePath() {
      return auth.basePath
    },
    signInUrl: (returnTo) => sessionsNow().signInUrl(returnTo),
    stepUpUrl: (step, returnTo) => sessionsNow().stepUpUrl(step, returnTo),
    get name() {
      return sessionsNow().name
    },
    auth,
  }
  return {
    shared: { auth, sessions },
    offer: (offer) => {
      offered = offer
    },
  }
}

interface Present {
  /** Returns the present service, for members that need no runtime. */
  now(): Auth
  entered(): Promise<Auth>
  register: CapabilityHost['register']
}

/** Returns a service that stands for the present one. */
function sharedService({ now, entered, register }: Present): Auth {
  const fetch: Auth['fetch'] = async (...args) => (await entered()).fetch(...args)
  const answer: AnswerRequest = async (request) => {
    const { app } = await entered()
    return (app as object as { [answering]: AnswerRequest })[answering](request)
  }
  const capabilities: CapabilityHost = {
    get logger() {
      return capabilityHostOf(now()).logger
    },
    register,
  }
  const app = { fetch: (request: Request) => fetch(request), [answering]: answer }
  const auth: Auth & { [capabilityHost]: CapabilityHost } = {
    fetch,
    get basePath() {
      return now().basePath
    },
    app,
    api: {
      ...lazily<AuthMethods>(authMethods, async (call) => call((await entered()).api)),
      oauth: lazily<OauthApi>(oauthMethods, async (call) => call((await entered()).api.oauth)),
    },
    admin: lazily<AdminApi>(adminMethods, async (call) => call((await entered()).admin)),
    outbox: lazily<OutboxApi>(outboxMethods, async (call) => call((await entered()).outbox)),
    callOptions: (...args) => now().callOptions(...args),
    mailboxUrl: async () => (await entered()).mailboxUrl(),
    ready: async () => (await entered()).ready(),
    runDueWork: async (options) => (await entered()).runDueWork(options),
    close: async () => (await entered()).close(),
    verifyToken: async (accessToken) => (await entered()).verifyToken(accessToken),
    requireUser: (async (...args: Parameters<Auth['requireUser']>) =>
      (await entered()).requireUser(...args)) as Auth['requireUser'],
    protectedResource: (options) => {
      const present = () => now().protectedResource(options)
      const { metadata, metadataUrl, metadataPath } = present()
      return {
        metadata,
        metadataUrl,
        metadataPath,
        verify: async (...args) => (await entered()).protectedResource(options).verify(...args),
        reject: (error) => present().reject(error),
        protect: async (...args) => (await entered()).protectedResource(options).protect(...args),
      }
    },
    [capabilityHost]: capabilities,
  }
  return withGivenConfig(auth, () => givenConfigOf(now()) as AuthConfig)
}

function defaultCookies({ siteUrl = '' }: AuthConfig): CookieSessionOptions {
  const url = URL.parse(siteUrl)
  return { origin: url?.origin ?? siteUrl, development: url?.protocol === 'http:' }
}

const logReplacement = ({ logger = stderrLogger }: AuthConfig, settings: readonly string[]): void =>
  (logger || silentLogger).warn(
    { settings },
    'settings changed; a service with the new ones replaces the former',
  )

/** Waits until a service has ended, at most for a time: a request may wait for the next service. */
const endOf = (auth: Auth): Promise<void> =>
  withinTime(auth.close(), maxEndMs, () => new Error('the former service has not ended')).catch(
    () => {},
  )

const differentSettings = (name: string, settings: readonly string[]): Error =>
  new Error(
    `createSharedAuth: modules of this process have different settings for ${name}: ${settings.join(', ')}. ` +
      'Name each of several services: createSharedAuth(config, { name })',
  )

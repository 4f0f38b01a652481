import { randomBytes } from 'node:crypto'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { noCookieSession } from '../../platform/errors/request-errors.ts'
import { sha256 } from '../../platform/kit/digest.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { type AuthMethods, authMethods, type FirstArgument } from '../../service/api/auth-api.ts'
import type { CallOptions } from '../../service/api/call-options.ts'
import type { SessionService } from '../../service/api/session-service.ts'
import type { KeptTokens } from './cookie-host.ts'
import type { SignedInViewer } from './signed-in-viewer.ts'

/**
 * The methods of `auth.api`, bound to the session of a request. The access token of the session and
 * the call options of the request are supplied: `session.api.getUser()`. A session in a result is
 * stored in the cookies. The cookies are removed when a call ends the session, or finds it ended.
 *
 * Links in mails and sign-ins by a provider lead back with a code for `session.exchangeCode`. Its
 * code verifier is stored in a cookie. A `redirectTo` that begins with `/` is a path of the
 * application.
 */
export type SessionApi = {
  readonly [Name in keyof AuthMethods as Exclude<Name, UnboundMethod>]: Bound<AuthMethods[Name]>
}

/** The methods that only read, for code that cannot set cookies. */
export type ReadingApi = Pick<
  SessionApi,
  | 'getProviderToken'
  | 'getRecoveryCodes'
  | 'getUser'
  | 'listPasskeys'
  | 'listSessions'
  | 'listTrustedDevices'
>

/** Methods in whose place a session has others: `open` renews, `exchangeCode` has the verifier. */
type UnboundMethod = 'exchangeCodeForSession' | 'explainRedirect' | 'refreshSession'

type Bound<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: BoundArgs<Args, FirstArgument<Method>>) => Result
  : never

type BoundArgs<Args extends readonly unknown[], First> = First extends 'options'
  ? []
  : BoundInput<NonNullable<Args[0]>> extends infer Input
    ? keyof Input extends never
      ? []
      : Partial<Input> extends Input
        ? [input?: Input]
        : [input: Input]
    : never

type BoundInput<Input> = Input extends unknown ? Omit<Input, keyof Supplied> : never

/** The fields that the session supplies. An input may be a form, so its own are ignored. */
interface Supplied {
  accessToken: string | undefined
  codeChallenge: string | undefined
  codeChallengeMethod: 's256' | undefined
}

type Method = keyof SessionApi

/** Methods whose input may contain a code challenge. */
type LinkMethod = {
  [Name in Method]: 'codeChallenge' extends keyof NonNullable<Parameters<AuthMethods[Name]>[0]>
    ? Name
    : never
}[Method]

type Input = Readonly<Record<string, unknown>>

const always = (): boolean => true
const byEmail = ({ email }: Input): boolean => Boolean(email)

/** Reports whether a call starts a flow that leads back to this browser. */
const leadsBack: { readonly [Name in LinkMethod]: (input: Input) => boolean } = {
  signUp: byEmail,
  signInWithOtp: byEmail,
  resend: byEmail,
  updateUser: byEmail,
  resetPasswordForEmail: always,
  signInWithOAuth: always,
  linkIdentity: always,
}

/** Reports whether a successful call ends the session. */
const endings: { readonly [Name in Method]?: (input: Input, sessionId: string) => boolean } = {
  signOut: ({ scope }) => scope !== 'others',
  deleteUser: always,
  revokeSession: ({ sessionId }, own) => String(sessionId).toLowerCase() === own,
}

const unbound: { readonly [Name in UnboundMethod]: true } = {
  exchangeCodeForSession: true,
  explainRedirect: true,
  refreshSession: true,
}

/** The session of a request, as its methods use it. */
export interface BoundSession {
  /** The origin of the application. */
  origin: string
  auth: Pick<SessionService, 'api'>
  viewer(): SignedInViewer | null
  callOptions(): CallOptions
  /** Null for the session of a bearer token, which is not stored in cookies. */
  cookies: BoundCookies | null
}

interface BoundCookies {
  /** Throws if this request may set no cookie. */
  requireOwn(): void
  keep(session: KeptTokens): Promise<void>
  discard(): void
  /** Stores a code verifier, in the form of `@supabase/auth-js`. */
  storeVerifier(item: string): void
}

/** Returns the methods of `auth.api`, bound to a session. */
export function createSessionApi(session: BoundSession): SessionApi {
  const names = Object.keys(authMethods).filter((name) => !Object.hasOwn(unbound, name))
  const methods = names.map((name) => [
    name,
    (input?: object) => call(session, name as Method, { ...input }),
  ])
  return Object.fromEntries(methods) as SessionApi
}

async function call(session: BoundSession, name: Method, input: Input): Promise<unknown> {
  const { auth, cookies } = session
  cookies?.requireOwn()
  const method = auth.api[name] as (...args: unknown[]) => Promise<unknown>
  if (authMethods[name] === 'options') return method(session.callOptions())
  const viewer = callerOf(session, name, input)
  const flow = cookies && startFlow(name, input)
  const supplied: Supplied = {
    accessToken: viewer?.accessToken,
    codeChallenge: flow?.codeChallenge,
    codeChallengeMethod: flow ? 's256' : undefined,
  }
  let result: unknown
  try {
    const target = targetOf(session, input)
    result = await method({ ...input, ...target, ...supplied }, session.callOptions())
  } catch (error) {
    const hasEnded = viewer !== null && isEndOfCaller(error)
    if (hasEnded) cookies?.discard()
    // Signed out elsewhere before.
    if (hasEnded && name === 'signOut') return undefined
    throw error
  }
  if (flow) cookies?.storeVerifier(flow.item)
  if (viewer?.sessionId && endings[name]?.(input, viewer.sessionId)) cookies?.discard()
  const tokens = tokensOf(result)
  if (tokens) await cookies?.keep(tokens)
  return result
}

/**
 * Returns the user that a method acts for; null for a method without one.
 *
 * @throws AuthError `no_authorization` (401) if there is none.
 */
function callerOf(
  session: BoundSession,
  name: Method,
  { linkIdentity }: Input,
): SignedInViewer | null {
  const links = name === 'signInWithIdToken' && linkIdentity === true
  if (authMethods[name] !== 'bearer' && !links) return null
  const viewer = session.viewer()
  if (!viewer) throw noCookieSession()
  return viewer
}

/** Returns the redirect target as a URL, where the input contains a path of the application. */
const targetOf = ({ origin }: BoundSession, { redirectTo }: Input): { redirectTo?: string } =>
  typeof redirectTo === 'string' && redirectTo.startsWith('/')
    ? { redirectTo: origin + redirectTo }
    : {}

/** Returns the code challenge of a flow, and the item of its verifier. @see RFC 7636 §4.1 */
function startFlow(name: Method, input: Input): { codeChallenge: string; item: string } | null {
  const known: Readonly<Record<string, (input: Input) => boolean>> = leadsBack
  if (!known[name]?.(input)) return null
  const codeVerifier = randomBytes(32).toString('base64url')
  // A client of the page reports a recovery by the suffix.
  const suffix = name === 'resetPasswordForEmail' ? '/recovery' : ''
  return {
    codeChallenge: sha256(codeVerifier).toString('base64url'),
    item: JSON.stringify(codeVerifier + suffix),
  }
}

const callerEnds: ReadonlySet<string> = new Set([
  'session_expired',
  'session_not_found',
  'user_banned',
  'user_not_found',
])

/** Reports whether the session of the caller has ended. A 404 concerns another object. */
export const isEndOfCaller = (error: unknown): boolean =>
  error instanceof AuthError && error.status === 403 && callerEnds.has(error.code)

function tokensOf(result: unknown): KeptTokens | null {
  const { session } = isRecord(result) ? result : {}
  if (!isRecord(session)) return null
  const { accessToken, refreshToken } = session
  const isSession = typeof accessToken === 'string' && typeof refreshToken === 'string'
  return isSession ? { accessToken, refreshToken } : null
}

import type { H3Event } from 'h3'
import { cookieOf } from '../../platform/http/browser-cookie.ts'
import { seal, unseal } from '../../platform/kit/sealed-box.ts'
import type { PagesHost } from './pages-host.ts'
import type { TextKey } from './texts/en.ts'

/** The step that a sent message belongs to. */
export interface SentStep {
  kind: 'signup' | 'otp' | 'recovery' | 'email_change' | 'phone_change'
  email?: string
  phone?: string
}

/** A redirect to a provider, or a sent link, that may return to the pages with a code. */
export interface StartedFlow {
  id: string
  verifier: string
  kind: SentStep['kind'] | 'provider' | 'link'
}

/** The state of a browser before its session, and between the steps of a flow. */
export interface PreSession {
  /** A secret that form tokens are derived from. */
  id: string
  startedAt: number
  /** The language that the user chose. */
  language?: string
  sent?: SentStep
  flows?: StartedFlow[]
  /** A challenge of a second factor. */
  challenge?: { id: string; factorId: string }
  notice?: TextKey
  /** Whether the session is that of an accepted invitation, without a password so far. */
  isInvited?: boolean
  /** The digest of the redirect target of a page that requires the enrollment of a factor. */
  enrollsFor?: string
  /** A notice of the console, in the language of its page. */
  consoleNotice?: string
}

const lifetimeMs = 24 * 60 * 60 * 1000
/** Names the content, so that no other sealed value is accepted. */
const context = 'pages-pre-session'

const nameOf = ({ cookies }: PagesHost): string => `${cookies.terms.prefix}latchkey-pages`

/** Reads the state of a browser; null if it has none, an altered or an expired one. */
export function readPreSession(host: PagesHost, event: H3Event): PreSession | null {
  const box = cookieOf(event, nameOf(host), /^v2\.[\w.-]{20,3500}$/)
  if (box === null) return null
  try {
    const state = JSON.parse(unseal(host.deps.roots, context, box)) as PreSession
    const age = host.deps.clock.now().getTime() - state.startedAt
    return age < lifetimeMs ? state : null
  } catch {
    return null
  }
}

export const newPreSession = ({ deps: { random, clock } }: PagesHost): PreSession => ({
  id: random.hex(16),
  startedAt: clock.now().getTime(),
})

/**
 * Returns the `Set-Cookie` header that stores the state. Providers redirect to the pages from their
 * own site, so it is `Lax`.
 */
export function keepPreSession(host: PagesHost, state: PreSession): string {
  const secure = host.cookies.terms.prefix === '' ? '' : '; Secure'
  const box = seal(host.deps.roots, context, JSON.stringify(state))
  return `${nameOf(host)}=${box}; Path=/; Max-Age=${lifetimeMs / 1000}; HttpOnly; SameSite=Lax${secure}`
}

/** Returns whether this browser has started a flow, and it has not ended. */
export const hasFlow = ({ flows }: PreSession, id: string | undefined): boolean =>
  flows?.some((flow) => flow.id === id) ?? false

/** Returns a started flow and removes it; null if this browser has not started it. */
export function endFlow(state: PreSession, id: string | undefined): StartedFlow | null {
  const found = state.flows?.find((flow) => flow.id === id) ?? null
  state.flows = (state.flows ?? []).filter((flow) => flow !== found)
  return found
}

import { type AuthError, GoTrueClient, type Session } from '@supabase/auth-js'
import { vi } from 'vitest'

/** The unmodified client, and what it asked for: `POST /token?grant_type=password`, in order. */
export interface RecordingClient extends GoTrueClient {
  requests: string[]
}

/** Where a client keeps its session. Two clients with one storage are one browser before and after a reload. */
export interface ClientStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
  isEmpty(): boolean
  /** Rewrites the stored session. */
  change(edit: (session: Session) => Session): void
}

export interface ClientOptions {
  storage?: ClientStorage
  /** Sent with every request, as an operator's client does. */
  token?: string
  /** What links end in: a session, or a code for one. Default `implicit`. */
  flowType?: FlowType
  /** Whether the redirect of a link says which of several code verifiers is its own. Default false. */
  namesFlows?: boolean
}

export type FlowType = 'implicit' | 'pkce'

const storageKey = 'session'

export function createStorage(): ClientStorage {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    isEmpty: () => items.size === 0,
    change: (edit) => {
      const stored = items.get(storageKey)
      if (stored === undefined) throw new Error('there is no session in this storage')
      items.set(storageKey, JSON.stringify(edit(JSON.parse(stored))))
    },
  }
}

/** A client of its own, which renews its session when asked to and not in the background. */
export function openClient(url: string, options: ClientOptions = {}): RecordingClient {
  return newClient(url, options, { detectSessionInUrl: false })
}

/** What a page makes of the URL that a link led to. */
export interface Landing {
  client: RecordingClient
  /** From what the URL says, or from the exchange of its code. */
  error: AuthError | null
  session: Session | null
  /** The URL that is left when the client has taken out what is for nobody else. */
  url: string
}

/**
 * Opens a client in a page of this URL, as a browser does that a link led there. The client believes in
 * a browser when there are `window` and `document`: no more of one is there.
 */
export async function landOn(
  page: string,
  url: string,
  options: ClientOptions = {},
): Promise<Landing> {
  // Made outside the page, where it looks for no other tabs.
  const client = newClient(url, options, { detectSessionInUrl: true, skipAutoInitialize: true })
  const location = new URL(page)
  const replaceState = (_state: unknown, _title: string, next: string) => {
    location.href = next
  }
  vi.stubGlobal('window', { location, history: { state: null, replaceState } })
  vi.stubGlobal('document', { visibilityState: 'visible' })
  try {
    const { error } = await client.initialize()
    const { data } = await client.getSession()
    return { client, error, session: data.session, url: location.href }
  } finally {
    vi.unstubAllGlobals()
  }
}

function newClient(
  url: string,
  options: ClientOptions,
  arrival: { detectSessionInUrl: boolean; skipAutoInitialize?: boolean },
): RecordingClient {
  const requests: string[] = []
  const client = new GoTrueClient({
    url,
    storageKey,
    storage: options.storage ?? createStorage(),
    flowType: options.flowType ?? 'implicit',
    experimental: {
      appendPkceFlowIdToRedirects: options.namesFlows ?? false,
      passkey: true,
      recoveryCodes: true,
    },
    autoRefreshToken: false,
    persistSession: true,
    ...arrival,
    ...(options.token && { headers: { Authorization: `Bearer ${options.token}` } }),
    fetch: (input, init) => {
      requests.push(`${init?.method ?? 'GET'} ${String(input).slice(url.length)}`)
      return fetch(input, init)
    },
  })
  return Object.assign(client, { requests })
}

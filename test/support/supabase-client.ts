import { type AuthError, GoTrueClient, type Session } from '@supabase/auth-js'
import { vi } from 'vitest'

/** The unmodified client, and its requests in order: `POST /token?grant_type=password`. */
export interface RecordingClient extends GoTrueClient {
  requests: string[]
}

/**
 * The storage of a client's session. Two clients with one storage are one browser before and after
 * a reload.
 */
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
  /** The token of every request, as in an operator's client. */
  token?: string
  /** The result of links: a session, or a code for one. Default `implicit`. */
  flowType?: FlowType
  /** True where the redirect of a link states which code verifier belongs to it. Default false. */
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

/** Creates a client that renews its session on request, and not in the background. */
export function openClient(url: string, options: ClientOptions = {}): RecordingClient {
  return newClient(url, options, { detectSessionInUrl: false })
}

/** The result of opening the URL of a link in a page. */
export interface Landing {
  client: RecordingClient
  /** From the URL, or from the exchange of its code. */
  error: AuthError | null
  session: Session | null
  /** The URL after the client has removed its own parameters. */
  url: string
}

/**
 * Opens a client in a page with this URL, as a browser does after a redirect. The client detects a
 * browser by `window` and `document`, which have the required members only.
 */
export async function landOn(
  page: string,
  url: string,
  options: ClientOptions = {},
): Promise<Landing> {
  // Created outside the page, where it does not look for other tabs.
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
  detection: { detectSessionInUrl: boolean; skipAutoInitialize?: boolean },
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
    ...detection,
    ...(options.token && { headers: { Authorization: `Bearer ${options.token}` } }),
    fetch: (input, init) => {
      requests.push(`${init?.method ?? 'GET'} ${String(input).slice(url.length)}`)
      return fetch(input, init)
    },
  })
  return Object.assign(client, { requests })
}

import { GoTrueClient, type Session } from '@supabase/auth-js'

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
}

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
  const requests: string[] = []
  const client = new GoTrueClient({
    url,
    storageKey,
    storage: options.storage ?? createStorage(),
    autoRefreshToken: false,
    persistSession: true,
    detectSessionInUrl: false,
    ...(options.token && { headers: { Authorization: `Bearer ${options.token}` } }),
    fetch: (input, init) => {
      requests.push(`${init?.method ?? 'GET'} ${String(input).slice(url.length)}`)
      return fetch(input, init)
    },
  })
  return Object.assign(client, { requests })
}

/** The operations that are measured over HTTP. */
export type Operation =
  | 'sign-up'
  | 'sign-in'
  | 'refresh'
  | 'get-user'
  | 'sign-out'
  | 'otp'
  | ConstantOperation
  | 'sign-in-page'

/** The operations whose response is the same for all requests. */
export type ConstantOperation = 'health' | 'settings' | 'keys'

/** A request before it is encoded. */
export interface Ask {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  /** Sent as a form, or otherwise as JSON. */
  body?: URLSearchParams | object
}

/** The rows of a table that are copied from the template user, once for each `n`. */
export interface Copies {
  table: string
  /** A condition that selects the rows of the template. */
  of: string
  /** The changes of a copy: expressions over `n` and the row `t`, by column. */
  changes: Record<string, string>
}

/** A kind of server: its start, its users and its requests. */
export interface Target {
  /** The name in tables. */
  name: string
  /** The script of the server, below `bench/`, and its arguments after the database's URL. */
  server: [script: string, ...args: string[]]
  users: Copies[]
  sessions: Copies[]
  /**
   * Returns the request of user `n`. A missing operation is not supported.
   *
   * @param times how often the user has performed it before.
   */
  asks: Partial<Record<Operation, (n: number, times: number) => Ask>>
}

/** What is measured over HTTP. */
export type Operation = 'sign-up' | 'sign-in' | 'refresh' | 'get-user' | 'sign-out'

/** One request, before it becomes bytes. */
export interface Ask {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
}

/** How rows of a table are copied from the template user's, once for each `n`. */
export interface Copies {
  table: string
  /** Which rows are the template's, as a condition. */
  of: string
  /** What differs in a copy: expressions over `n` and the row `t`, by column. */
  changes: Record<string, string>
}

/** How one kind of server is started, peopled and asked. */
export interface Target {
  /** What tables call it. */
  name: string
  /** The script that serves it, below `bench/`, and what it is told after the database's URL. */
  server: [script: string, ...args: string[]]
  users: Copies[]
  sessions: Copies[]
  /**
   * The request with which person `n` does it; what is missing cannot be done.
   *
   * @param times how often the person has done it before.
   */
  asks: Partial<Record<Operation, (n: number, times: number) => Ask>>
}

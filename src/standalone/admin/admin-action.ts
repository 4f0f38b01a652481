import type { ParseArgsConfig } from 'node:util'
import type { Deps } from '../../accounts/auth-context.ts'
import type { AdminApi } from '../../service/api/admin-api.ts'
import { UsageError } from '../command-error.ts'
import type { AdminReader } from '../operator.ts'

export interface AdminRequest {
  admin: AdminApi
  deps: Deps
  words: string[]
  flags: Record<string, string | boolean | (string | boolean)[] | undefined>
}

export interface ReadingRequest extends Omit<AdminRequest, 'admin' | 'deps'> {
  admin: AdminReader
}

/** The result of an action: `value` for programs, rows and columns as a table for people. */
export interface AdminResult {
  value: unknown
  columns: readonly string[]
  rows: string[][]
  /** A note printed below the table for people. */
  remark?: string
  /** Text written unchanged, in place of a table. */
  document?: AsyncIterable<string>
}

interface ActionUsage {
  /** The words after the action's name, as in `USER [--soft]`, and how many there may be. */
  takes: string
  words: { min: number; max: number }
  options?: ParseArgsConfig['options']
  /** Rejects words and flags that no service would accept, before one is opened. */
  check?(request: Pick<AdminRequest, 'words' | 'flags'>): void
  /** The words of fields, for errors about them. */
  names?: Readonly<Record<string, string>>
}

/** An action that only reads: it requires the settings of the database alone. */
interface ReadingAction extends ActionUsage {
  reads: true
  run(request: ReadingRequest): Promise<AdminResult>
}

interface ServiceAction extends ActionUsage {
  reads?: never
  run(request: AdminRequest): Promise<AdminResult>
}

export type AdminAction = ReadingAction | ServiceAction

export const text = { type: 'string' } as const
export const flag = { type: 'boolean' } as const

/** A range for exactly this number of words. */
export const exactly = (count: number) => ({ min: count, max: count })

/** A result with one row. */
export const show = (value: unknown, cells: Record<string, string>): AdminResult => ({
  value,
  columns: Object.keys(cells),
  rows: [Object.values(cells)],
})

/** A remark that names the cursor of the next page. */
export const remarkOn = (cursor: string | null) =>
  cursor === null ? {} : { remark: `There are more: --cursor ${cursor}` }

export function readLimit(name: string, flags: AdminRequest['flags']): number | undefined {
  const { limit } = textOf(flags, 'limit')
  if (limit === undefined) return undefined
  if (!/^\d{1,9}$/.test(limit)) throw new UsageError(`admin ${name}: --limit must be a number`)
  return Number(limit)
}

/** Returns a flag's value under its name, or an empty object if the flag is absent. */
export const textOf = <Name extends string>(
  flags: AdminRequest['flags'],
  name: Name,
): { [name in Name]?: string } =>
  (typeof flags[name] === 'string' ? { [name]: flags[name] } : {}) as { [name in Name]?: string }

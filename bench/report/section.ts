import type { Table } from './table.ts'

/** One measure: its description, its figures, and their comparison with the limits. */
export interface Section {
  title: string
  /** Explains the table. */
  note: string
  table: Table
  bars: Bar[]
}

/** A figure that has a limit. */
export interface Bar {
  what: string
  measured: number
  unit: '×' | 'ms' | 'µs' | 'MB' | 'bytes' | ''
  /** The limit, and its direction. */
  limit: { atMost: number } | { atLeast: number }
}

export const isReached = ({ measured, limit }: Bar): boolean =>
  'atMost' in limit ? measured <= limit.atMost : measured >= limit.atLeast

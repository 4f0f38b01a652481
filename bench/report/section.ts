import type { Table } from './table.ts'

/** One measure: what it is, its figures, and how they stand against the bars. */
export interface Section {
  title: string
  /** What one has to know to read the table. */
  note: string
  table: Table
  bars: Bar[]
}

/** A figure that has a limit. */
export interface Bar {
  what: string
  measured: number
  unit: '×' | 'ms' | 'MB' | 'bytes' | ''
  /** Which side of the limit is good. */
  limit: { atMost: number } | { atLeast: number }
}

export const isReached = ({ measured, limit }: Bar): boolean =>
  'atMost' in limit ? measured <= limit.atMost : measured >= limit.atLeast

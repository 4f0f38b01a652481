import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { describeSettings } from '../kit/database.ts'
import type { Plan } from '../plan.ts'
import { type Bar, isReached, type Section } from './section.ts'
import { digits, printTable } from './table.ts'

/** Formats a section as Markdown. */
export const printSection = ({ title, note, table }: Section): string =>
  `## ${title}\n\n${note}\n\n${printTable(table)}\n`

/** Formats the required limits beside the measured values, the missed ones first. */
export function printBars(sections: Section[]): string {
  const bars = sections.flatMap((section) => section.bars)
  const missed = bars.filter((bar) => !isReached(bar))
  const reached = bars.filter(isReached)
  return [
    ...tableOfBars(`Missed bars: ${missed.length} of ${bars.length}`, missed),
    ...tableOfBars('Reached bars', reached),
  ].join('\n')
}

function tableOfBars(title: string, bars: Bar[]): string[] {
  if (bars.length === 0) return []
  const rows = bars.map((bar) => [bar.what, withUnit(bar, bar.measured), limitOf(bar)])
  return [`## ${title}\n\n${printTable([['what', 'measured', 'bar'], ...rows])}\n`]
}

const limitOf = (bar: Bar): string =>
  'atMost' in bar.limit
    ? `≤ ${withUnit(bar, bar.limit.atMost)}`
    : `≥ ${withUnit(bar, bar.limit.atLeast)}`

function withUnit({ unit }: Bar, value: number): string {
  const text = Number.isInteger(value) ? `${value}` : digits(value)
  return unit === '' ? text : `${text} ${unit}`
}

export interface Circumstances {
  plan: Plan
  postgresVersion: string
  seconds: number
}

/** Describes the date, the machine and the method of the measurement. */
export const printCircumstances = ({ plan, postgresVersion, seconds }: Circumstances): string =>
  [
    `Measured on ${new Date().toISOString().slice(0, 10)} in ${Math.round(seconds / 60)} minutes:`,
    `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB of memory,`,
    `Node ${process.versions.node}, PostgreSQL ${postgresVersion}, Better Auth ${versionOf('better-auth')}.`,
    `Each figure is the median of ${plan.rounds} rounds, in which the targets alternate; a ratio is formed within a`,
    'round. Servers, PostgreSQL and the load share the cores.',
    `PostgreSQL: ${describeSettings}.`,
  ].join('\n')

function versionOf(name: string): string {
  const path = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(path, 'utf8')).version
}

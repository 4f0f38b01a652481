import { runSql } from '../../test/support/sql.ts'
import type { Bench } from '../bench.ts'
import type { ImportFigures } from './admin-looks.ts'
import { type Child, startChild } from './child-process.ts'
import { createDatabase } from './database.ts'
import { vacuum } from './site.ts'

/** A database with a number of users, and the process that works on it. */
export interface Office {
  size: number
  databaseUrl: string
  worker: Child
  imported: ImportFigures
}

/** Fills a database with users through the import. */
export async function openOffice({ postgres }: Bench, size: number): Promise<Office> {
  const databaseUrl = await createDatabase(postgres, `admin_${size}`)
  await runSql(databaseUrl, 'create extension pg_trgm')
  const worker = await startChild('targets/latchkey/admin.ts', databaseUrl)
  const imported = await worker.ask<ImportFigures>('import', size)
  await vacuum({ databaseUrl })
  return { size, databaseUrl, worker, imported }
}

/** Returns whether bars apply: with few users the times are dominated by other costs. */
export const isAMillion = ({ size }: Office): boolean => size >= 1_000_000

/** Returns the number of users in words. */
export const sizeOf = ({ size }: Office): string => size.toLocaleString('en')

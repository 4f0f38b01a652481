import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEmptyDatabase, type TestDatabase } from '../database.ts'
import { runSql } from '../sql.ts'

/** The keys that encrypt columns of people.sql, in the form of settings. */
export const columnKeys = [
  'key-2023:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE',
  'key-2024:WlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlo',
].join()

/** Creates a database of the other service from files of this folder. */
export async function createSourceDatabase(...files: string[]): Promise<TestDatabase> {
  const database = await createEmptyDatabase()
  for (const file of files) {
    await runSql(database.url, readFileSync(join(import.meta.dirname, file), 'utf8'))
  }
  return database
}

/** Returns the content of the schema, table by table, for a comparison. */
export async function contentsOf(url: string): Promise<Record<string, unknown>> {
  const tables = await runSql(
    url,
    `select tablename as name from pg_tables where schemaname = 'auth'`,
  )
  const contents = tables.map(async ({ name }) => {
    const text = `select to_jsonb(t)::text as row from auth."${name}" t order by 1`
    return [name, await runSql(url, text)] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { databaseUrl, runSql } from './sql.ts'

/** A database for one test file. */
export interface TestDatabase {
  /** The URL in the form of `createAuth`: `postgres://…`. */
  url: string
  /** Closes remaining connections and drops the database. */
  drop(): Promise<void>
}

/**
 * Creates a database with every migration applied: a clone of the template, in a twentieth of a
 * second.
 */
export const createTestDatabase = (): Promise<TestDatabase> => createFrom(inject('testDatabase'))

/** Creates a database without any content, and without our schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template0')

async function createFrom(template: string): Promise<TestDatabase> {
  const server = inject('databaseUrl')
  // Databases with the template's name as prefix are dropped when the run ends
  // (postgres-cluster.ts).
  const name = `${inject('testDatabase')}_${randomBytes(6).toString('hex')}`
  // The files are copied: without it, the server logs each block and fills its cache with them.
  const clone = `create database "${name}" template "${template}" strategy file_copy`
  await whenFree(() => runSql(server, clone))

  return {
    url: databaseUrl(server, name),
    drop: async () => void (await runSql(server, `drop database if exists "${name}" with (force)`)),
  }
}

/**
 * Repeats a clone: PostgreSQL waits 5 s for other users of the template, then rejects it (55006).
 */
async function whenFree(clone: () => Promise<unknown>, attempts = 5): Promise<void> {
  try {
    await clone()
  } catch (error) {
    const busy = error instanceof Error && 'code' in error && error.code === '55006'
    if (!busy || attempts <= 1) throw error
    await sleep(20 + 40 * Math.random())
    await whenFree(clone, attempts - 1)
  }
}

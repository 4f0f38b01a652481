import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { databaseUrl, runSql } from './sql.ts'

/** A database that one test file has to itself. */
export interface TestDatabase {
  /** `postgres://…`, as `createAuth` takes it. */
  url: string
  /** Ends what is still connected and removes it. */
  drop(): Promise<void>
}

/** A database with every migration applied: a clone of the template, in a twentieth of a second. */
export const createTestDatabase = (): Promise<TestDatabase> => createFrom(inject('testDatabase'))

/** A database with nothing in it, not even our schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template0')

async function createFrom(template: string): Promise<TestDatabase> {
  const server = inject('databaseUrl')
  // What starts with the template's name is swept when the run ends (postgres-cluster.ts).
  const name = `${inject('testDatabase')}_${randomBytes(6).toString('hex')}`
  await whenFree(() => runSql(server, `create database "${name}" template "${template}"`))

  return {
    url: databaseUrl(server, name),
    drop: async () => void (await runSql(server, `drop database if exists "${name}" with (force)`)),
  }
}

/** PostgreSQL waits 5 s for others to leave the template, then refuses to clone it (55006). */
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

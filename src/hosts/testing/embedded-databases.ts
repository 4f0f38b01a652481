import { embeddedPostgresDriver } from '../../service/persistence/embedded-postgres.ts'
import { type OpenDatabase, openDatabase } from '../../service/persistence/open-database.ts'
import type { Namespace } from '../../service/persistence/table-names.ts'

interface Idle {
  database: OpenDatabase
  closing: NodeJS.Timeout
}

/** Idle embedded databases, by schema and prefix of their tables. Opening one takes a second. */
const idle = new Map<string, Idle[]>()

/** How long one waits for the next test. It keeps the process alive meanwhile. */
const idleMs = 500

/** Opens an embedded database in memory: an idle one of an earlier test, or a new one. */
export async function openEmbedded(place: Namespace): Promise<OpenDatabase> {
  const key = `${place.schema}.${place.namespace}`
  const waiting = idle.get(key) ?? []
  idle.set(key, waiting)
  const left = waiting.pop()
  clearTimeout(left?.closing)
  const database = left?.database ?? (await openDatabase(embeddedPostgresDriver(null), place))
  const leave = async () => {
    const one: Idle = { database, closing: setTimeout(() => void end(one), idleMs) }
    waiting.push(one)
  }
  const end = async (one: Idle) => {
    waiting.splice(waiting.indexOf(one), 1)
    await database.close()
  }
  return { ...database, close: leave }
}

import type { PasswordHasher } from '../../src/credentials/passwords/password-hasher.ts'
import type { AuthConfig } from '../../src/platform/config/config.ts'
import { createTestDatabase } from './database.ts'
import { startTestAuth, type TestAuth } from './test-auth.ts'
import { startWireProxy } from './wire-proxy.ts'

/** The cost of an operation: statements, and work of the processor. */
export interface Cost {
  statements: number
  trips: number
  /** The number of passwords that were hashed or verified. */
  hashes: number
  /** The names of the statements, in order. */
  names: (string | null)[]
}

/** A Latchkey whose only connection, already open, passes through a counting proxy. */
export interface MeteredAuth extends TestAuth {
  /** Returns the cost and the result of an operation. */
  measure<T>(act: () => Promise<T>): Promise<Cost & { result: T }>
}

export async function startMeteredAuth(config: AuthConfig = {}): Promise<MeteredAuth> {
  const database = await createTestDatabase()
  const proxy = await startWireProxy(database.url)
  const auth = await startTestAuth({ ...config, database: { url: proxy.url, maxPoolSize: 1 } })
  const deps = await auth.deps()
  const counted = countCalls(deps.passwords)
  deps.passwords = counted.hasher
  // Delivery of messages and writing of decisions run in the background, and are not measured.
  await deps.outbox.close()
  await deps.decisions.close()
  await auth.rows('select 1')

  return {
    ...auth,
    measure: async (act) => {
      proxy.reset()
      const before = counted.calls()
      const result = await act()
      const names = proxy.statements().map(({ name }) => name)
      return { ...proxy.counts(), hashes: counted.calls() - before, names, result }
    },
    close: async () => {
      await auth.close()
      await proxy.close()
      await database.drop()
    },
  }
}

function countCalls(hasher: PasswordHasher) {
  let calls = 0
  const counting = <Args extends unknown[], T>(call: (...args: Args) => T) => {
    return (...args: Args): T => {
      calls += 1
      return call(...args)
    }
  }
  return {
    calls: () => calls,
    hasher: {
      hash: counting(hasher.hash),
      verify: counting(hasher.verify),
      admits: hasher.admits,
      renew: hasher.renew,
      serialized: hasher.serialized,
      learn: hasher.learn,
      prefix: hasher.prefix,
    },
  }
}

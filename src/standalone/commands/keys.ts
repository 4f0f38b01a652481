import { keyEncryption, rotationPlan } from '../../access-tokens/open-key-ring.ts'
import { rotateNow } from '../../access-tokens/rotate-signing-keys.ts'
import {
  findAllSigningKeys,
  retireSigningKey,
  type SigningKeyRow,
} from '../../access-tokens/signing-keys.sql.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../kit/clock.ts'
import { systemRandom } from '../../kit/random.ts'
import type { OpenDatabase } from '../../persistence/open-database.ts'
import { openConfiguredDatabase } from '../../runtime.ts'
import { checkEnvironment } from '../environment.ts'
import { UsageError } from '../usage-error.ts'

type Action = (database: OpenDatabase, config: Config, args: string[]) => Promise<string[]>

const actions: Record<string, Action> = {
  list: async ({ sql }) => describeKeys(await findAllSigningKeys(sql)),
  rotate: async (database, config) => {
    const encryption = keyEncryption(config.encryptionKeys)
    const needs = { ...database, clock: systemClock, random: systemRandom, encryption }
    await rotateNow(needs, rotationPlan(config.jwt))
    return describeKeys(await findAllSigningKeys(database.sql))
  },
  retire: async ({ sql }, _config, [id]) => {
    if (!id) throw new UsageError('keys retire: which key? See latchkey keys list')
    const now = systemClock.now()
    requireSuccessor(await findAllSigningKeys(sql), id, now)
    await retireSigningKey(sql, id, now)
    return describeKeys(await findAllSigningKeys(sql))
  },
}

/** `latchkey keys list|rotate|retire ID`: the keys that Latchkey makes for access tokens. */
export async function keys([name = 'list', ...args]: string[]): Promise<void> {
  const action = actions[name]
  if (!action) throw new UsageError(`unknown: keys ${name}`)
  const { resolved } = checkEnvironment(process.env)
  const database = await openConfiguredDatabase(resolved)
  try {
    const lines = await action(database, resolved, args)
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  } finally {
    await database.close()
  }
}

/** The service must never be left without a key that signs now. */
function requireSuccessor(rows: SigningKeyRow[], id: string, now: Date): void {
  const live = rows.filter(({ retired_at: retiredAt }) => retiredAt === null)
  if (!live.some((row) => row.id === id)) throw new UsageError(`keys retire: no such key: ${id}`)
  const signs = (row: SigningKeyRow) => row.id !== id && new Date(row.signs_from) <= now
  if (live.some(signs)) return
  throw new UsageError('keys retire: no other key signs yet. Rotate first, and wait one overlap')
}

function describeKeys(rows: SigningKeyRow[]): string[] {
  const now = systemClock.now()
  const signing = rows.find((row) => row.retired_at === null && new Date(row.signs_from) <= now)
  return rows.map((row) => {
    const state = row.retired_at ? 'retired' : row === signing ? 'signs' : stateOf(row, now)
    const since = new Date(row.signs_from).toISOString()
    return `${row.id}  ${row.algorithm.padEnd(5)}  ${state.padEnd(9)}  signs from ${since}`
  })
}

const stateOf = (row: SigningKeyRow, now: Date): string =>
  new Date(row.signs_from) > now ? 'published' : 'verifies'

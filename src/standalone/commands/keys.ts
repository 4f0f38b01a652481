import { keyEncryption, rotationPlan } from '../../access-tokens/open-key-ring.ts'
import {
  type RotationNeeds,
  retireNow,
  rotateNow,
} from '../../access-tokens/rotate-signing-keys.ts'
import { findAllSigningKeys, type SigningKeyRow } from '../../access-tokens/signing-keys.sql.ts'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../kit/clock.ts'
import { systemRandom } from '../../kit/random.ts'
import type { OpenDatabase } from '../../persistence/open-database.ts'
import { openConfiguredDatabase } from '../../runtime.ts'
import { checkOperatorEnvironment } from '../operator.ts'
import { parseFlags, refuseWords } from '../parse-flags.ts'
import { unknownCommand } from '../usage.ts'
import { UsageError } from '../usage-error.ts'

type Action = (database: OpenDatabase, config: Config, args: string[]) => Promise<void>

const actions: Record<string, Action> = {
  list: async () => {},
  rotate: async (database, config) => {
    const { secrets, keys } = config.jwt
    if (secrets.length > 0 || keys !== null) {
      const setting = keys === null ? 'AUTH_JWT_SECRET' : 'AUTH_JWT_KEYS'
      throw new UsageError(`keys rotate: ${setting} signs, so a key that is made here would not`)
    }
    await rotateNow(needsOf(database, config), rotationPlan(config.jwt))
  },
  retire: async (database, config, [id]) => {
    if (!id) throw new UsageError('keys retire: which key? See latchkey keys list')
    const outcome = await retireNow(needsOf(database, config), id)
    if (outcome === 'unknown') throw new UsageError(`keys retire: no such key: ${id}`)
    if (outcome === 'signs alone') {
      throw new UsageError(
        'keys retire: no other key signs yet. Rotate first, and wait one overlap',
      )
    }
  },
}

const needsOf = ({ transaction }: OpenDatabase, { encryptionKeys }: Config): RotationNeeds => ({
  transaction,
  clock: systemClock,
  random: systemRandom,
  encryption: keyEncryption(encryptionKeys),
})

/** `latchkey keys list|rotate|retire ID`: the keys that Latchkey makes for access tokens. */
export async function keys(args: string[]): Promise<void> {
  const [name = 'list', ...words] = parseFlags('keys', args, {}).positionals
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('keys', name)
  refuseWords(`keys ${name}`, name === 'retire' ? words.slice(1) : words)
  const { resolved } = checkOperatorEnvironment(process.env)
  const database = await openConfiguredDatabase(resolved)
  try {
    await action(database, resolved, words)
    const lines = describeKeys(await findAllSigningKeys(database.sql))
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  } finally {
    await database.close()
  }
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

import { recordAlone } from '../../accounts/acts/record-act.ts'
import { countImportedTokens } from '../../accounts/sessions/imported-token-keys.sql.ts'
import {
  findAllSigningKeys,
  type SigningKeyRow,
} from '../../credentials/access-tokens/signing-keys.sql.ts'
import {
  retireSigningKey,
  rotateSigningKey,
} from '../../endpoints/admin-signing-keys/change-signing-keys.ts'
import type { Config } from '../../platform/config/config.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import { openCall } from '../../service/api/call-options.ts'
import { openConfiguredDatabase } from '../../service/persistence/open-configured-database.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { resolveRoots } from '../../service/resolve-roots.ts'
import {
  countSealedRows,
  describeCounts,
  describeTokens,
  type RootKeyUse,
  sealedColumns,
} from '../../service/sealed-rows.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { checkOperatorEnvironment, operator, storingParts } from '../operator.ts'
import { type Resealed, resealRows } from '../root-keys/reseal-rows.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseAction, rejectWords } from '../terminal/parse-flags.ts'
import { jsonForTerminal } from '../terminal/print-result.ts'
import { unknownCommand } from '../usage.ts'

interface Request {
  words: string[]
  json: boolean
}

type Action = (database: OpenDatabase, config: Config, request: Request) => Promise<void>

const actions: Record<string, Action> = {
  list: async (database, config, { json }) => {
    if (json) return printJson(database, config)
    await printSigningKeys(database)
    await printRootKeys(database, config)
  },
  reseal: async (database, config) => {
    // Signing keys are sealed with root keys and opened with them only.
    const columns = sealedColumns.filter(
      ({ table }) => table !== 'signing_keys' || config.encryptionKeys.length > 0,
    )
    // The entry precedes the work, which may be interrupted.
    await recordAlone(await contextOf(database, config), {
      action: 'root_keys_resealed',
      actorRole: operator.role,
    })
    const resealed = await resealRows(database.sql, await resolveRoots(config), { columns })
    print(describeResealed(resealed))
    await printRootKeys(database, config)
    if (resealed.busy > 0 || Object.keys(resealed.failures).length > 0) process.exitCode = 1
  },
  rotate: async (database, config) => {
    const { secrets, keys } = config.jwt
    if (secrets.length > 0 || keys !== null) {
      const [setting, remedy] =
        keys === null
          ? ['AUTH_JWT_SECRET', 'Move it to AUTH_ENCRYPTION_KEY first']
          : ['AUTH_JWT_KEYS', 'Remove it, and set AUTH_ENCRYPTION_KEY, first']
      throw new UsageError(
        `keys rotate: ${setting} is set, so generated keys are not used. ${remedy}`,
      )
    }
    await rotateSigningKey(await contextOf(database, config), operator)
    await printSigningKeys(database)
  },
  retire: async (database, config, { words: [id] }) => {
    if (!id) throw new UsageError('keys retire: which key? See latchkey keys list')
    const outcome = await retireSigningKey(await contextOf(database, config), operator, id)
    if (outcome === 'unknown') throw new CommandError(`keys retire: no such key: ${id}`)
    if (outcome === 'signs alone') {
      throw new CommandError(
        'keys retire: no other key signs yet. Rotate first, and wait one overlap',
      )
    }
    await printSigningKeys(database)
  },
}

const contextOf = async (database: OpenDatabase, config: Config) =>
  openCall(await storingParts(config, database))

/**
 * `latchkey keys list|rotate|retire ID|reseal`: the generated signing keys of access tokens, and
 * the root keys.
 */
export async function keys(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { name, words, values } = parseAction('keys', args, {
    options: { json: { type: 'boolean', default: false } },
    defaultName: 'list',
  })
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('keys', name)
  rejectWords(`keys ${name}`, name === 'retire' ? words.slice(1) : words)
  const needs = name === 'reseal' ? 'root keys' : 'generated keys'
  const { resolved } = checkOperatorEnvironment(process.env, { needs, code })
  const database = await openConfiguredDatabase(resolved)
  try {
    await action(database, resolved, { words, json: values.json })
  } finally {
    await database.close()
  }
}

const print = (lines: readonly string[]) =>
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))

const printSigningKeys = async ({ sql }: OpenDatabase) =>
  print(describeKeys(await findAllSigningKeys(sql)))

async function printRootKeys({ sql }: OpenDatabase, config: Config): Promise<void> {
  const roots = await resolveRoots(config)
  print((await countSealedRows(sql, roots)).map(describeRootKey))
  const hashed = await countImportedTokens(sql, roots)
  print(hashed.map((use) => describeKeyUse(use, describeTokens(use))))
}

async function printJson({ sql }: OpenDatabase, config: Config): Promise<void> {
  const roots = await resolveRoots(config)
  const rows = await findAllSigningKeys(sql)
  const value = {
    signingKeys: statesOf(rows).map(({ row, state }) => ({
      id: row.id,
      algorithm: row.algorithm,
      state,
      signsFrom: new Date(row.signs_from),
    })),
    rootKeys: (await countSealedRows(sql, roots)).map(({ keyId, state, counts, total }) => ({
      keyId,
      state,
      counts,
      total,
    })),
    importedTokens: await countImportedTokens(sql, roots),
  }
  print([jsonForTerminal(value)])
}

/** `root key 3f2a9c01e4b7  former   seals factors 10`. */
const describeRootKey = (use: RootKeyUse): string =>
  describeKeyUse(use, use.total === 0 ? 'seals nothing' : `seals ${describeCounts(use.counts)}`)

const describeKeyUse = ({ keyId, state }: Pick<RootKeyUse, 'keyId' | 'state'>, text: string) =>
  `root key ${keyId ?? '(no name)   '}  ${state.padEnd(7)}  ${text}`

function describeResealed({ counts, busy, failures }: Resealed): string[] {
  const sealed = Object.entries(counts).filter(([, values]) => values > 0)
  return [
    `sealed with the current key: ${describeCounts(Object.fromEntries(sealed)) || 'nothing was left to do'}`,
    ...(busy > 0 ? [`in use at this moment: ${busy}. Run latchkey keys reseal again`] : []),
    ...Object.entries(failures).map(([reason, values]) => `not opened: ${values} × ${reason}`),
  ]
}

const describeKeys = (rows: SigningKeyRow[]): string[] =>
  statesOf(rows).map(({ row, state }) => {
    const since = new Date(row.signs_from).toISOString()
    return `${row.id}  ${row.algorithm.padEnd(5)}  ${state.padEnd(9)}  signs from ${since}`
  })

function statesOf(rows: SigningKeyRow[]): { row: SigningKeyRow; state: string }[] {
  const now = systemClock.now()
  const signing = rows.find((row) => row.retired_at === null && new Date(row.signs_from) <= now)
  return rows.map((row) => ({
    row,
    state: row.retired_at ? 'retired' : row === signing ? 'signs' : stateOf(row, now),
  }))
}

const stateOf = (row: SigningKeyRow, now: Date): string =>
  new Date(row.signs_from) > now ? 'published' : 'verifies'

import { UsageError } from '../command-error.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { importGotrue } from './import-gotrue.ts'
import { importUsers } from './import-users.ts'

type Code = SettingsSources['code']

const kinds: Record<string, (args: string[], code: Code) => Promise<void>> = {
  users: importUsers,
  gotrue: importGotrue,
}

/**
 * `latchkey import …`: imports users from a file or another service into the configured database.
 */
export async function importFrom(
  [name = '', ...args]: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  // The message does not quote the word: it may be a URL with a password.
  if (!kind) throw new UsageError('import: import what? Expects `users` or `gotrue`')
  await kind(args, code)
}

import type { Config } from '../config.ts'
import { isGuessable } from '../parsers/guessable.ts'
import type { Rule } from './rule.ts'

const message =
  'is long but easy to guess, so that an attacker could sign tokens: generate one with `openssl rand -base64 32`'

/** Rejects guessable secrets in production; elsewhere they cause a warning. */
export const rejectGuessableSecrets =
  (production: boolean): Rule =>
  ({ config, report }) => {
    for (const [path, secrets] of Object.entries(secretsIn(config))) {
      if (!secrets.some(isGuessable)) continue
      if (production) report.problem(path, message)
      else report.warn(path, message)
    }
  }

/** Returns the secrets that sign and encrypt, by the path of their setting. */
function secretsIn({
  encryptionKeys,
  jwt,
  hooks,
}: Config): Readonly<Record<string, readonly string[]>> {
  const shared = (jwt.keys ?? []).flatMap(({ k }) =>
    k === undefined ? [] : [decode(k, 'base64url')],
  )
  const ofHooks = Object.entries(hooks).map(([point, { secrets }]) => [
    `hooks.${point}.secrets`,
    secrets.map(keyOf),
  ])
  return {
    encryptionKey: encryptionKeys,
    'jwt.secret': jwt.secrets,
    'jwt.keys': shared,
    ...Object.fromEntries(ofHooks),
  }
}

/** Returns a shared secret itself; of a key pair the private half. */
const keyOf = (secret: string): string =>
  decode(secret.slice(secret.lastIndexOf('_') + 1), 'base64')

const decode = (text: string, encoding: 'base64' | 'base64url'): string =>
  Buffer.from(text, encoding).toString('latin1')

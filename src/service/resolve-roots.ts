import type { Config } from '../platform/config/config.ts'
import { extractRoots, type RootKeys } from '../platform/kit/derived-keys.ts'
import { developmentRoot } from './persistence/development-folder.ts'

/** Returns the root of derived keys: the encryption keys, else the shared secrets of tokens. */
export async function resolveRoots({
  encryptionKeys,
  jwt,
  development,
}: Config): Promise<RootKeys> {
  const [current, ...others] = [...encryptionKeys, ...jwt.secrets]
  if (current !== undefined) return extractRoots(current, ...others)
  if (!development) throw new Error('no root for derived keys is configured')
  return extractRoots(await developmentRoot())
}

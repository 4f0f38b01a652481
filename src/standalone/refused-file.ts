import { resolve } from 'node:path'

const accessible = 'permission denied. Use a file or folder to which this user has access'
const emptier = 'Free some space, or use another folder'

const reasons: Readonly<Record<string, string>> = {
  EACCES: accessible,
  EPERM: accessible,
  EROFS: 'the file system is read-only. Use another folder',
  ENOSPC: `no space is left. ${emptier}`,
  EDQUOT: `the disk quota is used up. ${emptier}`,
}

/** Returns a sentence with the remedy where the system refused to use a file; null otherwise. */
export function describeRefusedFile(error: unknown): string | null {
  const { code, path, dest }: NodeJS.ErrnoException & { dest?: string } = Object(error)
  const reason = reasons[code ?? '']
  if (path === undefined || !reason) return null
  // The system does not report which file of a copy it refused.
  const files = [path, dest].filter((one) => one !== undefined)
  return `${files.map((one) => resolve(one)).join(' or ')} cannot be used: ${reason}`
}

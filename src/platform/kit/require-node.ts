import manifest from '../../../package.json' with { type: 'json' }

/**
 * Rejects an unsupported version of Node at start. Later, a missing feature could fail an operation
 * half-way, for example between sending a mail and recording that it was sent.
 *
 * @param version such as `22.17.0`. Default: the running Node.
 * @throws UnsupportedNodeError
 */
export function requireNode(version: string = process.versions.node): void {
  const oldest = manifest.engines.node.replace('>=', '')
  const [major = 0, minor = 0] = numbersIn(version)
  const [oldestMajor = 0, oldestMinor = 0] = numbersIn(oldest)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new UnsupportedNodeError(`Latchkey needs Node ${oldest} or newer; this is Node ${version}`)
}

/** The running Node lacks features that Latchkey uses. */
export class UnsupportedNodeError extends Error {
  override readonly name = 'UnsupportedNodeError'
}

const numbersIn = (version: string): number[] => version.split('.').map(Number)

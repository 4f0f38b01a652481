import manifest from '../../../package.json' with { type: 'json' }

/**
 * Refuses a Node that is too old to run on. On one, what is missing would be found out in the middle of
 * what cannot be undone, such as between sending a mail and noting that it was sent.
 *
 * @param version as in `22.17.0`. Default: of the Node that runs this.
 * @throws UnsupportedNodeError
 */
export function requireNode(version: string = process.versions.node): void {
  const oldest = manifest.engines.node.replace('>=', '')
  const [major = 0, minor = 0] = numbersIn(version)
  const [oldestMajor = 0, oldestMinor = 0] = numbersIn(oldest)
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new UnsupportedNodeError(`Latchkey needs Node ${oldest} or newer; this is Node ${version}`)
}

/** The Node that runs this lacks what Latchkey is made with. */
export class UnsupportedNodeError extends Error {
  override readonly name = 'UnsupportedNodeError'
}

const numbersIn = (version: string): number[] => version.split('.').map(Number)

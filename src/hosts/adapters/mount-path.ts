/**
 * Warns once if a host has mounted Latchkey at a path that `basePath` does not begin with. A mount
 * above that path, or at the root, causes no warning.
 *
 * @param basePath null for an app that works at any path.
 * @returns a function for the mount path of each request: `/auth`, or empty.
 */
export function watchMountPath({
  basePath,
}: {
  readonly basePath: string | null
}): (mountPath: string) => void {
  if (basePath === null) return () => {}
  let isLogged = false
  return (mountPath) => {
    if (isLogged || mountPath === wellKnown || leadsTo(mountPath, basePath)) return
    isLogged = true
    const problem = basePath
      ? `its basePath is ${basePath}: it matches none of its endpoints`
      : 'has no basePath: links in its mails have the wrong path'
    process.emitWarning(
      `Latchkey is mounted at ${mountPath} and ${problem}. Pass createAuth basePath: '${mountPath}'`,
      { code: 'LATCHKEY_BASE_PATH' },
    )
  }
}

/** The mount of the documents that clients request at the root of the host. @see RFC 8414 §3.1 */
const wellKnown = '/.well-known'

/** Reports whether a path is one of these documents of the service. */
export const isRootDocument = (path: string, basePath: string): boolean =>
  path.startsWith(`${wellKnown}/`) && path.endsWith(basePath)

/** Compares without case, which hosts may ignore in paths. */
const leadsTo = (mountPath: string, basePath: string): boolean =>
  `${basePath}/`.toLowerCase().startsWith(`${mountPath}/`.toLowerCase())

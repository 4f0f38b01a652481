import type { Logger } from '../observability/logger.ts'

/**
 * Logs once that the service may be mounted at another path than `basePath`: an unmatched request
 * ends like the path of an endpoint.
 *
 * @param paths of the endpoints, such as `/token`.
 * @returns a function for the path of each unmatched request.
 */
export function warnOfWrongMount(
  logger: Logger,
  basePath: string,
  paths: readonly string[],
): (pathname: string) => void {
  // A path with a parameter, or the root, would match the end of other paths.
  const endings = paths.filter((path) => path.length > 1 && !/[:*]/.test(path))
  let isLogged = false
  return (pathname) => {
    if (isLogged || !endings.some((path) => pathname.endsWith(path))) return
    isLogged = true
    // The path is not logged: the client chooses it, and it may contain anything.
    logger.warn(
      { basePath },
      'a request for an endpoint has another path than basePath: requests below ' +
        `${basePath || '/'} are handled. Mount the service there, or set basePath to the path of the mount. ` +
        'Under `latchkey serve`, which has no basePath, a proxy has to remove the path that it adds',
    )
  }
}

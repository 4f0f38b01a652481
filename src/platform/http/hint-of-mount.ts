import type { Logger } from '../observability/logger.ts'

/**
 * Says once, in the log, that the service may be mounted elsewhere than `basePath` says: a request that
 * nothing answered ends as one of our paths does, below something else.
 *
 * @param paths of the endpoints, as in `/token`.
 * @returns what is told the path of each request that nothing answered.
 */
export function hintOfMount(
  logger: Logger,
  basePath: string,
  paths: readonly string[],
): (pathname: string) => void {
  // A path with a parameter, or the root, would be found at the end of others.
  const endings = paths.filter((path) => path.length > 1 && !/[:*]/.test(path))
  let isSaid = false
  return (pathname) => {
    if (isSaid || !endings.some((path) => pathname.endsWith(path))) return
    isSaid = true
    // The path itself is the sender's, and may hold anything.
    logger.warn(
      { basePath },
      'a request looks like one of ours, at another path than basePath says: requests below ' +
        `${basePath || '/'} are answered. Mount the service there, or give basePath the path that it is mounted ` +
        'at. Under `latchkey serve`, which has no basePath, a proxy in front has to take away what it adds',
    )
  }
}

/** Reports whether a path is that of a mount, or below it. */
export const isBelow = (path: string, mountPath: string): boolean =>
  path === mountPath || path.startsWith(`${mountPath}/`)

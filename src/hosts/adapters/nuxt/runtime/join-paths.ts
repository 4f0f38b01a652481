/** Returns a path below the base of an application. */
export const joinPaths = (base: string, path: string): string => base.replace(/\/+$/, '') + path

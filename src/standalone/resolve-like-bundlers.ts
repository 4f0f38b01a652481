import module from 'node:module'

/** The endings that bundlers add to an import without one. */
const endings = ['.ts', '.js', '/index.ts', '/index.js']

const notFound = new Set(['ERR_MODULE_NOT_FOUND', 'ERR_UNSUPPORTED_DIR_IMPORT'])

let isRegistered = false

/**
 * Resolves imports that Node rejects and bundlers accept, such as `./database` and `next/server`:
 * files of an application that a bundler builds contain them. Has no effect in Node before 22.15.
 */
export function resolveLikeBundlers(): void {
  if (isRegistered || !('registerHooks' in module)) return
  isRegistered = true
  module.registerHooks({
    resolve: (specifier, context, resolve) => {
      try {
        return resolve(specifier, context)
      } catch (error) {
        if (!notFound.has(Object(error).code) || !specifier.includes('/')) throw error
        for (const ending of endings) {
          try {
            return resolve(specifier + ending, context)
          } catch {
            // The error of the import as written is reported.
          }
        }
        throw error
      }
    },
  })
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The file of srvx that declares its URL class, and reads none of the classes below. */
const urlOfSrvx = fileURLToPath(import.meta.resolve('srvx')).replace(
  /adapters.\w+\.mjs$/,
  '_chunks/_url.mjs',
)

/** What h3 imports from srvx. The class of responses is read when a response is created. */
const standIn = `
export { FastURL } from ${JSON.stringify(urlOfSrvx)}
export const FastResponse = function (body, init) { return new Response(body, init) }
`

/** The one place in h3 that reads such a class when it is loaded: two constants. */
const superclass = 'class extends Headers {'

/** Makes the constants lists of entries, which `new Headers()` accepts as well. */
function withoutHeaders(/** @type {string} */ code) {
  const parts = code.split(superclass)
  if (parts.length !== 2) throw new Error(`h3 has ${parts.length - 1} of: ${superclass}`)
  return parts.join('class extends (function (init) { return Object.entries(init) }) {')
}

const namespace = 'lazy-fetch-classes'

/**
 * Changes the bundled h3 so that it reads no class of the Fetch standard when it is loaded, neither
 * itself nor by the server of srvx: Node would load its implementation, which takes 30 ms. We use
 * h3 for routing only, so that a service that responds through `node:http` needs none of them.
 *
 * The build fails if a later h3 imports more, or does not contain the place.
 *
 * @type {import('esbuild').Plugin}
 */
export const lazyFetchClasses = {
  name: namespace,
  setup: (build) => {
    build.onResolve({ filter: /^h3$/ }, ({ kind, resolveDir }) =>
      build.resolve('h3/generic', { kind, resolveDir }),
    )
    build.onResolve({ filter: /^srvx$/ }, () => ({ path: 'srvx', namespace }))
    build.onLoad({ filter: /h3.dist.response\.mjs$/ }, ({ path }) => ({
      contents: withoutHeaders(readFileSync(path, 'utf8')),
    }))
    build.onLoad({ filter: /./, namespace }, () => ({
      contents: standIn,
      resolveDir: import.meta.dirname,
    }))
  },
}

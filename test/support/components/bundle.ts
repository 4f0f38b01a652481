import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { compile } from 'svelte/compiler'

const folder = import.meta.dirname

/** Compiles components of Svelte, as its plugin for Vite does. */
const svelte = (generate: 'client' | 'server'): Plugin => ({
  name: 'svelte',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.svelte$/ }, ({ path }) => ({
      contents: compile(readFileSync(path, 'utf8'), { generate, filename: path }).js.code,
    }))
  },
})

/** Bundles code as the build of an application does, with the sources of Latchkey. */
export async function bundle(
  code: string,
  side: 'browser' | 'server',
  options: BuildOptions = {},
): Promise<string> {
  const isServer = side === 'server'
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder, loader: 'ts' },
    bundle: true,
    write: false,
    format: isServer ? 'cjs' : 'esm',
    platform: isServer ? 'node' : 'browser',
    conditions: ['latchkey-source', ...(isServer ? [] : ['browser'])],
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'true',
    },
    plugins: [svelte(isServer ? 'server' : 'client')],
    absWorkingDir: join(folder, '../../..'),
    logLevel: 'error',
    ...options,
  })
  return outputFiles?.[0]?.text ?? ''
}

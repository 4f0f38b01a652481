import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }
import { builtIn, leftOut } from './scripts/built-in.mjs'
import { lazyFetchClasses } from './scripts/lazy-fetch-classes.mjs'
import { mergeChunks } from './scripts/merge-chunks.mjs'
import { configSchema } from './src/capabilities/formatter-config/config-schema.ts'

/** The exports of the package, read from package.json, and its command. */
const entry = [
  ...Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target['latchkey-source']],
  ),
  'src/standalone/cli.ts',
]

/** Writes the licences of the bundled packages, which require a copy in each distribution. */
const writeLicences = async (): Promise<void> => {
  const licences = builtIn.map((name) => {
    const text = readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()
    return `${name}\n${'-'.repeat(name.length)}\n\n${text}\n`
  })
  writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licences.join('\n\n'))
}

/** Writes the schema that editors read by the path in a configuration. */
const writeSchema = (): void =>
  writeFileSync('dist/sql-formatter.schema.json', `${JSON.stringify(configSchema, null, 2)}\n`)

/**
 * Writes the manifest of the chunks, which Node and bundlers read in place of the package's. Node
 * parses it for each module, and the package's is long: a start took 50 ms of CPU and 15 MB more
 * with it. Modules outside of this folder may import the package by its name.
 */
const writeManifest = (): void => {
  const { type, sideEffects } = manifest
  writeFileSync('dist/chunks/package.json', `${JSON.stringify({ type, sideEffects })}\n`)
}

/** The components of `latchkey/svelte`. */
const copySvelteFiles = (): void => {
  const folder = 'hosts/components/svelte'
  for (const name of readdirSync(`src/${folder}`).filter((name) => name.endsWith('.svelte')))
    copyFileSync(`src/${folder}/${name}`, `dist/${folder}/${name}`)
}

const outDir = 'dist'

export default defineConfig({
  entry,
  outDir,
  format: 'esm',
  target: 'node22',
  platform: 'node',
  // `import('./src/service/runtime.ts')` stays a chunk of its own, so that `import 'latchkey'` loads little.
  splitting: true,
  esbuildPlugins: [lazyFetchClasses],
  esbuildOptions: (options) => {
    options.chunkNames = 'chunks/[name]-[hash]'
  },
  // No package of node_modules is bundled, optional ones included, except `noExternal`.
  skipNodeModulesBundle: true,
  // Components of Svelte are compiled by the application.
  external: [/\.svelte$/],
  noExternal: [...builtIn, ...leftOut].map((name) => new RegExp(`^${name}(/|$)`)),
  onSuccess: async () => {
    await mergeChunks(outDir)
    await writeLicences()
    writeSchema()
    writeManifest()
    copySvelteFiles()
  },
  // tsc writes them (tsconfig.build.json): tsup would need the compiler API, which TypeScript 7
  // does not have.
  dts: false,
  clean: true,
})

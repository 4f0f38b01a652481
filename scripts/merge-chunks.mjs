import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { rollup } from 'rollup'

/**
 * The modules that run where the service runs. Chunks that the same of them import are merged. An
 * entry of the package that is not listed here loads what it did before, such as those of pages in
 * a browser.
 */
const users = {
  node: /^hosts\/adapters\/(express|fastify|koa|node)\.js$/,
  core: /^index\.js$/,
  shared: /^hosts\/shared\//,
  service: /^(chunks\/runtime-\w+\.js$|service\/api\/|hosts\/testing\/)/,
  pages: /^capabilities\/subscribe-pages\//,
  serve: /^chunks\/serve-\w+\.js$/,
}

/** V8 stores the source of a larger module outside of its heap, where it takes twice the memory. */
const maxChunkBytes = 500_000

/** Returns a path with the separators of the patterns above, also on Windows. */
const withSlashes = (/** @type {string} */ path) => path.replaceAll(sep, '/')

const isChunk = (/** @type {string} */ file) => file.startsWith('chunks/')

/**
 * Merges the chunks that the service always loads. esbuild writes one for each set of entries that
 * share code, and cannot merge them: a start loaded 145 modules, which took a third of its time.
 * Rollup's `manualChunks` leaves the code of the modules as it is.
 *
 * @param {string} folder the output of esbuild, which is replaced.
 */
export async function mergeChunks(folder) {
  const root = resolve(folder)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(withSlashes)
    .filter((file) => file.endsWith('.js') && !file.startsWith('types/'))
  for (const [name, pattern] of Object.entries(users)) {
    if (!files.some((file) => pattern.test(file))) throw new Error(`no module matches ${name}`)
  }
  const entries = files.filter((file) => !isChunk(file))
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((file) => [file.slice(0, -3), join(root, file)])),
    external: (id) => (!isAbsolute(id) && !id.startsWith('.')) || id.endsWith('.svelte'),
    // esbuild has removed unused code.
    treeshake: false,
    onwarn: (warning) => {
      if (warning.code !== 'UNUSED_EXTERNAL_IMPORT') throw new Error(warning.message)
    },
  })
  /** @type {Map<string, string> | undefined} */
  let names
  const { output } = await bundle.generate({
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: ({ name }) => `chunks/${name.replace(/-[A-Z0-9]{8}$/, '')}-[hash].js`,
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (id, graph) => {
      names ??= mergedNames(root, files, graph)
      return names.get(withSlashes(relative(root, id)))
    },
  })
  await bundle.close()
  for (const file of files.filter(isChunk)) rmSync(join(root, file))
  for (const file of output)
    if (file.type === 'chunk') writeFileSync(join(root, file.fileName), inLatin1(file.code))
}

/**
 * Escapes other characters, which esbuild leaves in regular expressions: V8 stores a module that
 * contains one with two bytes per character.
 */
const inLatin1 = (/** @type {string} */ code) =>
  code.replace(
    /[^\0-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * Returns the name of the merged chunk of each file that belongs to one: the users of the file. A
 * file and its imports have the same users, or its imports have more, so no cycle arises.
 *
 * @param {string} root
 * @param {string[]} files
 * @param {import('rollup').ManualChunkMeta} graph
 */
function mergedNames(root, files, graph) {
  const infoOf = (/** @type {string} */ file) => graph.getModuleInfo(join(root, file))
  const importsOf = (/** @type {string} */ file) =>
    (infoOf(file)?.importedIds ?? [])
      .map((id) => withSlashes(relative(root, id)))
      .filter((id) => files.includes(id))
  const reachedFrom = (/** @type {(file: string) => boolean} */ isStart) => {
    const reached = new Set(files.filter(isStart))
    for (const file of reached) for (const imported of importsOf(file)) reached.add(imported)
    return reached
  }
  const patterns = Object.entries(users)
  const reached = patterns.map(([name, pattern]) => ({
    name,
    files: reachedFrom((file) => pattern.test(file)),
  }))
  const ofOthers = reachedFrom(
    (file) => !isChunk(file) && !patterns.some(([, pattern]) => pattern.test(file)),
  )

  /** @type {Map<string, string>} */
  const names = new Map()
  /** @type {Map<string, number>} */
  const bytes = new Map()
  for (const file of inDependencyOrder(files, importsOf)) {
    if (!/^chunks\/chunk-/.test(file) || ofOthers.has(file)) continue
    const name = reached.flatMap((one) => (one.files.has(file) ? one.name : [])).join('-')
    if (!name) continue
    const before = bytes.get(name) ?? 0
    bytes.set(name, before + (infoOf(file)?.code?.length ?? 0))
    names.set(file, `${name}-${Math.floor(before / maxChunkBytes)}`)
  }
  return names
}

/**
 * Returns each file after those that it imports, so that a part of the order imports only earlier
 * parts.
 *
 * @param {string[]} files
 * @param {(file: string) => string[]} importsOf
 */
function inDependencyOrder(files, importsOf) {
  /** @type {Set<string>} */
  const visited = new Set()
  /** @type {string[]} */
  const order = []
  const visit = (/** @type {string} */ file) => {
    if (visited.has(file)) return
    visited.add(file)
    for (const imported of importsOf(file)) visit(imported)
    order.push(file)
  }
  for (const file of files) visit(file)
  return order
}

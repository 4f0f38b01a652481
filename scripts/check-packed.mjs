// `npm run packed`: tests the package as an application installs it. Each subpath must load, with
// `import` and with `require`, and its types must compile in the strictest program, declarations of
// libraries included, with and without Node's types.
import { deepEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from './pack.mjs'
import { root } from './paths.mjs'
import { pinnedNode } from './pinned-node.mjs'
import { holdTypeCost, compilerOptions as strictOptions } from './type-cost.mjs'

// Below node_modules, where the tarball finds its dependencies.
const app = join(root, 'node_modules/.latchkey-packed')
rmSync(app, { recursive: true, force: true })
unpack(join(app, 'node_modules/latchkey'))

const { name, type, sideEffects, exports } = readJson(join(root, 'package.json'))
requireSameManifest()
const subpaths = Object.keys(exports)
  .filter((subpath) => !subpath.endsWith('.json'))
  .map((subpath) => subpath.replace('.', name))

/** Subpaths with components, whose types are those of their framework. */
const ofFrameworks = ['react', 'svelte', 'vue'].map((framework) => `${name}/${framework}`)
// Components of Svelte are loaded by the build of an application only.
const loaded = subpaths.filter((subpath) => subpath !== `${name}/svelte`)

/** @param {string[]} paths */
const importsOf = (paths) =>
  paths.map((subpath, at) => `export * as module${at} from '${subpath}'\n`).join('')
const requires = loaded.map((subpath) => `require('${subpath}')\n`).join('')
const compilerOptions = { ...strictOptions, skipLibCheck: false }
write('package.json', JSON.stringify({ private: true, type: 'module' }))
write('app.ts', importsOf(subpaths.filter((subpath) => !ofFrameworks.includes(subpath))))
cpSync(join(root, 'test/types'), join(app, 'uses'), { recursive: true })
write('app.mjs', importsOf(loaded))
write('app.cjs', requires)
// The declarations of frameworks and of the client do not compile in the strictest program.
const ofComponents = 'uses/components.ts'
const others = { include: ['app.ts', 'uses'], exclude: [ofComponents] }
write('tsconfig.json', JSON.stringify({ compilerOptions, ...others }))
checkTypes(app)
const lenient = { ...compilerOptions, skipLibCheck: true }
write(
  'tsconfig.components.json',
  JSON.stringify({ compilerOptions: lenient, files: [ofComponents] }),
)
checkTypes(join(app, 'tsconfig.components.json'))
withoutTypes()
run([join(app, 'app.mjs')])
run([join(app, 'app.cjs')])
// Frameworks and the client would count, too.
rmSync(join(app, ofComponents))
holdTypeCost(join(app, 'uses'))
rmSync(app, { recursive: true, force: true })

/** The manifest of the chunks, which Node and bundlers read for them, repeats the package's. */
function requireSameManifest() {
  const manifest = readJson(join(app, 'node_modules/latchkey/dist/chunks/package.json'))
  deepEqual(manifest, { type, sideEffects })
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** @param {string} project */
function checkTypes(project) {
  run([join(root, 'node_modules/typescript/bin/tsc'), '-p', project])
}

/**
 * Creates an application without installed types, outside of this checkout, whose types it would
 * find.
 */
function withoutTypes() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-packed-'))
  try {
    cpSync(join(app, 'node_modules/latchkey'), join(folder, 'node_modules/latchkey'), {
      recursive: true,
    })
    const bare = { ...compilerOptions, types: [] }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    cpSync(join(app, 'app.ts'), join(folder, 'app.ts'))
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: bare, files: ['app.ts'] }),
    )
    checkTypes(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder */
function unpack(folder) {
  mkdirSync(folder, { recursive: true })
  const { path } = pack(app)
  const strip = ['--strip-components=1', '-C', folder]
  must(spawnSync('tar', ['-xzf', path, ...strip], { stdio: 'inherit' }))
}

/**
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  writeFileSync(join(app, file), text)
}

/** @param {string[]} command */
function run(command) {
  must(spawnSync(pinnedNode(), command, { cwd: app, stdio: 'inherit' }))
}

/** @param {{ status: number | null, error?: Error | undefined }} result */
function must({ status, error }) {
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './paths.mjs'
import { pinnedNode } from './pinned-node.mjs'

const limit = 20_000

/** The options of a strict application, without checks of library declarations. */
export const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
}

/**
 * Our compiler and older ones of our tools: two packages of this name in one folder would both
 * install `tsc`.
 */
const compilers = [
  join(root, 'node_modules/typescript'),
  nestedCompiler('@microsoft/api-extractor'),
  nestedCompiler('@arethetypeswrong/core'),
]

/**
 * Prints the number of instantiations that an application adds to an empty one, for each compiler.
 *
 * @param {string} folder of the application: each file of it is compiled.
 * @throws Error where it is too large, or the application does not compile.
 */
export function holdTypeCost(folder) {
  const files = readdirSync(folder)
  // The types of Node that an application uses are not counted.
  const empty = `import { createServer } from 'node:http'\nconsole.log(createServer)\n`
  writeFileSync(join(folder, 'empty.ts'), empty)
  for (const compiler of compilers) {
    const { version } = JSON.parse(readFileSync(join(compiler, 'package.json'), 'utf8'))
    const count = (/** @type {string[]} */ some) => instantiations(compiler, folder, some)
    const cost = count(files) - count(['empty.ts'])
    console.log(`TypeScript ${version}: every export together costs ${cost} instantiations`)
    if (cost >= limit) throw new Error(`an application may cost ${limit} at most`)
  }
}

/**
 * @param {string} compiler
 * @param {string} folder
 * @param {string[]} files
 */
function instantiations(compiler, folder, files) {
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const args = [join(compiler, 'bin/tsc'), '-p', folder, '--extendedDiagnostics']
  const { status, stdout } = spawnSync(pinnedNode(), args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1])
}

/** @param {string} tool */
function nestedCompiler(tool) {
  const require = createRequire(join(root, 'node_modules', tool, 'package.json'))
  return join(require.resolve('typescript'), '../..')
}

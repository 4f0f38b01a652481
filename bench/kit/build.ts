import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const folder = new URL('../', import.meta.url)

/** Below a name with a dot, which the type checker passes over, and another that git and the linter do. */
const output = '.built/dist'

/** Turns what runs in a process of its own into JavaScript: to read TypeScript costs Node 30 MB, which are nobody's. */
export async function buildScripts(): Promise<void> {
  const load = ['load/generator.ts', 'load/mail-server.ts']
  const entry = ['floor/server.ts', ...load, 'targets/*.ts', 'targets/*/*.ts']
  await build({
    entry: entry.map((pattern) => fileURLToPath(new URL(pattern, folder))),
    outDir: fileURLToPath(new URL(output, folder)),
    config: false,
    silent: true,
    clean: true,
    format: 'esm',
    target: 'node22',
    platform: 'node',
    skipNodeModulesBundle: true,
  })
}

/** Where the JavaScript of a script is. */
export const builtScript = (script: string): string =>
  fileURLToPath(new URL(`${output}/${script.replace(/\.ts$/, '.js')}`, folder))

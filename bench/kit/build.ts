import { fileURLToPath } from 'node:url'
import { build } from 'tsup'

const folder = new URL('../', import.meta.url)

/** A name with a dot, which the type checker ignores, and one that git and the linter ignore. */
const output = '.built/dist'

/**
 * Compiles the scripts of child processes to JavaScript: Node needs 30 MB more to load TypeScript,
 * which would be measured.
 */
export async function buildScripts(): Promise<void> {
  const load = ['load/generator.ts', 'load/mail-server.ts']
  const entry = ['floor/server.ts', 'floor/workers.ts', ...load, 'targets/*.ts', 'targets/*/*.ts']
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

/** Returns the path of the JavaScript of a script. */
export const builtScript = (script: string): string =>
  fileURLToPath(new URL(`${output}/${script.replace(/\.ts$/, '.js')}`, folder))

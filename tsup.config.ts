import { defineConfig } from 'tsup'
import manifest from './package.json' with { type: 'json' }

/** What the package exports, and its command: a new subpath is a line in package.json alone. */
const entry = [
  ...Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target['latchkey-source']],
  ),
  'src/standalone/cli.ts',
]

export default defineConfig({
  entry,
  outDir: 'dist',
  format: 'esm',
  target: 'node22',
  platform: 'node',
  // `import('./runtime.ts')` stays a chunk of its own, so that `import 'latchkey'` loads little.
  splitting: true,
  // Whatever node_modules holds stays outside, optional dependencies too.
  skipNodeModulesBundle: true,
  // tsc writes them (tsconfig.build.json): tsup would need the compiler API, which TypeScript 7
  // does not have.
  dts: false,
  clean: true,
})

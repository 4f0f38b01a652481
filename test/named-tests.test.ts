import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { describe, expect, it } from 'vitest'
import { processes } from '../vitest.config.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const files = globSync('{src,test}/**/*.test.ts', { cwd: root })

/** A file or folder of tests that a script or the documentation runs. */
interface NamedTests {
  place: string
  path: string
  /** Whether it is run with the configuration of `npm run test:processes`. */
  withProcesses: boolean
}

const inDocumentation = [...read('CONTRIBUTING.md').matchAll(commands())].map(
  ([command, path = '']): NamedTests => ({
    place: 'CONTRIBUTING.md',
    path,
    withProcesses: command.includes('processes'),
  }),
)

const inScripts = globSync('scripts/*.mjs', { cwd: root }).flatMap((place) =>
  [...read(place).matchAll(/^(?!\s*(?:\/\/|\*)).*'(test\/[\w./-]+)'/gm)]
    .filter(([, path = '']) => filesOf(path).length > 0)
    .map(
      ([, path = '']): NamedTests => ({
        place,
        path,
        withProcesses: /'test:processes'|processes\.config/.test(read(place)),
      }),
    ),
)

describe('tests that a script or CONTRIBUTING.md names', () => {
  it('are found in both', () => {
    expect(inDocumentation.length).toBeGreaterThan(5)
    expect(inScripts.map(({ path }) => path)).toContain('test/verify-in-runtimes.test.ts')
  })

  it.each([...inDocumentation, ...inScripts])(
    'belong to the configuration that runs them: $path in $place',
    ({ path, withProcesses }) => {
      const run = filesOf(path).filter((file) => takesLong(file) === withProcesses)
      expect(run).not.toEqual([])
    },
  )
})

function commands(): RegExp {
  return /(?:npx vitest run|npm run test:processes --)(?: -c \S+)? ([\w./-]+)/g
}

function filesOf(path: string): string[] {
  return files.filter((file) => file.startsWith(path))
}

function takesLong(file: string): boolean {
  return processes.some((pattern) => matchesGlob(file, pattern))
}

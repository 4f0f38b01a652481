import { execFileSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Prints the URL of each module that `import 'latchkey'` loads into an empty process. */
const program = `
  import { registerHooks } from 'node:module'
  const urls = []
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
  await import('latchkey')
  console.log(JSON.stringify(urls))
`

/** What may load: files of ours, folders of ours, packages, and what Node has built in. */
const light = [
  'src/index.ts',
  'src/create-auth.ts',
  'src/config',
  'src/errors',
  'src/access-tokens',
  'src/kit',
  'src/http',
  'src/api',
  'src/observability',
  'node:',
]

/** `src/kit` for each file of a room, `h3` for each of a package, `node:` for what is built in. */
function homeOf(url: string): string {
  if (url.startsWith('node:')) return 'node:'
  const path = relative(root, fileURLToPath(url))
  const [, inside] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  return inside ?? path.split('/').slice(0, 2).join('/')
}

it("loads our config, errors and tokens on import 'latchkey', and no package at all", () => {
  const flags = ['--conditions=latchkey-source', '--input-type=module', '--eval', program]
  const output = execFileSync(process.execPath, flags, { cwd: root, encoding: 'utf8' })

  const homes = new Set((JSON.parse(output) as string[]).map(homeOf))

  expect(homes).toContain('src/create-auth.ts')
  expect([...homes].filter((home) => !light.includes(home))).toEqual([])
})

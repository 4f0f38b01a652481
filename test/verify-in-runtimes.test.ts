import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JwsAlgorithm, signJws } from '../src/platform/kit/jws.ts'

const root = join(import.meta.dirname, '..')
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-verify-'))
  await writeProgram()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Finds a program on the PATH, or in the folder that an environment variable names. */
function find(name: string): string | null {
  const { LATCHKEY_TEST_RUNTIMES: own = '', PATH = '' } = process.env
  const folders = [own, join(root, 'node_modules/.bin'), ...PATH.split(delimiter)]
  const found = folders.map((one) => join(one, name)).find(isExecutable)
  return found ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Writes a module that verifies a token of each algorithm, and one that was changed. */
async function writeProgram(): Promise<void> {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pairs: [JwsAlgorithm, typeof rsa][] = [
    ['RS256', rsa],
    ['RS512', rsa],
    ['ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })],
    ['EdDSA', generateKeyPairSync('ed25519')],
  ]
  const claims = { sub: 'ada', aud: 'authenticated', exp: 4_000_000_000 }
  const keys = pairs.map(([alg, { publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    alg,
    kid: alg,
  }))
  const tokens: [string, string][] = []
  for (const [algorithm, { privateKey: key }] of pairs) {
    tokens.push([algorithm, await signJws({ algorithm, key }, { kid: algorithm }, claims)])
  }
  const contents = `
    import { createVerifier } from './create-verifier.ts'
    const keys = ${JSON.stringify(keys)}
    const tokens = ${JSON.stringify(tokens)}
    export async function outcome() {
      const fetched = []
      const { verify } = createVerifier({
        issuer: 'https://auth.example.test',
        fetch: async (url) => (fetched.push(url), Response.json({ keys })),
      })
      const results = []
      for (const [algorithm, token] of tokens) {
        const claims = await verify(token).catch(String)
        const [head, , signature] = token.split('.')
        const changed = [head, btoa('{"sub":"bob","aud":"authenticated","exp":4000000000}'), signature]
        const code = await verify(changed.join('.').replaceAll('=', '')).catch((e) => e.code)
        results.push([algorithm, claims.sub ?? claims, code].join(' '))
      }
      return [...results, fetched.length].join('; ')
    }
    export default {
      async test() {
        console.log('OUTCOME ' + (await outcome()))
      },
    }
    if (globalThis.navigator?.userAgent !== 'Cloudflare-Workers') {
      console.log('OUTCOME ' + (await outcome()))
    }
  `
  await build({
    stdin: { contents, resolveDir: join(root, 'src/hosts/verify'), loader: 'js' },
    bundle: true,
    format: 'esm',
    outfile: join(folder, 'program.mjs'),
  })
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "program", esModule = embed "program.mjs")],
  compatibilityDate = "2025-01-01",
);`,
  )
}

const commands: Record<string, string[]> = {
  node: ['program.mjs'],
  bun: ['program.mjs'],
  deno: ['run', 'program.mjs'],
  workerd: ['test', 'config.capnp'],
}

describe('N20: latchkey/verify', () => {
  it.each(Object.entries(commands))('verifies all algorithms in %s', (name, args) => {
    const path = name === 'node' ? process.execPath : find(name)
    if (!path) {
      process.stderr.write(
        `NOT RUN: latchkey/verify in ${name}. It is neither on the PATH nor in LATCHKEY_TEST_RUNTIMES.\n`,
      )
      return
    }
    const env = { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' }
    const output = execFileSync(path, args, { cwd: folder, encoding: 'utf8', env, timeout: 60_000 })

    const each = ['RS256', 'RS512', 'ES256', 'ES512', 'EdDSA'].map((one) => `${one} ada bad_jwt`)
    expect(output).toContain(`OUTCOME ${[...each, 1].join('; ')}`)
  })
})

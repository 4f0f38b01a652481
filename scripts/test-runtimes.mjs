// `npm run test:runtimes`: verifies tokens in Bun, Deno and workerd, which it installs from npm in a
// folder below the temporary one. They are large: CI runs `test/verify-in-runtimes.test.ts` in
// Node alone. LATCHKEY_TEST_RUNTIMES names a folder with their programs, and nothing is installed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './npm.mjs'

const packages = { bun: '1.4.4', deno: '2.9.6', workerd: '1.20261117.1' }

const folder = mkdtempSync(join(tmpdir(), 'latchkey-runtimes-'))
try {
  const programs = process.env.LATCHKEY_TEST_RUNTIMES ?? install()
  const { status, stdout, stderr } = npm(
    ['run', 'test:processes', '--', 'test/verify-in-runtimes.test.ts'],
    {
      stdio: 'pipe',
      encoding: 'utf8',
      env: { ...process.env, LATCHKEY_TEST_RUNTIMES: programs },
    },
  )
  process.stdout.write(`${stdout}${stderr}`)
  process.exitCode = status === 0 && !/NOT RUN/.test(`${stdout}${stderr}`) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** @returns {string} the folder of the programs. */
function install() {
  const manifest = {
    private: true,
    dependencies: packages,
    allowScripts: { bun: true, deno: true },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const { status } = npm(['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error('npm install failed')
  return join(folder, 'node_modules/.bin')
}

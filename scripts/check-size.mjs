// The last part of `npm run package`: checks the size of the package, declarations included, which
// `npm test` does not build.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pack } from './pack.mjs'
import { packageLimits } from './package-limits.mjs'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-size-'))
try {
  const { size, unpackedSize, entryCount } = pack(folder)
  const sizes = { size, unpackedSize, entryCount }
  for (const [name, limit] of Object.entries(packageLimits)) {
    const measured = sizes[/** @type {keyof typeof packageLimits} */ (name)]
    console.log(`${name}: ${measured} of at most ${limit}`)
    if (measured > limit) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

// `npm run check`, which is what CI runs: the tests, and whatever else must hold of a change. The
// last line counts: each test, and one for each further check.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './npm.mjs'

/** Scripts of package.json, in the order in which their failures are most worth reading. */
const checks = [
  'typecheck',
  'lint',
  'build',
  'package',
  'packed',
  'first-user',
  'test:conformance',
  'test:model',
  'test:fuzz',
  'test:durability',
  'test:floods',
  'test:hosts',
]

const results = [runTests('test'), runTests('test:processes'), ...checks.map(runCheck)]

console.log('')
for (const { name, passed, failed, seconds } of results) {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED'
  console.log(`${verdict} ${name} (${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s)`)
}
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
process.exitCode = failed === 0 ? 0 : 1
console.log(`${passed} passed, ${failed} failed`)

/** @param {string} name */
function runTests(name) {
  const report = join(tmpdir(), `latchkey-tests-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { ok, seconds } = run(name, reporters)
  const { passed, failed } = readCounts(report)
  rmSync(report, { force: true })
  // A fault outside any test, or a run that never reached one, fails too.
  return { name, passed, failed: ok ? failed : Math.max(failed, 1), seconds }
}

/** @param {string} name */
function runCheck(name) {
  const { ok, seconds } = run(name)
  return { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds }
}

/**
 * @param {string} script
 * @param {string[]} flags
 */
function run(script, flags = []) {
  console.log(`\n── ${script}`)
  const startedAt = performance.now()
  const { status } = npm(['run', script, '--', ...flags])
  return { ok: status === 0, seconds: (performance.now() - startedAt) / 1000 }
}

/**
 * What vitest counted: its tests, and each file that failed before it had any.
 *
 * @param {string} report
 */
function readCounts(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const unread = testResults.filter(
      (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
        file.status === 'failed' &&
        file.assertionResults.every(({ status }) => status !== 'failed'),
    )
    return { passed: numPassedTests, failed: numFailedTests + unread.length }
  } catch {
    return { passed: 0, failed: 0 }
  }
}

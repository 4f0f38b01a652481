// `npm run check`, which is what CI runs: the tests, and whatever else must hold of a change. Tests that failed are told
// again at the end, where a log that was cut short still has them. The last line counts: each test, and one for each
// further check.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { npm } from './npm.mjs'
import { root } from './paths.mjs'

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
for (const { name, passed, failed, failures, seconds } of results) {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED'
  console.log(`${verdict} ${name} (${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s)`)
  for (const failure of failures) console.log(`       ${failure}`)
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
  const { passed, failures } = readReport(report)
  rmSync(report, { force: true })
  // A fault outside any test, or a run that never reached one, fails too.
  const failed = ok ? failures.length : Math.max(failures.length, 1)
  return { name, passed, failed, failures, seconds }
}

/** @param {string} name */
function runCheck(name) {
  const { ok, seconds } = run(name)
  return { name, passed: ok ? 1 : 0, failed: ok ? 0 : 1, failures: [], seconds }
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
 * What vitest counted: its tests, and each file that failed outside of them.
 *
 * @param {string} report
 * @returns {{ passed: number, failures: string[] }}
 */
function readReport(report) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return { passed: numPassedTests, failures: testResults.flatMap(failuresOf) }
  } catch {
    return { passed: 0, failures: [] }
  }
}

/**
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} Test
 * @param {{ status: string, name: string, message: string, assertionResults: Test[] }} file
 */
function failuresOf({ status, name, message, assertionResults }) {
  const tell = (/** @type {string} */ what, /** @type {string | undefined} */ why) =>
    `${relative(root, name)}: ${what}: ${why?.slice(0, 1000).replace(/(\n +at [^\n]*).*/s, '$1')}`
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0) return [tell('outside of its tests', message)]
  return failed.map(({ fullName, failureMessages }) => tell(fullName, failureMessages[0]))
}

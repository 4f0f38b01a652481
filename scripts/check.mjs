// `npm run check`, which CI runs: the tests and all other checks. Failures are repeated at the end,
// for logs that are cut short. The last line counts each test, and one for each other check.
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { startNpm } from './npm.mjs'
import { root } from './paths.mjs'

/**
 * A script of package.json. It counts as one, or as its tests where `isCounted` is set. Failed tests
 * of those that run vitest are listed. Where `isRepeated` is set, a failed script runs a second time,
 * with the files of failed tests only, one at a time: its processes, browsers and installations
 * depend on the machine and on the registry. What passes only then is reported as unstable.
 *
 * @typedef {{ name: string, isVitest?: boolean, isCounted?: boolean, isRepeated?: boolean }} Check
 */

/**
 * The stages, in the order in which their failures are most informative. A stage is one check, or
 * series of checks that run beside each other, since one of them leaves a processor idle.
 *
 * @type {(Check | Check[][])[]}
 */
const stages = [
  { name: 'test', isVitest: true, isCounted: true, isRepeated: true },
  { name: 'test:processes', isVitest: true, isCounted: true, isRepeated: true },
  { name: 'build' },
  [[{ name: 'typecheck' }], [{ name: 'lint' }], [{ name: 'package' }, { name: 'packed' }]],
  [[{ name: 'test:hosts', isRepeated: true }], [{ name: 'templates', isRepeated: true }]],
  [
    [{ name: 'test:model', isVitest: true }],
    [
      { name: 'first-user', isRepeated: true },
      { name: 'test:fuzz', isVitest: true },
      { name: 'test:durability', isVitest: true },
    ],
  ],
  [
    [{ name: 'test:floods', isVitest: true, isRepeated: true }],
    // It waits for most of its time.
    [{ name: 'test:conformance', isRepeated: true }],
  ],
]
/** Separates a failed test from the reason. */
const reasonMark = ': because '
/** The number of repeated lines of a failed check. */
const repeatedLines = 30
const repeatedWidth = 400

const results = []
for (const stage of stages) {
  const series = Array.isArray(stage) ? stage : [[stage]]
  results.push(...(await Promise.all(series.map(runSeries))).flat())
}

console.log('')
for (const { name, passed, failed, failures, unstable, seconds } of results) {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED'
  console.log(`${verdict} ${name} (${passed} passed, ${failed} failed, ${seconds.toFixed(1)} s)`)
  for (const failure of failures) console.log(`       ${failure}`)
  for (const failure of unstable) console.log(`       UNSTABLE, passed the second time: ${failure}`)
}
for (const { name, failed, lastLines } of results) {
  if (failed === 0) continue
  console.log(`\n── ${name} failed; its last lines:`)
  for (const line of lastLines) console.log(line.slice(0, repeatedWidth))
}
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const failed = results.reduce((sum, result) => sum + result.failed, 0)
process.exitCode = failed === 0 ? 0 : 1
console.log(`${passed} passed, ${failed} failed`)

/**
 * The outcome of a check.
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} failures the tests that failed, with the reason
 * @property {string[]} unstable the tests that failed at first, and passed in a second run
 * @property {string[]} lastLines of its output
 * @property {number} seconds
 */

/**
 * @param {Check[]} checks
 * @returns {Promise<Result[]>}
 */
async function runSeries(checks) {
  const ended = []
  for (const check of checks) ended.push(await (check.isVitest ? runTests(check) : runCheck(check)))
  return ended
}

/**
 * @param {Check} check
 * @returns {Promise<Result>}
 */
async function runTests({ name, isCounted, isRepeated }) {
  const first = await runVitest(name)
  const isUnclear = isRepeated && !first.ok && first.failedFiles.length > 0
  const second = isUnclear
    ? await runVitest(name, [...first.failedFiles, '--maxWorkers=1'])
    : undefined
  const { ok, failures, lastLines } = second ?? first
  const unstable = second ? first.failures.filter((failure) => !isListed(failure, failures)) : []
  const seconds = first.seconds + (second?.seconds ?? 0)
  // Errors outside of tests are in the summary only.
  const stray = second && first.lastLines.find((line) => /^\s*Errors\s/.test(line))
  const listed = stray ? [...unstable, `${name}${reasonMark}${stray.trim()}`] : unstable
  const ended = { name, failures, unstable: listed, lastLines, seconds }
  if (!isCounted) return { ...ended, ...countAsOne(ok) }
  // A fault outside of tests, or a run without any test, is a failure, too.
  const failed = ok ? failures.length : Math.max(failures.length, 1)
  return { ...ended, passed: first.passed + unstable.length, failed }
}

/** Whether the test of a failure is among the failed ones, for whatever reason. */
function isListed(/** @type {string} */ failure, /** @type {string[]} */ failures) {
  const testOf = (/** @type {string} */ line) => line.slice(0, line.indexOf(reasonMark))
  return failures.some((other) => testOf(other) === testOf(failure))
}

/**
 * Runs a script that calls vitest, and reads its report.
 *
 * @param {string} name
 * @param {string[]} [words]
 */
async function runVitest(name, words = []) {
  const report = join(tmpdir(), `latchkey-${name.replace(':', '-')}-${process.pid}.json`)
  // A line per failure, and a sum.
  const reporters = ['--reporter=minimal', '--reporter=json', `--outputFile.json=${report}`]
  const ended = await run(name, [...words, ...reporters])
  const counts = readReport(report)
  rmSync(report, { force: true })
  return { ...ended, ...counts }
}

/**
 * @param {Check} check
 * @returns {Promise<Result>}
 */
async function runCheck({ name, isRepeated }) {
  const first = await run(name)
  const second = isRepeated && !first.ok ? await run(name) : undefined
  const { ok, lastLines } = second ?? first
  const unstable = second?.ok ? [`${name}${reasonMark}${first.lastLines.at(-1)}`] : []
  const seconds = first.seconds + (second?.seconds ?? 0)
  return { name, ...countAsOne(ok), failures: [], unstable, lastLines, seconds }
}

function countAsOne(/** @type {boolean} */ ok) {
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 }
}

/**
 * Runs a script, and prints its output without colours, line by line, with its name.
 *
 * @param {string} script
 * @param {string[]} flags
 */
async function run(script, flags = []) {
  console.log(`\n── ${script}`)
  const startedAt = performance.now()
  const child = startNpm(['run', script, '--', ...flags])
  /** @type {string[]} */
  const lastLines = []
  const ends = [child.stdout, child.stderr].map((input) => {
    const lines = createInterface({ input })
    lines.on('line', (coloured) => {
      const line = stripVTControlCharacters(coloured)
      console.log(`${script}: ${line}`)
      lastLines.push(line)
      if (lastLines.length > repeatedLines) lastLines.shift()
    })
    return once(lines, 'close')
  })
  const [status] = await once(child, 'exit')
  // A process that the script started may keep the pipes open.
  await Promise.race([Promise.all(ends), sleep(5_000, null, { ref: false })])
  for (const output of [child.stdout, child.stderr]) output.destroy()
  return { ok: status === 0, lastLines, seconds: (performance.now() - startedAt) / 1000 }
}

/**
 * Returns the counts of vitest: its tests, and each file that failed outside of them.
 *
 * @param {string} report
 * @returns {{ passed: number, failures: string[], failedFiles: string[] }}
 */
function readReport(report) {
  try {
    const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const failed = testResults.filter((/** @type {TestFile} */ file) => failuresOf(file).length > 0)
    return {
      passed: numPassedTests,
      failures: failed.flatMap(failuresOf),
      failedFiles: failed.map((/** @type {TestFile} */ { name }) => relative(root, name)),
    }
  } catch {
    return { passed: 0, failures: [], failedFiles: [] }
  }
}

/**
 * @typedef {{ status: string, fullName: string, failureMessages: string[] }} Test
 * @typedef {{ status: string, name: string, message: string, assertionResults: Test[] }} TestFile
 * @param {TestFile} file
 */
function failuresOf({ status, name, message, assertionResults }) {
  const printResult = (/** @type {string} */ what, /** @type {string | undefined} */ why) =>
    `${relative(root, name)}: ${what}${reasonMark}${why?.slice(0, 1000).replace(/(\n +at [^\n]*).*/s, '$1')}`
  const failed = assertionResults.filter((test) => test.status === 'failed')
  if (status === 'failed' && failed.length === 0)
    return [printResult('outside of its tests', message)]
  return failed.map(({ fullName, failureMessages }) => printResult(fullName, failureMessages[0]))
}

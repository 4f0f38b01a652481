import { Worker } from 'node:worker_threads'

/** The time limit for all patterns of a configuration together. */
const deadlineMs = 1000

const maxMemoryMb = 128

/** The maximum length of a pattern. Compiling a pattern cannot be interrupted. */
const maxPatternLength = 10_000

/**
 * The maximum length of all patterns and the text. Transferring more ends the process, not only the
 * thread.
 */
const maxTotalLength = 10_000_000

const sampleStatement = `select t."a b", f(x) as n from s.t where (a = 'it''s' or b >= 1.5) and c in (1, -2);\n-- done`

/**
 * The program of the thread. It returns the defect of each pattern, or null.
 *
 * The formatter tries patterns where a token may begin, and continues after the match. With an
 * empty match it would never end and use all memory. The program is a string, since a bundler of
 * the host would omit a file that only a path refers to.
 */
const threadSource = `
const { parentPort, workerData } = require('node:worker_threads')

// As many of one character as an exponential pattern takes years for, of each that it names or may mean.
function samplesFor(source) {
  const characters = [...new Set('a0_ ' + source)].slice(0, 100)
  return [workerData.sampleStatement, ...characters.map((character) => character.repeat(48) + '\\0')]
}

function read(source) {
  // Alone first: the formatter puts it in parentheses, which another one inside might close.
  new RegExp(source, 'uy')
  return new RegExp('(?:' + source + ')', 'uy')
}

function matchesNothing(pattern, text) {
  for (let at = 0; at < text.length; at++) {
    pattern.lastIndex = at
    if (pattern.test(text) && pattern.lastIndex <= at) return true
  }
  return false
}

function faultOf(source) {
  let pattern
  try {
    pattern = read(source)
  } catch ({ message }) {
    return 'is not a regular expression: ' + message.slice(message.lastIndexOf(': ') + 2)
  }
  try {
    const texts = [...samplesFor(source), workerData.text]
    if (pattern.test('') || texts.some((text) => matchesNothing(pattern, text))) {
      return 'can match an empty text, and would not end'
    }
  } catch ({ message }) {
    return 'cannot be used: ' + message
  }
  return null
}

for (const source of workerData.patterns) parentPort.postMessage({ fault: faultOf(source) })`

/**
 * Tests regular expressions at every position of a text, and of samples that reveal common defects.
 * It uses a thread, which is stopped after a second or at its memory limit.
 *
 * @param text the text to format; empty if it is not known yet.
 * @returns the defect of each expression, in their order; null for none.
 */
export async function tryPatterns(
  sources: readonly string[],
  text = '',
): Promise<(string | null)[]> {
  const length = sources.reduce((sum, source) => sum + source.length, text.length)
  if (length > maxTotalLength) return sources.map(() => tooMuch)
  const isTried = (source: string) => source.length <= maxPatternLength
  const faults = await faultsInThread(sources.filter(isTried), text)
  return sources.map((source) =>
    isTried(source)
      ? (faults.shift() ?? null)
      : `must be at most ${maxPatternLength} characters long (got ${source.length})`,
  )
}

const tooMuch = `cannot be tested: expressions and text have more than ${maxTotalLength} characters`

async function faultsInThread(patterns: string[], text: string): Promise<(string | null)[]> {
  if (patterns.length === 0) return []
  const faults: (string | null)[] = []
  const ending = await runThread({ patterns, text, sampleStatement }, (fault) => faults.push(fault))
  if (faults.length === patterns.length) return faults
  const untried = patterns.slice(faults.length + 1)
  return [
    ...faults,
    ending,
    ...untried.map(() => 'was not tested, because an expression before it failed'),
  ]
}

/** @returns why the thread ended early. */
async function runThread(
  trial: { patterns: string[]; text: string; sampleStatement: string },
  onFault: (fault: string | null) => number,
): Promise<string> {
  let worker: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<string>((resolve, reject) => {
      worker = new Worker(threadSource, {
        eval: true,
        name: 'latchkey-sql-patterns',
        workerData: trial,
        env: {},
        // Options of the host, such as modules to preload, do not apply to this thread.
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 16 },
      })
      const giveUp = () => resolve('takes longer than a second, alone or with those before it')
      worker.once('online', () => {
        // A busy process reads the pending messages of the thread before it gives up.
        timer = setTimeout(() => setImmediate(giveUp), deadlineMs)
      })
      worker.on('message', ({ fault }: { fault: string | null }) => {
        if (onFault(fault) === trial.patterns.length) resolve('')
      })
      worker.once('error', reject)
      worker.once('exit', () => resolve('cannot be tested: the thread ended'))
    })
  } catch (error) {
    return `cannot be tested: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    clearTimeout(timer)
    await worker?.terminate()
  }
}

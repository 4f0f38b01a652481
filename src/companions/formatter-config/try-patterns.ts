import { Worker } from 'node:worker_threads'

/** How long all patterns of a configuration together may take. */
const deadlineMs = 1000

const maxMemoryMb = 128

/** Longer ones are refused unread: what reads a pattern cannot be interrupted. */
const maxPatternLength = 10_000

/** Of all patterns and the text. What is handed over at once and does not fit ends the whole process, not the thread. */
const maxTotalLength = 10_000_000

const sampleStatement = `select t."a b", f(x) as n from s.t where (a = 'it''s' or b >= 1.5) and c in (1, -2);\n-- done`

/**
 * What a thread runs: for each pattern what is wrong with it, or null. The formatter tries patterns where a token may begin,
 * and goes on behind what they matched: with a match of no length it would never end, and it would take all memory.
 * Written as text, since what bundles a host's code would leave behind a file that only a path names.
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
      return 'can match an empty text, and would match it forever'
    }
  } catch ({ message }) {
    return 'cannot be used: ' + message
  }
  return null
}

for (const source of workerData.patterns) parentPort.postMessage({ fault: faultOf(source) })`

/**
 * Tries regular expressions at every place of a text, and of samples that show what is wrong with many: in a thread of its own,
 * which is ended when a second is over or its memory is used up.
 *
 * @param text what is to be formatted; empty where that is not known yet.
 * @returns what is wrong with each, in their order; null where nothing is.
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

const tooMuch = `cannot be tried: expressions and text have more than ${maxTotalLength} characters`

async function faultsInThread(patterns: string[], text: string): Promise<(string | null)[]> {
  if (patterns.length === 0) return []
  const faults: (string | null)[] = []
  const ending = await runThread({ patterns, text, sampleStatement }, (fault) => faults.push(fault))
  if (faults.length === patterns.length) return faults
  const untried = patterns.slice(faults.length + 1)
  return [...faults, ending, ...untried.map(() => 'was not tried: one before it is refused')]
}

/** @returns why the thread ended before it was through. */
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
        // What the host was started with, such as a module to load first, is not for this.
        execArgv: [],
        resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 16 },
      })
      const giveUp = () => resolve('takes longer than a second, alone or with those before it')
      worker.once('online', () => {
        // A process that was busy reads what the thread has said meanwhile before it gives up.
        timer = setTimeout(() => setImmediate(giveUp), deadlineMs)
      })
      worker.on('message', ({ fault }: { fault: string | null }) => {
        if (onFault(fault) === trial.patterns.length) resolve('')
      })
      worker.once('error', reject)
      worker.once('exit', () => resolve('cannot be tried: its thread ended'))
    })
  } catch (error) {
    return `cannot be tried: ${error instanceof Error ? error.message : String(error)}`
  } finally {
    clearTimeout(timer)
    await worker?.terminate()
  }
}

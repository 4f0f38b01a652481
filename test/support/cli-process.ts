import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The end of a process. */
export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** `latchkey` as a process of its own. */
export interface CliProcess {
  pid: number
  /** Returns its output so far, of both streams. */
  output(): string
  /** Waits for a pattern in the output. Rejects with the output when the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  signal(name: NodeJS.Signals): void
  /** Settles when the process has ended and all its output was read. */
  ended: Promise<ProcessExit>
  /** Stops it by SIGTERM, and after a while by SIGKILL. */
  stop(): Promise<ProcessExit>
}

export interface CliOptions {
  /**
   * The whole environment except PATH and TMPDIR. Variables of the test process are not passed on.
   */
  env?: Record<string, string>
  /** The working folder, where `.env` is read and `.latchkey/` is created. */
  cwd?: string
  /** The standard input. Default: empty. */
  input?: string
  /** Runs the command under another one, such as one that provides a terminal. */
  wrap?: (command: string[]) => string[]
  /** The path of the command. Default: that of the build. */
  cli?: string
}

const bundle = fileURLToPath(new URL('../../dist/standalone/cli.js', import.meta.url))
const patienceMs = 30_000

/** Processes that are ended when the test run ends early. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the built `latchkey …` with the Node that runs the tests. */
export function spawnCli(args: readonly string[], options: CliOptions = {}): CliProcess {
  const { env = {}, cwd = fileURLToPath(new URL('./', import.meta.url)), wrap, input } = options
  const command = [process.execPath, options.cli ?? bundle, ...args]
  const [program = '', ...rest] = wrap ? wrap(command) : command
  const { PATH = '', TMPDIR } = process.env
  const child = spawn(program, rest, {
    cwd,
    env: { PATH, ...(TMPDIR && { TMPDIR }), ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  return supervise(child)
}

/** Runs `latchkey …` to its end. */
export async function runCli(
  args: readonly string[],
  options?: CliOptions,
): Promise<ProcessExit & { output: string }> {
  const { ended, output } = spawnCli(args, options)
  return { ...(await ended), output: output() }
}

function supervise(child: ChildProcess): CliProcess {
  let output = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      for (const listener of listeners) listener()
    })
  }
  running.add(child)
  const ended = once(child, 'close').then(([code, signal]): ProcessExit => {
    running.delete(child)
    return { code, signal }
  })

  return {
    pid: child.pid ?? 0,
    output: () => output,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output)
          if (!found) return
          listeners.delete(look)
          resolve(found)
        }
        listeners.add(look)
        look()
        ended.then(({ code }) => reject(new Error(`ended with code ${code}:\n${output}`)), reject)
      }),
    signal: (name) => void child.kill(name),
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      const insist = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      const ending = await ended
      clearTimeout(insist)
      return ending
    },
  }
}

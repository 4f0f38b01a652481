import { spawn } from 'node:child_process'
import { root } from './paths.mjs'

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command as if it had been started instead of us: it has our terminal, gets the signals
 * that we get, and its end is ours, exit code or signal.
 *
 * @param {string} command
 * @param {string[]} args
 */
export function runInForeground(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' })
  for (const signal of signals) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to all of us; a second SIGINT would be taken for impatience.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  onShellGone(() => child.kill('SIGTERM'))
  child.on('error', (error) => {
    console.error(error.message)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/**
 * Between npm and us is a shell. A signal to npm ends that shell, which tells nobody: without this,
 * whoever stops `npm start` would leave a server running.
 *
 * @param {() => void} end
 */
function onShellGone(end) {
  if (!process.env.npm_lifecycle_event) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    end()
  }, 200)
  watch.unref()
}

import { spawn } from 'node:child_process'
import { root } from './paths.mjs'

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Runs a command in place of this process: it has our terminal, receives our signals, and its exit
 * code or signal becomes ours.
 *
 * @param {string} command
 * @param {string[]} args
 */
export function runInForeground(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' })
  for (const signal of signals) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole process group; a second SIGINT would force the end.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  onShellExit(() => child.kill('SIGTERM'))
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
 * Ends the child when the shell between npm and us ends. A signal to npm ends that shell without
 * notice to us: stopping `npm start` would leave the server running.
 *
 * @param {() => void} end
 */
function onShellExit(end) {
  if (!process.env.npm_lifecycle_event) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    end()
  }, 200)
  watch.unref()
}

// Loaded into a server under flood by `--import`. Prints, ten times a second, the longest time that
// one turn of the event loop has taken so far, in milliseconds of processor time of the main
// thread.
let before = process.threadCpuUsage()
let longest = 0
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before)
  before = process.threadCpuUsage()
  longest = Math.max(longest, (user + system) / 1_000)
}, 1).unref()
setInterval(() => {
  process.stdout.write(`${JSON.stringify({ heldMs: Math.round(longest) })}\n`)
  longest = 0
}, 100).unref()

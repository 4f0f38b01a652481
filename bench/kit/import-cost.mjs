// Prints how long the import of its argument took, in milliseconds, and how much memory it added,
// in bytes.
const before = process.memoryUsage.rss()
const startedAt = performance.now()
await import(process.argv[2] ?? '')
const ms = performance.now() - startedAt
console.log(JSON.stringify({ ms, bytes: process.memoryUsage.rss() - before }))

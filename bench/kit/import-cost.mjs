// Says how long the import of its argument took, in ms, and by how much it made the process larger, in bytes.
const before = process.memoryUsage.rss()
const startedAt = performance.now()
await import(process.argv[2] ?? '')
const ms = performance.now() - startedAt
console.log(JSON.stringify({ ms, bytes: process.memoryUsage.rss() - before }))

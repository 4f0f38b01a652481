import { createAuth } from 'latchkey'
import { Redis } from 'ioredis'

const client = new Redis({ enableOfflineQueue: false })
createAuth({
  // …
  rateLimits: { redis: () => client },
})

export {}

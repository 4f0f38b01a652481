import { createAuth } from 'latchkey'
declare function waitUntil(work: Promise<unknown>): void
// import { waitUntil } from '@vercel/functions'
createAuth({ /* … */ background: { frozenBetweenRequests: true, waitUntil } })

export {}

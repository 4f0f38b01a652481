declare const auth: import('latchkey').Auth
declare const id: string
const failed = await auth.outbox.list({ status: 'failed' }) // newest first; limit, before
await auth.outbox.preview(id) // { subject, html, text }, { text }, or { payload } for a hook; sends nothing
await auth.outbox.retry(id)
await auth.outbox.discard(id) // deletes a waiting or failed message

export {}

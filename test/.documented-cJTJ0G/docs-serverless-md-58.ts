declare const auth: import('latchkey').Auth
const answer = (request: Request, context: { waitUntil(work: Promise<unknown>): void }) =>
  auth.fetch(request, { waitUntil: (work) => context.waitUntil(work) })

export {}

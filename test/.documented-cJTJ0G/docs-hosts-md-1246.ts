declare const auth: import('latchkey').Auth
const answer = (request: Request, peer?: string): Promise<Response> =>
  auth.fetch(request, { ip: peer })

export {}

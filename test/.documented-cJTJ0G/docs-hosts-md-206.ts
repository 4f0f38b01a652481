declare const auth: import('latchkey').Auth
import { createServer } from 'node:http'
import { AuthError } from 'latchkey'
import { toNode } from 'latchkey/node'

const handleAuth = toNode(auth)

const server = createServer(async (request, response) => {
  if (request.url?.startsWith('/auth/')) return handleAuth(request, response)
  try {
    const { user } = await auth.requireUser(request)
    response.end(`hello, ${user.email}`)
  } catch (error) {
    response.writeHead(error instanceof AuthError ? error.status : 500).end()
  }
})

await auth.ready()
server.listen(3000)

export {}

import Fastify from 'fastify'
import { toFastify } from 'latchkey/fastify'
import { auth } from './auth.ts' // createAuth({ basePath: '/auth', … })

const app = Fastify()
app.register(toFastify(auth), { prefix: '/auth' })

app.get('/profile', async (request) => {
  const { user } = await auth.requireUser(request)
  return { hello: user.email }
})

await auth.ready()
await app.listen({ port: 3000, host: '127.0.0.1' })

export {}

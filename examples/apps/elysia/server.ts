import { node } from '@elysiajs/node'
import { Elysia } from 'elysia'
import { AuthError } from 'latchkey'
import { toElysia } from 'latchkey/elysia'
import { auth } from './auth.ts'

const port = Number(process.env.PORT ?? 3000)
const isBun = 'Bun' in globalThis

await auth().ready()
new Elysia(isBun ? {} : { adapter: node() })
  .use(toElysia(auth()))
  .get('/', () => ({ message: 'hello, guest' }))
  .get('/profile', async ({ request, status }) => {
    try {
      const { user } = await auth().requireUser(request)
      return { message: `hello, ${user.email}` }
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      return status(error.status, { code: error.code, message: error.message })
    }
  })
  .listen({ port, hostname: '127.0.0.1' })

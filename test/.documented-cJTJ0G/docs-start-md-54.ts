import express from 'express'
import { createAuth } from 'latchkey'
import { toExpress } from 'latchkey/express'

const auth = createAuth({
  development: true,
  siteUrl: 'http://127.0.0.1:3000',
  basePath: '/auth',
})

const app = express()
app.use('/auth', toExpress(auth))

app.get('/profile', async (request, response) => {
  const { user } = await auth.requireUser(request)
  response.json({ hello: user.email })
})

await auth.ready()
app.listen(3000, '127.0.0.1')

export {}

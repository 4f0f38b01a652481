declare const app: import('express').Express
import { createAuth } from 'latchkey'
import { toExpress } from 'latchkey/express'

const auth = createAuth({ development: true, siteUrl: 'http://127.0.0.1:3000', basePath: '/auth' })
app.use('/auth', toExpress(auth))

export {}

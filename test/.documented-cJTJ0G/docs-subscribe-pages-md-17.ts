import { createAuth } from 'latchkey'
declare const app: import('express').Express
import { toExpress } from 'latchkey/express'
import { createSubscribePages } from 'latchkey/subscribe-pages'

const auth = createAuth({ siteUrl: 'https://shop.example.com' })
const pages = createSubscribePages({ auth, cors: { origins: ['https://shop.example.com'] } })

app.use('/newsletter', toExpress(pages))
await pages.ready()

export {}

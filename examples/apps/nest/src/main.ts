import { NestFactory } from '@nestjs/core'
import { toExpress } from 'latchkey/express'
import { AppModule } from './app.module.js'
import { auth } from './auth.js'

const app = await NestFactory.create(AppModule)
app.use('/auth', toExpress(auth()))
await auth().ready()
await app.listen(process.env.PORT ?? 3000, '127.0.0.1')

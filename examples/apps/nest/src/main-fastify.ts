import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { toFastify } from 'latchkey/fastify'
import { AppModule } from './app.module.js'
import { auth } from './auth.js'

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
await app.register(toFastify(auth()), { prefix: '/auth' })
await auth().ready()
await app.listen(process.env.PORT ?? 3000, '127.0.0.1')

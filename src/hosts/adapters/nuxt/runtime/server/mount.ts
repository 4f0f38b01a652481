import { toNitro } from 'latchkey/nitro'
import { defineEventHandler } from '#imports'
import { sessions } from './sessions.ts'

/** The service, below its base path. */
export default defineEventHandler(toNitro(sessions))

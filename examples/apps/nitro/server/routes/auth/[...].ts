import { toNitro } from 'latchkey/nitro'
import { defineHandler } from 'nitro/h3'
import { auth } from '../../auth.ts'

export default defineHandler(toNitro(auth))

import { toNitro } from 'latchkey/nitro'

export default defineEventHandler(toNitro(auth))

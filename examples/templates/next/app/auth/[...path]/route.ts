import { toNext } from 'latchkey/next'
import { sessions } from '../../../auth'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toNext(sessions)

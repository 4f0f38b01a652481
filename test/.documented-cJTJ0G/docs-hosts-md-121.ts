declare const auth: import('latchkey').Auth
declare const request: Request
import { inputStruct } from 'latchkey/structs'

const signUp = inputStruct('auth.api.signUp')
const [error, input] = signUp.validate(await request.json(), { coerce: true })

export {}

import { toReactRouter } from 'latchkey/react-router'
import { sessions } from '../auth'

export const loader = toReactRouter(sessions)
export const action = toReactRouter(sessions)

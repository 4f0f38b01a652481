import type { RequestSession } from 'latchkey/cookies'
import { createContext } from 'react-router'

export const sessionContext = createContext<RequestSession>()

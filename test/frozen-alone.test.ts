import { runFlowsFrozen } from './support/freezing/frozen-clients.ts'

// Every flow in a process that is frozen after a response: messages are sent before it.

runFlowsFrozen('nothing')

import { runFlowsFrozen } from './support/freezing/frozen-clients.ts'

// Every flow where nothing goes on after an answer: messages are sent before it.

runFlowsFrozen('nothing')

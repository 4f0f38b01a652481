import { runFlowsFrozen } from './support/freezing/frozen-clients.ts'

// Every flow where what goes on after an answer is waited for.

runFlowsFrozen('waitUntil')

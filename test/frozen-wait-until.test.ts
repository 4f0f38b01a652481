import { runFlowsFrozen } from './support/freezing/frozen-clients.ts'

// Every flow with `waitUntil`, which keeps the process alive after a response.

runFlowsFrozen('waitUntil')

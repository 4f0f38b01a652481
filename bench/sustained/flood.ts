// Sends the flood of sign-ins. It is a process of its own, so that its work does not add to the
// times that the other clients measure.
import { openClients, type Phase, type Target, type User } from './clients.ts'

/** What the parent sends. */
export interface Flood {
  server: Target
  users: User[]
  phase: Phase
}

const network = 11

process.once('message', async ({ server, users, phase }: Flood) => {
  const clients = await openClients(server, 0, { users, network })
  process.send?.(await clients.signIns(phase), () => process.disconnect())
})

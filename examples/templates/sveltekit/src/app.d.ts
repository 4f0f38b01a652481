import type { RequestSession } from 'latchkey/cookies'

declare global {
  namespace App {
    interface Locals {
      session: RequestSession
    }
  }
}

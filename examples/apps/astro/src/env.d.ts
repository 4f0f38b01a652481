declare namespace App {
  interface Locals {
    session: import('latchkey/cookies').RequestSession
  }
}

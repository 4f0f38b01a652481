import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { answerQuestions } from '../kit/answer-questions.ts'

// A mail server in a process of its own, with the delay of another continent. It stores nothing.

const delayMs = 200

let mails = 0
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['AUTH', 'STARTTLS'],
  disableReverseLookup: true,
  onData: (stream, _session, done) => {
    // The sender may be stopped in the middle of a mail.
    stream.on('error', () => {})
    stream.on('end', () => {
      mails += 1
      setTimeout(done, delayMs)
    })
    stream.resume()
  },
})
server.on('error', () => {})
const listening = server.listen(0, '127.0.0.1')
await once(listening, 'listening')
answerQuestions({ port: () => (listening.address() as AddressInfo).port, mails: () => mails })

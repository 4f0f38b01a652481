import { createAuth, type OutgoingMail } from 'latchkey'

async function send({ id, from, to, subject, html, text }: OutgoingMail) {
  const response = await fetch('https://mail.example.com/v1/send', {
    method: 'POST',
    headers: { 'Idempotency-Key': id, 'Content-Type': 'application/json' },
    body: JSON.stringify({ from: from.address, to, subject, html, text }),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new Error(`the mail service responded with ${response.status}`)
  const { id: messageId } = (await response.json()) as { id: string }
  return { messageId }
}

export {}

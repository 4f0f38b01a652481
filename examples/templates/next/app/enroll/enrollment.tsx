'use client'

import { enroll, verify } from '../actions'
import { Form } from '../form'

/** Shows the QR code of a new factor, and verifies its first code. */
export function Enrollment() {
  return (
    <Form
      action={enroll}
      label="Show the QR code"
      next={({ factorId, qrCode, secret }) => (
        <Form action={verify} label="Verify">
          {/* biome-ignore lint/performance/noImgElement: a data URL needs no optimization */}
          <img src={`data:image/svg+xml,${encodeURIComponent(qrCode ?? '')}`} alt="QR code" />
          <p>
            Scan the code with an authenticator app, or enter the secret <code>{secret}</code>
          </p>
          <input name="factorId" type="hidden" value={factorId} />
          <label>
            Code <input name="code" inputMode="numeric" autoComplete="one-time-code" required />
          </label>
        </Form>
      )}
    />
  )
}

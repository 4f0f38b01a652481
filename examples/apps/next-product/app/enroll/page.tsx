'use client'

import { enroll, verify } from '../actions'
import { Form } from '../form'

export default function Enroll() {
  return (
    <Form
      action={enroll}
      label="Add an authenticator app"
      next={({ factorId, qrCode, secret }) => (
        <Form action={verify} label="Confirm">
          {/* biome-ignore lint/performance/noImgElement: a data URL needs no optimization */}
          <img src={`data:image/svg+xml,${encodeURIComponent(qrCode ?? '')}`} alt="QR code" />
          <p>
            Secret: <code>{secret}</code>
          </p>
          <input name="factorId" type="hidden" value={factorId} />
          <input name="code" inputMode="numeric" placeholder="Code" required />
        </Form>
      )}
    />
  )
}

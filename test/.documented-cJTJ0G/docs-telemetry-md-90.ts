import { createAuth } from 'latchkey'

createAuth({
  // …
  telemetry: {
    metrics: { enabled: true, exporter: 'prometheus' },
    prometheus: { host: '127.0.0.1', port: 9100 },
  },
})

export {}

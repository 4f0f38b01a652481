declare const app: import('express').Express
declare const invoices: import('latchkey').ProtectedResource
import { protectResource } from 'latchkey/express'

app.use(['/invoices', invoices.metadataPath], protectResource(invoices))

export {}

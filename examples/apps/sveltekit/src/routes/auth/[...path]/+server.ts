import type { RequestHandler } from '@sveltejs/kit'
import { auth } from '../../../auth.ts'

// All methods. The address is that of the connection, or of the header that ADDRESS_HEADER names.
export const fallback: RequestHandler = ({ request, getClientAddress }) =>
  auth().fetch(request, { ip: getClientAddress() })

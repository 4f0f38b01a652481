import type { APIRoute } from 'astro'
import { auth } from '../../auth.ts'

export const ALL: APIRoute = ({ request, clientAddress }) =>
  auth().fetch(request, { ip: clientAddress })

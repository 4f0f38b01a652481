import { defineHandler } from 'nitro/h3'
import { auth } from '../../auth.ts'

// The request brings the address of the client along.
export default defineHandler((event) => auth().fetch(event.req))

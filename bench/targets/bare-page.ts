import type { OutgoingHttpHeaders } from 'node:http'
import { serve } from './serve.ts'

// The smallest server of a page: it sends the bytes of a recorded response to each request.

/** A response as another server sent it. */
export interface RecordedPage {
  headers: OutgoingHttpHeaders
  body: string
}

let page: RecordedPage = { headers: {}, body: '' }

await serve((_request, response) => void response.writeHead(200, page.headers).end(page.body), {
  record: (recorded: RecordedPage) => {
    page = recorded
  },
})

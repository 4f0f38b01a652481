import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.mjs'

const folder = join(root, 'test/support/certificate')

/** The file of a certificate of `localhost`, for `NODE_EXTRA_CA_CERTS`. */
export const certificateFile = join(folder, 'localhost.pem')

/** Returns the certificate with its key, as options of a server. */
export const certificateOf = () => ({
  cert: readFileSync(certificateFile, 'utf8'),
  key: readFileSync(join(folder, 'localhost.key.pem'), 'utf8'),
})

import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/**
 * Makes this process trust a certificate, as `NODE_EXTRA_CA_CERTS` would from its start.
 *
 * @returns a disposable that ends it.
 */
export function trustCertificate(certificate: string): Disposable {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, certificate])
  return { [Symbol.dispose]: () => setDefaultCACertificates(before) }
}
